/** The keys that lead to a field in the metadata. */
export type Keys = readonly string[]

/**
 * A value to read from the metadata: the one at a path, or the number of rows that an unnest makes of it (1, 'other', or
 * null).
 */
export interface FieldPath {
  keys: Keys
  isCount: boolean
}
