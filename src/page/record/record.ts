/** A record: the time, the message, and the fields as a tree. */
import { numberOf, type Row } from '../api/api.js'
import { copyText } from '../shared/copy.js'
import { buttonOf, element } from '../shared/dom.js'
import { fullTime } from '../shared/times.js'
import { UTC } from '../shared/zone.js'
import { type FieldName, fieldName, pathText } from './field-path.js'
import { longText } from './long-text.js'
import type { ItemActions } from './record-actions.js'
import type { Highlight, Item } from './record-item.js'
import { createTree } from './record-tree.js'
import { type Condition, excludeCondition, keepCondition, kindOf, membersOf, textOf } from './record-value.js'

/** Options of the view of a record. */
export interface RecordOptions {
  source: string
  /** Words that the search found, and fields that a filter matched. The view marks words and fields. */
  highlight?: Partial<Highlight>
  /** Address of the page that shows this record. Undefined: there is no button to copy the address. */
  link?: string
  /** Called to filter the list by a value. `value` is undefined if `op` is `exists` or `missing`. */
  onFilter(field: FieldName, op: Condition['op'], value: Condition['value']): void
  /** Called to show the rows around this row. */
  onAround(row: Row): void
  /** Called when the user closes the record. */
  onClose(): void
}

/** A record on the page. */
export interface ShownRecord {
  /** Moves the focus to the record's title. */
  focus(): void
}

/** Replaces the content of a container with a record. */
export function showRecord(container: HTMLElement, row: Row, options: RecordOptions): ShownRecord {
  const status = element('p', { role: 'status', class: 'record-status' })
  const view: ShownRecordView = { row, options, highlight: { words: [], fields: [], ...options.highlight }, say }
  const title = titleOf(view)
  const root = element('section', { class: 'record', 'aria-label': 'Record' })
  root.append(element('header', {}, title, toolsOf(view)), status, messageOf(view), ...fieldsOf(view), idOf(view))
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    options.onClose()
  })
  container.replaceChildren(root)

  function say(text: string): void {
    status.textContent = text
  }
  return { focus: () => title.focus() }
}

/** A record with its options, which all functions of the view need. */
interface ShownRecordView {
  row: Row
  options: RecordOptions
  highlight: Highlight
  /** Shows the outcome of an action, also to screen readers. */
  say(text: string): void
}

function titleOf({ row, options: { source } }: ShownRecordView): HTMLElement {
  const us = numberOf(row.timestamp)!
  const time = element('time', { datetime: new Date(us / 1_000).toISOString(), title: fullTime(us, UTC) }, fullTime(us))
  return element('h2', { tabindex: '-1' }, time, ' ', element('span', { class: 'source' }, source))
}

const button = (text: string, act: () => void, attributes: Record<string, string> = {}) =>
  buttonOf(text, act, { class: 'small', ...attributes })

async function copy({ say }: ShownRecordView, what: string, text: string): Promise<void> {
  say((await copyText(text)) ? `Copied ${what}.` : 'The browser does not permit copying. Select the text and copy it.')
}

function toolsOf(view: ShownRecordView): HTMLElement {
  const { row, options } = view
  const { link } = options
  return element(
    'div',
    { class: 'record-tools' },
    button('Rows around', () => options.onAround(row), { title: 'Rows of all sources, a minute before and after' }),
    button('Copy JSON', () => void copy(view, 'the record as JSON', jsonOf(row))),
    ...(link === undefined ? [] : [button('Copy link', () => void copy(view, 'the link', link))]),
    button('Close', options.onClose, { title: 'Close (Esc)' }),
  )
}

/** Returns a record as JSON, with every number as sent. The rank is not of the record, but of the answer. */
function jsonOf({ rank: _, ...record }: Row): string {
  return JSON.stringify(record, undefined, 2)
}

/** A column of the row, with buttons to filter by the value and to copy the value. */
function columnOf(view: ShownRecordView, name: 'id' | 'event_message', label: string, text: string): HTMLElement {
  const { options, highlight } = view
  const filter = (title: string, condition: Condition | undefined, hint: string) =>
    condition === undefined
      ? []
      : [button(title, () => options.onFilter(name, condition.op, condition.value), { 'aria-label': hint })]
  const tools = element(
    'span',
    { class: 'record-tools' },
    ...filter('Keep', keepCondition(text), `Keep only rows with this ${label}`),
    ...filter('Exclude', excludeCondition(text), `Exclude rows with this ${label}`),
    button('Copy', () => void copy(view, `the ${label}`, text), { 'aria-label': `Copy the ${label}` }),
  )
  return element('div', { class: `record-${label}` }, longText(text, highlight.words), tools)
}

const idOf = (view: ShownRecordView) => columnOf(view, 'id', 'id', String(view.row.id))

function messageOf(view: ShownRecordView): HTMLElement {
  const message = String(view.row.event_message ?? '')
  if (message === '') return element('p', { class: 'record-message empty' }, 'no message')
  return columnOf(view, 'event_message', 'message', message)
}

function fieldsOf(view: ShownRecordView): HTMLElement[] {
  const { row, highlight, say } = view
  const members = kindOf(row.metadata) === 'branch' ? membersOf(row.metadata) : []
  const title = element('h3', {}, 'Fields')
  if (members.length === 0) return [title, element('p', { class: 'fine' }, 'This record has no metadata.')]
  const tree = createTree(members, highlight, actionsOf(view))
  const unfold = () => say(tree.unfoldAll() ? '' : 'There are too many fields to unfold all at once.')
  const tools = element(
    'span',
    { class: 'record-tools' },
    button('Unfold all', unfold),
    button('Fold all', tree.foldAll),
  )
  const keys = element('p', { class: 'fine record-keys' }, 'Keys: ← → fold, + keep, - exclude, c copy')
  return [element('div', { class: 'record-fields' }, title, keys, tools), tree.root]
}

function actionsOf(view: ShownRecordView): ItemActions {
  const { options } = view
  const filter = ({ steps }: Item, condition: Condition | undefined) =>
    options.onFilter(fieldName(steps)!, condition!.op, condition!.value)
  return {
    copy: (item) => void copy(view, pathText(item.steps), textOf(item.value)),
    keep: (item) => filter(item, keepCondition(item.value)),
    exclude: (item) => filter(item, excludeCondition(item.value)),
    isFilterable: ({ steps, value }) => fieldName(steps) !== undefined && keepCondition(value) !== undefined,
  }
}
