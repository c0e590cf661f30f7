import type { Dictionary } from '../../execute/columns/dictionary.js'
import type { Texts } from '../../execute/open-batch/texts.js'

/**
 * The distinct texts of a column's rows, in order of first appearance, and a code for each row. The memory may belong
 * to the function that made the result. The function overwrites the memory at the next call.
 */
export interface InternedTexts {
  codes: Uint32Array
  dictionary: Dictionary
}

/** Finds the distinct texts of a column's rows, taken in the order of `order`. */
export type InternTexts = (texts: Texts, order: Uint32Array) => InternedTexts
