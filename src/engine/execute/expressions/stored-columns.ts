import { Timestamp } from '../../../plan/values/values.js'
import { type AreasColumn, type Column, type HotRows, hotColumnOf, type TextColumn, timeAt } from '../columns/batch.js'
import { ABSENT, entryOf } from '../columns/dictionary.js'
import type { KeyBytes } from '../columns/key-bytes.js'
import { EXCEPTION, type NumberColumn, numberAt } from '../columns/numbers.js'
import { rowAt, type Selection } from '../columns/selection.js'
import type { Areas, Coded, Entries, Numbers, Times, Vector } from './vector.js'

/** Returns the vector of a hot column of stored rows. Undefined if the batch has no such column. */
export function hotVector({ batch, selection }: HotRows, name: string, hasEmptyTexts: boolean): Vector | undefined {
  if (name === 'timestamp') return timeVector(batch.times, selection)
  const column = hotColumnOf(batch, name)
  return column && columnVector(column, selection, hasEmptyTexts)
}

/** Returns the vector of a stored column. Without `hasEmptyTexts`, an empty text is an absent text. */
export function columnVector(column: Column, selection: Selection, hasEmptyTexts: boolean): Vector {
  switch (column.kind) {
    case 'text':
      return textVector(column, selection, hasEmptyTexts)
    case 'number':
      return numberVector(column, selection)
    case 'areas':
      return areasVector(column, selection)
  }
}

function timeVector(times: Times['times'], selection: Selection): Times {
  return { kind: 'times', at: (position) => new Timestamp(timeAt(times, rowAt(selection, position))), times }
}

function numberVector(column: NumberColumn, selection: Selection): Numbers {
  const at = (position: number) => orNull(numberAt(column, rowAt(selection, position)))
  return { kind: 'numbers', at, column, coded: smallIntegers(column) }
}

const orNull = (number: number) => (Number.isNaN(number) ? null : number)

/** Which areas a path holds is stored, the path itself is not. */
function areasVector(column: AreasColumn, selection: Selection): Areas {
  return {
    kind: 'areas',
    at: () => null,
    areasAt: (position) => column.flags[rowAt(selection, position)],
    column,
  }
}

function textVector(column: TextColumn, selection: Selection, hasEmptyTexts: boolean): Entries {
  const { codes, dictionary } = column
  const { bytes, offsets, count } = dictionary
  const isAbsent = (code: number) => code === ABSENT || (!hasEmptyTexts && offsets[code + 1] - 1 === offsets[code])
  const bytesOf = (code: number) => (isAbsent(code) ? undefined : entryOf(dictionary, code))
  const valueOfCode = (code: number) => bytesOf(code)?.toString() ?? null
  const addKey = (code: number, keys: KeyBytes) => {
    if (isAbsent(code)) keys.add(null)
    else keys.addPart(bytes, offsets[code], offsets[code + 1] - 1)
  }
  return {
    kind: 'entries',
    at: (position) => valueOfCode(codes[rowAt(selection, position)]),
    codes,
    codeCount: count,
    valueOf: valueOfCode,
    bytesOf,
    addKey,
    stored: { column, hasEmptyTexts },
    call: undefined,
    longest: () => longestEntry(offsets),
  }
}

const longestEntries = new WeakMap<object, number>()

/** The bytes of the longest entry of a dictionary. Computed once, since columns are read many times. */
function longestEntry(offsets: ArrayLike<number> & object): number {
  const known = longestEntries.get(offsets)
  if (known !== undefined) return known
  let longest = 0
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1])
  longestEntries.set(offsets, longest)
  return longest
}

/** Whether all values of a column are small integers or absent: looked at once, since columns are read many times. */
const areSmall = new WeakMap<NumberColumn, boolean>()

/** Small or absent integers as codes. The code of an absent integer is {@link EXCEPTION}. */
function smallIntegers(column: NumberColumn): Coded | undefined {
  const isSmall = areSmall.get(column) ?? ('exceptions' in column && column.exceptions.values.every(Number.isNaN))
  areSmall.set(column, isSmall)
  if (!isSmall || !('exceptions' in column)) return undefined
  return {
    codes: column.values,
    codeCount: EXCEPTION + 1,
    valueOf: (code) => (code === EXCEPTION ? null : code),
    bytesOf: undefined,
    addKey: undefined,
  }
}
