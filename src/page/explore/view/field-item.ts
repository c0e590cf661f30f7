/** A field of the rows: its share, and its values with bars, to keep or exclude. */
import type { Failure } from '../../api/api.js'
import type { FieldRow } from '../../api/explore.js'
import { buttonOf, element } from '../../shared/dom.js'
import { count } from '../../shared/format.js'
import { valueText } from '../model/filters.js'
import type { Send } from '../model/message.js'
import type { WholeField } from '../model/model.js'

/** Creates the element of a field. `onToggle` is called when the user opens or closes the field. */
export function fieldItem(
  row: FieldRow,
  isOpen: boolean,
  onToggle: (field: string, isOpened: boolean) => void,
  send: Send,
): HTMLElement {
  const { field } = row
  const summary = element('summary', { 'data-key': field }, element('span', { class: 'name' }, field), shareOf(row))
  const values = element('div', { class: 'values-of' })
  const item = element('details', { class: 'field-item', 'data-field': field }, summary, values)
  const fill = () => {
    if (item.open && values.childElementCount === 0) showValues(values, row, false, send)
  }
  item.open = isOpen
  fill()
  summary.addEventListener('click', () => onToggle(field, !item.open))
  item.addEventListener('toggle', fill)
  return item
}

/** Shows the values of a field over the whole range, or that they are loading, or why there are none. */
export function showWhole(list: HTMLElement, row: FieldRow, whole: WholeField, send: Send): void {
  const item = list.querySelector<HTMLElement>(`[data-field="${CSS.escape(row.field)}"]`)!
  const place = item.querySelector<HTMLElement>('.values-of')!
  const more = place.querySelector<HTMLButtonElement>('.link')
  if (whole.row !== undefined) {
    showValues(place, whole.row, true, send)
    item.querySelector('.share')!.replaceWith(shareOf(whole.row))
    place.querySelector<HTMLElement>('button')?.focus()
  } else if (more !== null) {
    more.disabled = whole.failure === undefined
    if (whole.failure !== undefined) showFailure(more, row, whole.failure)
  }
}

function showFailure(more: HTMLButtonElement, row: FieldRow, { code, message }: Failure): void {
  more.nextElementSibling?.remove()
  const isTooMany = code === 'too_many_groups'
  if (isTooMany) more.replaceWith(element('p', { class: 'fine', role: 'alert' }, tooMany(row)))
  else more.after(element('p', { class: 'error', role: 'alert' }, message))
}

/** Shows how many of the rows have a field. */
function shareOf({ count: having, rows }: FieldRow): HTMLElement {
  const share = having < rows ? `${Math.max(1, Math.round((100 * having) / rows))} %` : ''
  return element('span', { class: 'share', title: `${count(having)} of ${count(rows)} rows have it` }, share)
}

/** Shows the values of a field. `isWhole`: the values are of the whole range. */
function showValues(place: HTMLElement, row: FieldRow, isWhole: boolean, send: Send): void {
  const highest = Math.max(1, ...row.values.map((value) => value.count))
  const items = row.values.map((value) => valueItem(row.field, value, highest, send))
  const list = element('ul', {}, ...items)
  const wantWhole = () => send({ kind: 'wholeFieldWanted', field: row.field })
  const more = buttonOf(moreText(row), wantWhole, { class: 'link', 'data-key': `${row.field} more` })
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

const tooMany = ({ rows }: FieldRow) =>
  'The whole range has more than 100,000 different values, too many to count. ' +
  `These are of the newest ${count(rows)} rows. A shorter range or a filter has fewer.`

function valueItem(
  field: string,
  { value, count: rows }: FieldRow['values'][number],
  highest: number,
  send: Send,
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
  const title = `Exclude ${name}`
  const exclude = () => send({ kind: 'filtered', filter: { field, op: '!=', value } })
  const drop = buttonOf('−', exclude, { class: 'drop', title, 'aria-label': title, 'data-key': `drop ${name}` })
  keep.addEventListener('click', () => send({ kind: 'filtered', filter: { field, op: '=', value } }))
  return element('li', {}, keep, drop)
}
