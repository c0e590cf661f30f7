/** A dialog with queries to choose from. */
import { element } from '../shared/dom.js'

/** A query in the dialog. */
export interface Choice {
  /** Above the query: the title, or the time of the run. */
  title: string
  sql: string
}

/** The dialog. */
export interface Picker {
  /** Opens the dialog with queries. */
  open(choices: readonly Choice[]): void
  close(): void
}

let number = 0

/**
 * Creates the dialog at the end of `place`. `empty`: the text if there are no queries. `actions`: buttons next to the
 * Close button. `onChoose` is called with the text of the query that was chosen.
 */
export function createPicker(
  place: HTMLElement,
  { title, empty, actions = [] }: { title: string; empty: string; actions?: readonly HTMLElement[] },
  onChoose: (sql: string) => void,
): Picker {
  const id = `sql-picker-${++number}`
  const list = element('ul', { class: 'sql-choices' })
  const close = element('button', { type: 'button' }, 'Close')
  const foot = element('div', { class: 'sql-dialog-foot' }, ...actions, close)
  const dialog = element('dialog', { class: 'sql-dialog', 'aria-labelledby': id })
  dialog.append(element('h2', { id }, title), list, foot)
  place.append(dialog)
  close.addEventListener('click', () => dialog.close())
  // A click outside the dialog is on its backdrop, which counts as the dialog itself.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())

  function itemOf({ title: name, sql }: Choice): HTMLElement {
    const button = element('button', { type: 'button' }, element('b', {}, name), element('code', {}, sql))
    button.addEventListener('click', () => {
      dialog.close()
      onChoose(sql)
    })
    return element('li', {}, button)
  }

  return {
    open(choices) {
      const items = choices.map(itemOf)
      list.replaceChildren(...(items.length === 0 ? [element('li', { class: 'fine' }, empty)] : items))
      if (!dialog.open) dialog.showModal()
    },
    close: () => dialog.close(),
  }
}
