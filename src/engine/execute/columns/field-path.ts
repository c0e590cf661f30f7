import type { Codes, Dictionary } from './dictionary.js'

/** The keys that lead to a field in the metadata. */
export type Keys = readonly string[]

/** Paths, each as the JSON of its keys. */
export type PathSet = ReadonlySet<string>

/** A value to read from the metadata: the value at a path, or the number of rows that an unnest makes of that value. */
export interface FieldPath {
  keys: Keys
  /** The number is 1, `other`, or null for none. */
  isCount: boolean
}

/**
 * The values of a path in rows: a code for each row, 0 without a value. The entry of a text is a quote and the bytes of
 * the text. The entry of another value is its JSON, which does not start with a quote.
 */
export interface PathValues {
  codes: Codes
  entries: Dictionary
}

/** The values of a path in all rows of a batch, with the codes of a `FieldColumn`. */
export interface StoredField {
  codes: Codes
  dictionary: Dictionary
  hasOnlyTexts: boolean
}

/** Reads the stored columns of some paths: an item for each path, undefined if the path has no column. */
export type ReadStoredFields = (paths: readonly FieldPath[]) => Promise<readonly (StoredField | undefined)[]>
