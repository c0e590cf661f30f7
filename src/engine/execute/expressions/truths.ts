import { truthOf } from '../../../plan/functions/logic.js'
import { rowAt, type Selection } from '../columns/selection.js'
import type { Entries, Vector } from './vector.js'

/** The truth of a condition over a code, as far as known. */
const UNKNOWN = 0
/** The condition is true. */
export const TRUE = 1
const NOT_TRUE = 2

/** The truth of conditions by code, as far as known. */
const truths = new WeakMap<Entries, Uint8Array>()

/**
 * Returns the truth by code, in the memory of `hits`: 1 for each code for which a condition is true. `failed` are codes
 * that raise an error.
 */
export function truthsOfHits(hits: Uint8Array, failed: Iterable<number>): Uint8Array {
  for (let code = 0; code < hits.length; code++) if (hits[code] !== TRUE) hits[code] = NOT_TRUE
  for (const code of failed) hits[code] = UNKNOWN
  return hits
}

/** Sets the truth of a condition over all codes. */
export const setTruths = (condition: Entries, known: Uint8Array): void => void truths.set(condition, known)

/** Whether the truth of a condition was set for all codes, so that no row evaluates the condition. */
export const hasTruths = (condition: Entries): boolean => truths.has(condition)

/** Returns whether a condition is true at a position of a selection. */
export function truthAt(condition: Vector, selection: Selection | undefined): (position: number) => boolean {
  const { at } = condition
  if (condition.kind !== 'entries' || selection === undefined) return (position) => truthOf(at(position)) === true
  const { codes } = condition
  const known = knownOf(condition)
  return (position) => isTrue(condition, known, codes[rowAt(selection, position)])
}

/**
 * Counts the rows of a selection, at the positions [from, to), for which a condition is true. Evaluates the condition
 * once for each code. Throws the error of the evaluation.
 */
export function countTrueCodes(condition: Entries, selection: Selection, from: number, to: number): number {
  const known = knownOf(condition)
  const { codes } = condition
  let count = 0
  if (selection.kind === 'range') {
    for (let row = selection.start + from; row < selection.start + to; row++) {
      if (isTrue(condition, known, codes[row])) count++
    }
  } else {
    for (let i = from; i < to; i++) if (isTrue(condition, known, codes[selection.indices[i]])) count++
  }
  return count
}

function knownOf(condition: Entries): Uint8Array {
  const known = truths.get(condition) ?? new Uint8Array(condition.codeCount)
  truths.set(condition, known)
  return known
}

function isTrue(condition: Entries, known: Uint8Array, code: number): boolean {
  const truth = known[code]
  if (truth !== UNKNOWN) return truth === TRUE
  const found = truthOf(condition.valueOf(code)) === true
  known[code] = found ? TRUE : NOT_TRUE
  return found
}
