/** The fields of the rows with their most frequent values, to keep or exclude. */
import { Failure } from '../api/api.js'
import type { FieldRow } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { valueText } from './filters.js'
import type { SourceView } from './sources.js'

/** Callbacks of the list of fields. */
export interface FieldEvents {
  onKeep(field: string, value: unknown): void
  onExclude(field: string, value: unknown): void
  /** Loads the fields again. */
  onRetry(): void
  /** Returns a field with more values, over the whole range. Throws a Failure. */
  moreOf(field: string): Promise<FieldRow | undefined>
}

/** The list of fields in the sidebar. */
export interface Fields {
  /** Shows fields. `rows` must not be empty. */
  show(rows: readonly FieldRow[], source: SourceView): void
  /** Shows a text instead of fields. */
  showText(text: string): void
  /** Says that fields are loading, and dims the previous fields until others are shown, or these again. */
  loading(): void
  /** Shows the previous fields again: loading failed. */
  keep(): void
  /** Says that the counts lack the rows that have arrived since. */
  outdated(): void
  failed(failure: Failure): void
}

type Size = Pick<FieldRow, 'rows' | 'is_sample'>

interface Parts {
  readonly list: HTMLElement
  readonly note: HTMLElement
  readonly find: HTMLInputElement
  readonly events: FieldEvents
  source: SourceView | undefined
  /** How many rows the counts are of, or undefined for no fields. */
  size: Size | undefined
  /** Whether rows have arrived since. */
  isOutdated: boolean
  /** Names of the fields whose counts are of the whole range, with the number of rows. */
  readonly whole: Map<string, number>
  /** Whether the user opened or closed a field, by name. */
  readonly choices: Map<string, boolean>
}

/** Creates the fields in the page's elements. */
export function createFields(events: FieldEvents): Fields {
  const find = byId<HTMLInputElement>('find-field')
  const parts: Parts = {
    list: byId('field-list'),
    note: byId('field-note'),
    find,
    events,
    source: undefined,
    size: undefined,
    isOutdated: false,
    whole: new Map(),
    choices: new Map(),
  }
  find.addEventListener('input', () => applyFind(parts))
  return {
    show(rows, source) {
      if (source !== parts.source) parts.choices.clear()
      parts.source = source
      showRows(parts, rows)
    },
    showText: (text) => showText(parts, text),
    loading() {
      parts.list.setAttribute('aria-busy', 'true')
      parts.note.textContent = 'Loading …'
    },
    keep() {
      parts.list.setAttribute('aria-busy', 'false')
      parts.note.textContent = sizeText(parts.size, parts.isOutdated, parts.whole)
      applyFind(parts)
    },
    outdated() {
      parts.isOutdated = true
      if (parts.list.getAttribute('aria-busy') !== 'true') applyFind(parts)
    },
    failed(failure) {
      showText(parts, '')
      const again = element('button', { type: 'button', class: 'small' }, 'Try again')
      again.addEventListener('click', events.onRetry)
      parts.list.replaceChildren(element('p', { class: 'error', role: 'alert' }, failure.message), again)
    },
  }
}

function showText(parts: Parts, text: string): void {
  parts.list.setAttribute('aria-busy', 'false')
  parts.list.replaceChildren()
  parts.whole.clear()
  parts.size = undefined
  parts.note.textContent = text
}

function showRows(parts: Parts, rows: readonly FieldRow[]): void {
  const { list } = parts
  const focused = keyOfFocus(list)
  parts.whole.clear()
  list.replaceChildren(...rows.map((row) => itemOf(parts, row)))
  list.setAttribute('aria-busy', 'false')
  parts.size = rows[0]
  parts.isOutdated = false
  applyFind(parts)
  if (focused !== undefined) list.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus()
}

const keyOfFocus = (list: HTMLElement) =>
  list.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : undefined

/**
 * Returns the text about the rows that counts are of, or empty without fields. `whole`: the fields whose counts are of
 * the whole range, with the number of rows.
 */
export function sizeText(
  size: Size | undefined,
  isOutdated: boolean,
  whole: ReadonlyMap<string, number> = new Map(),
): string {
  if (size === undefined) return ''
  const rows = `${count(size.rows)} rows`
  const of = isOutdated ? `the ${rows} before Live` : size.is_sample ? `the newest ${rows}` : `all ${rows}`
  const others = [...whole].filter(([, all]) => all !== size.rows)
  if (others.length === 0) return `Counts are of ${of}.`
  const names = others.map(([field, all]) => `${field} of all ${count(all)}`)
  return `Counts are of ${of}; ${names.join(', ')}.`
}

/** Shows how many of the rows have a field. */
function shareOf({ count: having, rows }: FieldRow): HTMLElement {
  const share = having < rows ? `${Math.max(1, Math.round((100 * having) / rows))} %` : ''
  return element('span', { class: 'share', title: `${count(having)} of ${count(rows)} rows have it` }, share)
}

function itemOf(parts: Parts, row: FieldRow): HTMLElement {
  const { field } = row
  const summary = element('summary', { 'data-key': field }, element('span', { class: 'name' }, field), shareOf(row))
  const values = element('div', { class: 'values-of' })
  const item = element('details', { class: 'field-item', 'data-field': field }, summary, values)
  const fill = () => {
    if (item.open && values.childElementCount === 0) showValues(parts, values, row, false)
  }
  item.open = parts.choices.get(field) ?? parts.source!.opened.includes(field)
  fill()
  summary.addEventListener('click', () => parts.choices.set(field, !item.open))
  item.addEventListener('toggle', fill)
  return item
}

/** Shows the values of a field. `isWhole`: the values are of the whole range. */
function showValues(parts: Parts, place: HTMLElement, row: FieldRow, isWhole: boolean): void {
  const highest = Math.max(1, ...row.values.map((value) => value.count))
  const items = row.values.map((value) => valueItem(parts.events, row.field, value, highest))
  const list = element('ul', {}, ...items)
  const more = element('button', { type: 'button', class: 'link', 'data-key': `${row.field} more` }, moreText(row))
  more.addEventListener('click', () => void showMore(parts, place, row, more))
  place.replaceChildren(list, ...(isWhole ? [wholeNote(row)] : hasMore(row) ? [more] : []))
}

const hasMore = ({ distinct, values, is_sample }: FieldRow) => is_sample || distinct > values.length
const moreText = ({ distinct, values }: FieldRow) =>
  distinct > values.length ? `All ${count(distinct)} values, whole range` : 'Count over the whole range'

function wholeNote({ distinct, values }: FieldRow): HTMLElement {
  const text =
    distinct > values.length ? `The ${count(values.length)} most frequent of ${count(distinct)}.` : 'All values.'
  return element('p', { class: 'fine' }, `Whole range. ${text}`)
}

async function showMore(parts: Parts, place: HTMLElement, row: FieldRow, button: HTMLButtonElement): Promise<void> {
  button.disabled = true
  try {
    const more = await parts.events.moreOf(row.field)
    if (more === undefined || !place.isConnected) return
    showValues(parts, place, more, true)
    parts.whole.set(row.field, more.rows)
    place.closest('details')!.querySelector('.share')!.replaceWith(shareOf(more))
    applyFind(parts)
    place.querySelector<HTMLElement>('button')?.focus()
  } catch (error) {
    // The rows are loading again, and so are their fields.
    if (!(error instanceof Failure)) return
    button.disabled = false
    button.nextElementSibling?.remove()
    const isTooMany = error.code === 'too_many_groups'
    if (isTooMany) button.replaceWith(element('p', { class: 'fine', role: 'alert' }, tooMany(row)))
    else button.after(element('p', { class: 'error', role: 'alert' }, error.message))
  }
}

const tooMany = ({ rows }: FieldRow) =>
  'The whole range has more than 100,000 different values, too many to count. ' +
  `These are of the newest ${count(rows)} rows. A shorter range or a filter has fewer.`

function valueItem(
  { onKeep, onExclude }: FieldEvents,
  field: string,
  { value, count: rows }: FieldRow['values'][number],
  highest: number,
): HTMLElement {
  const text = valueText(value)
  const bar = element('i', { class: 'bar-of', 'aria-hidden': 'true' })
  bar.style.width = `${(100 * rows) / highest}%`
  const name = `${field} ${text}`
  const keep = element(
    'button',
    { type: 'button', class: 'keep', title: `Keep ${name}`, 'data-key': `keep ${name}` },
    bar,
    element('span', { class: 'value' }, text),
    element('span', { class: 'number' }, count(rows)),
  )
  const drop = element(
    'button',
    {
      type: 'button',
      class: 'drop',
      title: `Exclude ${name}`,
      'aria-label': `Exclude ${name}`,
      'data-key': `drop ${name}`,
    },
    '−',
  )
  keep.addEventListener('click', () => onKeep(field, value))
  drop.addEventListener('click', () => onExclude(field, value))
  return element('li', {}, keep, drop)
}

/** Hides the fields that do not have the entered text in their names. */
function applyFind({ list, note, find, size, isOutdated, whole }: Parts): void {
  const wanted = find.value.trim().toLowerCase()
  const items = [...list.querySelectorAll<HTMLElement>('.field-item')]
  for (const item of items) item.hidden = !item.dataset.field!.toLowerCase().includes(wanted)
  if (items.length === 0) return
  note.textContent = items.every(({ hidden }) => hidden)
    ? `No field has “${wanted}” in its name.`
    : sizeText(size, isOutdated, whole)
}
