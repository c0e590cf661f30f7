/** Fields of a record: the path from the metadata to a value, and the name of the field in filters. */

/** A step of a path: the key of a member, or the position in a list. */
export type Step = string | number

/** The name of a field in a filter: a path with dots, or a list of keys if any key has a dot. */
export type FieldName = string | readonly string[]

/** Names that mean a column of the row, not a field of the metadata. */
const COLUMNS = new Set(['id', 'timestamp', 'event_message', 'project', 'metadata'])

/**
 * Returns the name of the field at a path of the metadata, or undefined if the field has no name: filters see only the
 * first element of a list, and only if the element is an object.
 */
export function fieldName(steps: readonly Step[]): FieldName | undefined {
  if (typeof steps.at(-1) !== 'string' || steps.some((step) => typeof step === 'number' && step > 0)) return undefined
  const keys = steps.filter((step) => typeof step === 'string')
  const path = COLUMNS.has(keys[0]) ? ['metadata', ...keys] : keys
  return path.some((key) => key === '' || key.includes('.')) ? path : path.join('.')
}

/** Returns a path for users: `request.headers.0.name`. */
export const pathText = (steps: readonly Step[]): string => steps.join('.')

/**
 * Returns the value at a path of the metadata, which passes through the first elements of lists, or undefined for no
 * value.
 */
export function valueAt(metadata: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    const inner = Array.isArray(value) ? value[0] : value
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }, metadata)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
