/** Conditions on fields: their texts for users, and their changes if a value is kept or excluded. */
import type { FilterOperator } from '../../../common/filter-operators.js'
import type { Filter, FilterEntry } from '../../api/explore.js'

const SIGNS: Readonly<Record<FilterOperator, string>> = {
  '=': '=',
  '!=': '≠',
  '<': '<',
  '<=': '≤',
  '>': '>',
  '>=': '≥',
  in: 'in',
  not_in: 'not in',
  exists: 'exists',
  missing: 'is missing',
  contains: 'contains',
  matches: 'matches',
}

/** Returns a value as a text. Numbers keep their digits. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  return JSON.stringify(value) ?? ''
}

/** Returns the name of a field as a text, with dots. */
const fieldText = (field: Filter['field']): string => (typeof field === 'string' ? field : field.join('.'))

/** Returns the conditions of an entry: the alternatives, or the single condition. */
export const conditionsIn = (entry: FilterEntry): readonly Filter[] => (isAlternatives(entry) ? entry : [entry])

const isAlternatives = (entry: FilterEntry): entry is readonly Filter[] => Array.isArray(entry)

/** Returns an entry as a text: `request.method = GET`, `status in (400, 401) or level = error`. */
export const filterText = (entry: FilterEntry): string => conditionsIn(entry).map(conditionText).join(' or ')

function conditionText({ field: name, op, value }: Filter): string {
  const field = fieldText(name)
  if (op === 'exists' || op === 'missing') return `${field} ${SIGNS[op]}`
  if (Array.isArray(value)) return `${field} ${SIGNS[op]} (${value.map(valueText).join(', ')})`
  if (op === 'matches') return `${field} matches /${valueText(value)}/`
  if (op === 'contains') return `${field} contains “${valueText(value)}”`
  return `${field} ${SIGNS[op]} ${value === null ? 'null' : valueText(value)}`
}

/** Returns whether an entry keeps only rows without some values. */
export const isExclusion = (entry: FilterEntry): boolean =>
  conditionsIn(entry).every(({ op }) => op === '!=' || op === 'not_in')

/** Returns whether two entries have the same conditions. */
const isSame = (a: FilterEntry, b: FilterEntry): boolean => keyOf(a) === keyOf(b)

const keyOf = (entry: FilterEntry) =>
  JSON.stringify(conditionsIn(entry).map(({ field, op, value }) => [field, op, value ?? null]))

/** Returns filters with `added`, or unchanged if they have it. */
export const withFilter = (filters: readonly FilterEntry[], added: FilterEntry): readonly FilterEntry[] =>
  filters.some((filter) => isSame(filter, added)) ? filters : [...filters, added]

/** Returns filters without `removed`. */
export const withoutFilter = (filters: readonly FilterEntry[], removed: FilterEntry): readonly FilterEntry[] =>
  filters.filter((filter) => !isSame(filter, removed))

/**
 * Returns filters after the user chose to keep a value of a field. A field that already keeps other values keeps the
 * other values too, and a filter that excludes this value is removed.
 */
export function keepValue(
  filters: readonly FilterEntry[],
  field: Filter['field'],
  value: unknown,
): readonly FilterEntry[] {
  const others = withoutFilter(filters, { field, op: '!=', value })
  const isExtended = (entry: FilterEntry) =>
    !isAlternatives(entry) && fieldText(entry.field) === fieldText(field) && ['=', 'in'].includes(entry.op)
  const at = others.findIndex(isExtended)
  const kept = others[at] as Filter | undefined
  if (kept === undefined) return [...others, { field, op: '=', value }]
  const values = kept.op === 'in' ? (kept.value as readonly unknown[]) : [kept.value]
  if (values.some((one) => valueText(one) === valueText(value))) return others
  return others.with(at, { field, op: 'in', value: [...values, value] })
}

/** Returns filters after the user chose to exclude a value of a field. */
export function excludeValue(
  filters: readonly FilterEntry[],
  field: Filter['field'],
  value: unknown,
): readonly FilterEntry[] {
  return withFilter(withoutFilter(filters, { field, op: '=', value }), { field, op: '!=', value })
}
