import { LogweirError } from '../../../base/errors.js'
import { SLICE_MS, type Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import { RawJson, type Scalar } from '../../../plan/values/values.js'
import type { Frame } from './frame.js'
import type { Vector } from './vector.js'

/**
 * The work of a row. Expressions are evaluated without a look at the clock, since most rows take microseconds. But a
 * query may have 10,000 expressions, and a row may have texts of a megabyte. The values of such a row are made in
 * slices first: each call remembers the value for the row, so that a paused evaluation continues at the same place.
 */

/** The most characters that the expressions may make of a row. Also the limit of constant expressions of a query. */
const MAX_ROW_CHARACTERS = 64 * MIB
/** Characters times calls of a row that are evaluated without a look at the clock: some milliseconds. */
const QUICK_CHARACTERS = 4 * MIB
/** Taken of computed values: computed values are short in most queries. */
const UNKNOWN = QUICK_CHARACTERS / 64
/** The longest value that an expression may make of short values. */
const LONGEST = MIB

const LIST_ELEMENT = 16

/** Functions that may return a text much longer than their arguments. */
const AMPLIFYING: ReadonlySet<FunctionName> = new Set(['concat', 'replace', 'regexp_replace', 'json_object'] as const)

/** Thrown by an evaluation at the end of the slice. */
class Pause extends Error {}
const PAUSE = new Pause('The evaluation of a row goes on in the next slice.')

/** Whether an error is only the end of a slice: such an error must not be kept in place of a value. */
export const isPause = (error: unknown): boolean => error === PAUSE

/** The row that is evaluated in slices. Undefined at other times. */
let current: { endMs: number; characters: number } | undefined

/** Called before a call is evaluated. Throws at the end of a slice. */
export function pauseIfDue(): void {
  if (current !== undefined && performance.now() > current.endMs) throw PAUSE
}

/** Called with each value that a call has made. Throws `too_much_memory` if the row's values are too long. */
export function countValue(value: Scalar): void {
  if (current === undefined) return
  current.characters += charactersOf(value)
  if (current.characters > MAX_ROW_CHARACTERS) throw tooMuchWork()
}

/** A list counts as many characters as the elements take, if the elements are parts of a text. */
function charactersOf(value: Scalar): number {
  if (Array.isArray(value)) return LIST_ELEMENT * value.length
  if (typeof value === 'string') return value.length
  return value instanceof RawJson ? value.text.length : 0
}

/** The error of a row, or of constants, with too much text. */
const tooMuchWork = (): LogweirError =>
  new LogweirError(
    'too_much_memory',
    `The query makes more than ${MAX_ROW_CHARACTERS / MIB} MiB of texts of one row. ` +
      'Use fewer functions and columns, or leave out long records: where length(event_message) < 10000.',
  )

/** Makes the values of vectors at a position in slices. The later read of a value throws the error of the value. */
export async function makeRow(vectors: readonly Vector[], position: number, yieldIfDue: Yielder): Promise<void> {
  const row = { endMs: 0, characters: 0 }
  for (const { at } of vectors) {
    while (!isMade(() => at(position), row)) await yieldIfDue()
    // Each of many values may take a little less than a slice.
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}

/** Returns whether a value was made before the end of a slice. */
function isMade(make: () => Scalar, row: NonNullable<typeof current>): boolean {
  row.endMs = performance.now() + SLICE_MS
  current = row
  try {
    countValue(make())
    return true
  } catch (error) {
    if (isPause(error)) return false
    // The row is refused: the values of the row are not made again.
    if (row.characters > MAX_ROW_CHARACTERS) throw error
    if (error instanceof LogweirError) return true
    throw error
  } finally {
    current = undefined
  }
}

/** The time that rows take, given the bytes of the longest cold text that is loaded. */
export interface RowWork {
  /** Whether the row at a position is made in slices because of a long time. */
  isSlow(position: number, longestBytes: number): boolean
  /**
   * The end of the rows from a position on, at most `end`, that are evaluated without a look at the clock. A slow row
   * is alone.
   */
  endOf(from: number, end: number, longestBytes: number): number
}

/** The approximate bytes of the longest value of a column. 0 of a cold column: the load measures the column. */
function longestOf(vector: Vector): number {
  switch (vector.kind) {
    case 'entries':
      return vector.longest?.() ?? UNKNOWN
    case 'computed':
      return vector.isCold ? 0 : (vector.longest?.() ?? UNKNOWN)
    case 'constant':
    case 'numbers':
    case 'times':
    case 'spans':
    case 'areas':
    case 'bits':
      return 0
  }
}

const callOf = (vector: Vector) => (vector.kind === 'entries' || vector.kind === 'computed' ? vector.call : undefined)

/** Returns the work of rows of vectors over a frame. The calls of the vectors are counted once. */
export function workOf(vectors: readonly Vector[], { longestAt }: Pick<Frame, 'longestAt'>): RowWork {
  const calls = new Set<Vector>()
  let longest = 0
  const visit = (vector: Vector) => {
    if (calls.has(vector) || vector.kind === 'constant') return
    calls.add(vector)
    const call = callOf(vector)
    if (call === undefined) longest = Math.max(longest, longestOf(vector))
    else {
      if (AMPLIFYING.has(call.fn)) longest = LONGEST
      for (const arg of call.args) visit(arg)
    }
  }
  for (const vector of vectors) visit(vector)
  const count = Math.max(vectors.length, calls.size)
  const isSlow = (position: number, longestBytes: number) =>
    count * Math.max(longest, longestBytes, longestAt?.(position) ?? 0) > QUICK_CHARACTERS
  return {
    isSlow,
    endOf(from, end, longestBytes) {
      if (isSlow(from, longestBytes)) return from + 1
      const last = Math.min(end, from + Math.max(1, Math.floor(QUICK_CHARACTERS / (count * longestBytes + 1))))
      if (longestAt === undefined) return last
      let characters = 0
      for (let position = from; position < last; position++) {
        characters += count * longestAt(position)
        if (characters > QUICK_CHARACTERS) return position
      }
      return last
    },
  }
}
