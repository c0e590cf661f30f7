/** The keys that lead to a field in the metadata. */
export type Keys = readonly string[]

/** A value to read from the metadata: the value at a path, or the number of rows that an unnest makes of that value. */
export interface FieldPath {
  keys: Keys
  /** The number is 1, `other`, or null for none. */
  isCount: boolean
}
