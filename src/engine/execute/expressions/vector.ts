import type { Cell } from '../../../plan/functions/function.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { AreasColumn, Column, TextColumn, TimeColumn } from '../columns/batch.js'
import type { KeyBytes } from '../columns/key-bytes.js'
import type { NumberColumn } from '../columns/numbers.js'

/**
 * Values that follow from a code alone, the entry of a dictionary or a small integer: each code is evaluated once,
 * however many rows have the code.
 */
export interface Entries {
  /** The code of each row of the batch. All expressions over a column share the array. */
  codes: TextColumn['codes']
  /** The value of a code. Throws the error of the evaluation, each time. */
  valueOf(code: number): Scalar
  /** The bytes of the value of a code, if all values are texts. Undefined for absent codes. */
  bytesOf?(code: number): Buffer | undefined
  /** Adds the value of a code to the keys of a group, if that is quicker than by the value. */
  addKey?(code: number, keys: KeyBytes): void
}

/** Timestamps cut down to the start of a bucket. All buckets have the same length. */
export interface Bucket {
  lengthUs: number
  /** The start of the bucket that a moment is in. */
  startOf(us: number): number
  /** The value of the bucket that starts at a moment. */
  valueOf(bucketUs: number): Scalar
}

/** The values of an expression in the rows of a frame. */
export interface Vector {
  /** The value at a position. Throws if the evaluation of that row fails. */
  at: Cell
  /** The function and the arguments, if the vector is a call. */
  call?: { fn: FunctionName; args: readonly Vector[] }
  /** The approximate bytes of the longest value, if known. */
  longest?(): number
  /** Set if the value is the same in every row. */
  isConstant?: true
  entries?: Entries
  /** The stored column of the vector, for operators with a faster way over a stored column. */
  stored?: Column | { kind: 'times'; times: TimeColumn }
  /** The areas of a column of areas, a bit each. */
  areasAt?(position: number): number
  /** Set if the vector is a condition that can be counted over a whole stretch of rows at once. */
  counted?:
    | { test: 'area'; column: AreasColumn; bit: number }
    | { test: 'atLeast'; column: NumberColumn; least: number }
  /** Set if the vector is the start of the bucket of the stored timestamp. */
  bucket?: Bucket
  /** Whether values can be read only after the frame has loaded the rows (`Frame.load`). */
  isCold: boolean
}

/** Remembers the last result: a value is often read several times in a row, for example to compare and to return. */
export function remembered<T>(make: (position: number) => T): (position: number) => T {
  let last = -1
  let value: T
  return (position) => {
    if (position !== last) value = make(position)
    last = position
    return value
  }
}

/** Returns the vector of a value that is the same in every row. */
export const constant = (value: Scalar): Vector => ({ at: () => value, isConstant: true, isCold: false })
