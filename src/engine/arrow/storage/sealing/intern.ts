import type { Interner } from '../../../../base/interner.js'
import { ABSENT, clearInterner, type Dictionary } from '../../columns/dictionary.js'
import type { Texts } from '../head/texts.js'

/** Each text of rows once, in order of first appearance. It may be somebody's, who uses it again. */
export interface InternedTexts {
  codes: Uint32Array
  dictionary: Dictionary
}

/** Finds the distinct texts of a column's rows, in this order. */
export type InternTexts = (texts: Texts, order: Uint32Array) => InternedTexts

/** Finds the distinct texts of a column in `distinct`; what that held goes. */
export const internIn =
  (distinct: Interner): InternTexts =>
  (texts, order) => {
    const dictionary = clearInterner(distinct)
    return { codes: internTexts(texts, order, dictionary), dictionary }
  }

function internTexts({ bytes, places }: Texts, order: Uint32Array, sealed: Interner): Uint32Array {
  const sorted = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) {
    const start = places[2 * order[i]!]!
    const end = places[2 * order[i]! + 1]!
    sorted[i] = end < start ? ABSENT : sealed.intern(bytes, start, end)
  }
  return sorted
}
