/** The keys that lead to a field in the metadata. */
export type Keys = readonly string[]

/** What is read of the metadata: the value at a path, or how many rows an unnest makes of it (1, 'other', or null). */
export interface FieldPath {
  keys: Keys
  isCount: boolean
}
