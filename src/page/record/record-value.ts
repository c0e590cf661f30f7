/** Values of a record: their kinds, their texts, and the conditions that keep or exclude rows by value. */

const { isRawJSON = () => false } = JSON as { isRawJSON?: (value: unknown) => boolean }

/** A condition on a field, as in filters of the API. */
export interface Condition {
  op: '=' | '!=' | 'exists' | 'missing'
  value?: string | number | boolean
}

/** A longer text cannot be the value of a filter. */
const MAX_FILTER_TEXT = 1_000

/** Kind of a value. `branch`: an object or a list, which has members. */
export type Kind = 'text' | 'number' | 'boolean' | 'null' | 'branch'

/** Returns the kind of a value of an answer. A number that a double cannot represent is raw JSON. */
export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || isRawJSON(value) ? 'number' : 'branch'
}

/** Returns the text of a value: a text unchanged, everything else as JSON, with every number as sent. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'null')

/** Returns the keys and values of an object, or the positions and elements of a list. */
export const membersOf = (branch: unknown): [string | number, unknown][] =>
  Array.isArray(branch) ? branch.map((value, i) => [i, value]) : Object.entries(branch as object)

/** Returns the size of an object or a list in words: `3 fields`, `1 element`. */
export function sizeOf(branch: unknown): string {
  const size = membersOf(branch).length
  return `${size.toLocaleString('en')} ${Array.isArray(branch) ? 'element' : 'field'}${size === 1 ? '' : 's'}`
}

/** Returns the condition that rows with this value meet, or undefined if filters have no condition for the value. */
export function keepCondition(value: unknown): Condition | undefined {
  const kind = kindOf(value)
  if (kind === 'null') return { op: 'missing' }
  if (kind === 'branch' || (typeof value === 'string' && value.length > MAX_FILTER_TEXT)) return undefined
  return { op: '=', value: operandOf(value) }
}

/**
 * Returns the condition that rows with this value do not meet, or undefined if filters have no condition for the value.
 */
export function excludeCondition(value: unknown): Condition | undefined {
  const keep = keepCondition(value)
  if (keep === undefined) return undefined
  return keep.op === 'missing' ? { op: 'exists' } : { op: '!=', value: keep.value }
}

/** A number that a double cannot represent becomes a text with all digits, which filters compare as the number. */
const operandOf = (value: unknown): string | number | boolean =>
  isRawJSON(value) ? textOf(value) : (value as string | number | boolean)
