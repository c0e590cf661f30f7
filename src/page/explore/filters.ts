/** Conditions on fields: as texts for users, and what a click on a value does to them. */
import type { Filter, Op } from '../api/explore.js'

const SIGNS: Readonly<Record<Op, string>> = {
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

/** Returns a value as a text; numbers keep their digits. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  return JSON.stringify(value) ?? ''
}

/** Returns the name of a field as a text, with dots. */
export const fieldText = (field: Filter['field']): string => (typeof field === 'string' ? field : field.join('.'))

/** Returns a filter as a text: `request.method = GET`, `status in (400, 401)`. */
export function filterText({ field: name, op, value }: Filter): string {
  const field = fieldText(name)
  if (op === 'exists' || op === 'missing') return `${field} ${SIGNS[op]}`
  if (Array.isArray(value)) return `${field} ${SIGNS[op]} (${value.map(valueText).join(', ')})`
  if (op === 'matches') return `${field} matches /${valueText(value)}/`
  if (op === 'contains') return `${field} contains “${valueText(value)}”`
  return `${field} ${SIGNS[op]} ${value === null ? 'null' : valueText(value)}`
}

/** Returns whether two filters are the same condition. */
export const isSame = (a: Filter, b: Filter): boolean => keyOf(a) === keyOf(b)

const keyOf = ({ field, op, value }: Filter) => JSON.stringify([field, op, value ?? null])

/** Returns filters with one more; unchanged if they have it. */
export const withFilter = (filters: readonly Filter[], added: Filter): readonly Filter[] =>
  filters.some((filter) => isSame(filter, added)) ? filters : [...filters, added]

/** Returns filters without one. */
export const withoutFilter = (filters: readonly Filter[], removed: Filter): readonly Filter[] =>
  filters.filter((filter) => !isSame(filter, removed))

/**
 * Returns filters after the user chose to keep a value of a field. A field that already keeps other values keeps them
 * too, and a filter that excludes this value is removed.
 */
export function keepValue(filters: readonly Filter[], field: Filter['field'], value: unknown): readonly Filter[] {
  const others = withoutFilter(filters, { field, op: '!=', value })
  const isKept = (filter: Filter) => fieldText(filter.field) === fieldText(field) && ['=', 'in'].includes(filter.op)
  const at = others.findIndex(isKept)
  const kept = others[at]
  if (kept === undefined) return [...others, { field, op: '=', value }]
  const values = kept.op === 'in' ? (kept.value as readonly unknown[]) : [kept.value]
  if (values.some((one) => valueText(one) === valueText(value))) return others
  return others.with(at, { field, op: 'in', value: [...values, value] })
}

/** Returns filters after the user chose to exclude a value of a field. */
export function excludeValue(filters: readonly Filter[], field: Filter['field'], value: unknown): readonly Filter[] {
  return withFilter(withoutFilter(filters, { field, op: '=', value }), { field, op: '!=', value })
}
