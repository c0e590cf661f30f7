/** The fields of the rows with their most frequent values, to keep or exclude. */
import type { FieldRow } from '../../api/explore.js'
import { buttonOf, byId, element } from '../../shared/dom.js'
import { count } from '../../shared/format.js'
import type { Send } from '../model/message.js'
import type { Draw, FieldsModel } from '../model/model.js'
import { sourceNamed } from '../model/sources.js'
import { fieldItem, showWhole } from './field-item.js'

/** A field, as far as the text about counts reads it. */
type Size = Pick<FieldRow, 'rows' | 'is_sample'>

interface FieldList {
  readonly list: HTMLElement
  readonly note: HTMLElement
  readonly find: HTMLInputElement
  readonly send: Send
  /** Whether the user opened or closed a field, by name. */
  readonly choices: Map<string, boolean>
}

/** Creates the fields in the page's elements. */
export function createFields(send: Send): Draw {
  const find = byId<HTMLInputElement>('find-field')
  const view: FieldList = { list: byId('field-list'), note: byId('field-note'), find, send, choices: new Map() }
  let drawn: FieldsModel | undefined
  find.addEventListener('input', () => drawn && applyFind(view, drawn))
  return ({ fields }) => {
    if (fields === drawn) return
    const before = drawn
    drawn = fields
    if (fields.source !== before?.source) view.choices.clear()
    if (fields.rows !== before?.rows || fields.failure !== before.failure) showFields(view, fields)
    view.list.setAttribute('aria-busy', String(fields.isLoading))
    for (const [field, whole] of fields.whole)
      if (whole !== before?.whole.get(field)) showWhole(view.list, rowOf(fields, field), whole, send)
    applyFind(view, fields)
  }
}

const rowOf = ({ rows }: FieldsModel, name: string) => rows.find(({ field }) => field === name)!

function showFields({ list, send, choices }: FieldList, { rows, source, failure }: FieldsModel): void {
  const focused = keyOfFocus(list)
  const { opened } = sourceNamed(source)
  const isOpen = ({ field }: FieldRow) => choices.get(field) ?? opened.includes(field)
  const onToggle = (field: string, isOpened: boolean) => choices.set(field, isOpened)
  list.replaceChildren(...rows.map((row) => fieldItem(row, isOpen(row), onToggle, send)))
  if (failure !== undefined) {
    const again = buttonOf('Try again', () => send({ kind: 'fieldsRetried' }), { class: 'small' })
    list.append(element('p', { class: 'error', role: 'alert' }, failure.message), again)
  }
  if (focused !== undefined) list.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus()
}

const keyOfFocus = (list: HTMLElement) =>
  list.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : undefined

/**
 * Returns the text about the rows that counts are of, or empty without fields. `whole`: the fields that were counted in
 * the whole range on request, with the number of rows.
 */
export function sizeText(
  fields: readonly Size[],
  isOutdated: boolean,
  whole: ReadonlyMap<string, number> = new Map(),
): string {
  const sampled = fields.filter(({ is_sample }) => is_sample)
  const size = fields.find(({ is_sample }) => !is_sample) ?? sampled[0]
  if (size === undefined) return ''
  const rows = `${count(size.rows)} rows`
  const of = isOutdated ? `the ${rows} before Live` : size.is_sample ? `the newest ${rows}` : `all ${rows}`
  const others = [...whole]
    .filter(([, all]) => all !== size.rows)
    .map(([field, all]) => `${field} of all ${count(all)}`)
  if (!size.is_sample && sampled.length > 0) {
    const names = sampled.length === 1 ? 'a field' : `${count(sampled.length)} fields`
    others.unshift(`${names} of the newest ${count(sampled[0].rows)}`)
  }
  return `Counts are of ${others.length === 0 ? of : `${of}; ${others.join(', ')}`}.`
}

/** Hides the fields that do not have the entered text in their names, and shows what the counts are of. */
function applyFind({ list, note, find }: FieldList, { isLoading, rows, isOutdated, whole, text }: FieldsModel): void {
  const wanted = find.value.trim().toLowerCase()
  const items = [...list.querySelectorAll<HTMLElement>('.field-item')]
  for (const item of items) item.hidden = !item.dataset.field!.toLowerCase().includes(wanted)
  const sizes = [...whole].flatMap(([field, { row }]) => (row === undefined ? [] : [[field, row.rows] as const]))
  const isFound = items.length === 0 || items.some(({ hidden }) => !hidden)
  const ofRows = isFound ? sizeText(rows, isOutdated, new Map(sizes)) : `No field has “${wanted}” in its name.`
  note.textContent = isLoading ? 'Loading …' : rows.length === 0 ? text : ofRows
}
