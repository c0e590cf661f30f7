import type { Cell } from '../../../plan/functions/function.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { AreasColumn, TextColumn, TimeColumn } from '../columns/batch.js'
import type { KeyBytes } from '../columns/key-bytes.js'
import type { NumberColumn } from '../columns/numbers.js'

/**
 * The values of an expression in the rows of a frame. The kinds are a closed set: operators that have a faster way for
 * some kinds switch over all kinds. Every kind can be read row by row: `at` returns the value at a position, and throws
 * if the evaluation of the row fails.
 */
export type Vector = Constant | Entries | Numbers | Times | Spans | Areas | Bits | Computed

/** The same value in every row. */
export interface Constant {
  kind: 'constant'
  at: Cell
}

/** Values that follow from a code alone: each code is evaluated once, however many rows have the code. */
export interface Coded {
  /** The code of each row of the batch. All expressions over a column share the array. */
  codes: TextColumn['codes']
  /** All codes are below. */
  codeCount: number
  /** The value of a code. Throws the error of the evaluation, each time. */
  valueOf(code: number): Scalar
  /** The bytes of the value of a code, if all values are texts. Returns undefined for absent codes. */
  bytesOf: ((code: number) => Buffer | undefined) | undefined
  /** Adds the value of a code to the keys of a group, if that is quicker than by the value. */
  addKey: ((code: number, keys: KeyBytes) => void) | undefined
}

/** Values of the entries of a dictionary, or of an expression over entries or over small integers. */
export interface Entries extends Coded {
  kind: 'entries'
  at: Cell
  /** The stored column that has the entries. Undefined if the values are computed of entries. */
  stored: StoredTexts | undefined
  /** The call that computes the values. */
  call: Call | undefined
  /** The approximate bytes of the longest value. Undefined if unknown. */
  longest: (() => number) | undefined
}

/** A stored column of texts. Without `hasEmptyTexts`, an empty text is an absent text. */
export interface StoredTexts {
  column: TextColumn
  hasEmptyTexts: boolean
}

/** A stored column of numbers. */
export interface Numbers {
  kind: 'numbers'
  at: Cell
  column: NumberColumn
  /** The numbers as codes, if all are small integers or absent. */
  coded: Coded | undefined
}

/** The stored timestamps. */
export interface Times {
  kind: 'times'
  at: Cell
  times: TimeColumn
}

/** The stored timestamps, cut down to the start of a bucket: adjacent rows have the same value. */
export interface Spans {
  kind: 'spans'
  at: Cell
  bucket: Bucket
}

/** Buckets of time, one after the other without gaps. */
export interface Bucket {
  /** The start of the bucket that a moment is in. */
  startOf(us: number): number
  /** The end, excluded, of the bucket that starts at a moment. */
  endOf(bucketUs: number): number
  /** The value of the bucket that starts at a moment. */
  valueOf(bucketUs: number): Scalar
}

/** Bit sets of the areas that a path is in. The path itself is not stored, so `at` returns null. */
export interface Areas {
  kind: 'areas'
  at: Cell
  areasAt(position: number): number
  /** Undefined if the rows are not those of a stored batch. */
  column: AreasColumn | undefined
}

/** A condition over a stored column, which is counted over many rows at once. */
export interface Bits {
  kind: 'bits'
  at: Cell
  test: { kind: 'area'; column: AreasColumn; bit: number } | { kind: 'atLeast'; column: NumberColumn; least: number }
}

/** Values that are evaluated row by row. */
export interface Computed {
  kind: 'computed'
  at: Cell
  call: Call | undefined
  /** The approximate bytes of the longest value. Undefined if unknown. */
  longest: (() => number) | undefined
  /** Whether values can be read only after the frame has loaded the rows (`Frame.load`). */
  isCold: boolean
}

/** A function and its arguments. */
interface Call {
  fn: FunctionName
  args: readonly Vector[]
}

/** Whether values can be read only after the frame has loaded the rows. */
export const isCold = (vector: Vector): boolean => vector.kind === 'computed' && vector.isCold

/** Returns the codes of the rows, if the values follow from codes. */
export function codedOf(vector: Vector): Coded | undefined {
  switch (vector.kind) {
    case 'entries':
      return vector
    case 'numbers':
      return vector.coded
    case 'constant':
    case 'times':
    case 'spans':
    case 'areas':
    case 'bits':
    case 'computed':
      return undefined
  }
}

/** Returns the vector of a value that is the same in every row. */
export const constant = (value: Scalar): Constant => ({ kind: 'constant', at: () => value })

/** Returns the vector of values in memory or computed elsewhere. */
export function computed(at: Cell, longest?: () => number): Computed {
  return { kind: 'computed', at, call: undefined, longest, isCold: false }
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
