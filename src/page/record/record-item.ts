/** Items of the tree of a record: a line for each value. */
import { element } from '../shared/dom.js'
import { fieldName, pathText, type Step } from './field-path.js'
import { longText } from './long-text.js'
import { kindOf, membersOf, sizeOf, textOf } from './record-value.js'

/** A value with the place in the metadata, and the elements on the page. */
export interface Item {
  steps: readonly Step[]
  value: unknown
  root: HTMLLIElement
  /** Has the role `treeitem`, and the focus. The name of the line is the content. */
  line: HTMLElement
  /** The items of an object or list. Undefined until unfolded. */
  group?: HTMLUListElement
  /** Shows further members of the same object or list. Only items of {@link createMoreItem} have `showMore`. */
  showMore?: () => void
}

/** Places that are marked in a tree. */
export interface Highlight {
  /** Words that a search found. */
  words: readonly string[]
  /** Names of fields that a filter matched. */
  fields: readonly string[]
}

/** Creates the item of a value. An object or list is folded. `place`: the place among siblings, from 0. */
export function createItem(
  steps: readonly Step[],
  value: unknown,
  place: { at: number; of: number },
  highlight: Highlight,
): Item {
  const isFull = kindOf(value) === 'branch' && membersOf(value).length > 0
  const key = String(steps.at(-1))
  const text = isFull ? sizeOf(value) : textOf(value)
  const shown = element(
    'span',
    { class: `value ${isFull ? 'size' : kindOf(value)}` },
    isFull ? text : longText(text, highlight.words),
  )
  const line = lineOf(steps.length, element('span', { class: 'key' }, key), ' ', shown)
  line.setAttribute('aria-setsize', String(place.of))
  line.setAttribute('aria-posinset', String(place.at + 1))
  if (isFull) line.setAttribute('aria-expanded', 'false')
  if (isMatched(steps, highlight)) line.classList.add('matched')
  return { steps, value, root: element('li', { role: 'none' }, line), line }
}

/** Creates an item that shows further members of an object or list when chosen. */
export function createMoreItem(parents: readonly Step[], text: string, showMore: () => void): Item {
  const line = lineOf(parents.length + 1, text)
  line.classList.add('more')
  return { steps: parents, value: undefined, root: element('li', { role: 'none' }, line), line, showMore }
}

function lineOf(level: number, ...content: (Node | string)[]): HTMLElement {
  return element('div', { role: 'treeitem', class: 'line', tabindex: '-1', 'aria-level': String(level) }, ...content)
}

function isMatched(steps: readonly Step[], { fields }: Highlight): boolean {
  const name = fieldName(steps)
  return name !== undefined && fields.includes(typeof name === 'string' ? name : pathText(name))
}

/** Returns whether an item has members. */
export const isBranch = ({ line }: Item): boolean => line.hasAttribute('aria-expanded')

/** Returns whether an item has members that are not shown. */
export const isFolded = ({ line }: Item): boolean => line.getAttribute('aria-expanded') === 'false'
