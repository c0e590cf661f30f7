/** The buttons of an item in the tree of a record. */
import { buttonOf, element } from '../shared/dom.js'
import type { Item } from './record-item.js'

/** Actions of the buttons and keys of an item. */
export interface ItemActions {
  copy(item: Item): void
  keep(item: Item): void
  exclude(item: Item): void
  /** Whether rows can be filtered by the value of an item. */
  isFilterable(item: Item): boolean
}

/** Buttons that belong to a single item at a time. */
export interface Buttons {
  show(item: Item): void
  hide(): void
}

/**
 * Creates the buttons, which are at the end of the item's line. The buttons are for pointers only, so that keys need
 * not pass them, and screen readers do not read them with each item: the same keys work on the item itself.
 */
export function createButtons(actions: ItemActions): Buttons {
  let current: Item | undefined
  const button = (text: string, title: string, act: (item: Item) => void) =>
    buttonOf(text, () => act(current!), { class: 'small', tabindex: '-1', title })
  const keep = button('Keep', 'Keep only rows with this value (+)', actions.keep)
  const exclude = button('Exclude', 'Exclude rows with this value (-)', actions.exclude)
  const copy = button('Copy', 'Copy the value (c)', actions.copy)
  const root = element('span', { class: 'actions' }, keep, exclude, copy)
  // A click does not move the focus.
  root.addEventListener('mousedown', (event) => event.preventDefault())

  return {
    show(item) {
      current = item
      for (const filter of [keep, exclude]) filter.hidden = !actions.isFilterable(item)
      if (item.showMore !== undefined) root.remove()
      else if (root.parentElement !== item.line) item.line.append(root)
    },
    hide: () => root.remove(),
  }
}
