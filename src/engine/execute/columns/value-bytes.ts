import { RawJson, type Scalar } from '../../../plan/values/values.js'

/** Object and pointer of a value, about. */
const VALUE_BYTES = 32

/** Returns the bytes of memory that a value takes, about: two for each character. */
export function bytesOfValue(value: Scalar | undefined): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length
  if (value instanceof RawJson) return VALUE_BYTES + 2 * value.text.length
  if (Array.isArray(value)) return value.reduce((sum: number, one: Scalar) => sum + bytesOfValue(one), VALUE_BYTES)
  return VALUE_BYTES
}

/** Returns the bytes of the elements of an array that grew by single elements, about: V8 leaves some room. */
export const bytesOfArray = (length: number): number => (length === 0 ? 0 : 152 + 8 * length)
