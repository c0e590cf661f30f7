import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import { isTime, numberOf, type Scalar } from '../../../plan/values/values.js'
import { type Batch, type ColdTexts, hotColumnOf, type TextColumn } from '../columns/batch.js'
import { ABSENT, type Dictionary, entryAt, findEntries, findEntry } from '../columns/dictionary.js'
import type { NumberColumn } from '../columns/numbers.js'
import { none, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import {
  type Bounds,
  type Hits,
  narrowByBounds,
  narrowByHits,
  narrowByMembers,
  narrowByPresence,
} from './filter-rows.js'
import { createMatcher, type Matched, matchEntries } from './match-pattern.js'
import { createTextTest } from './match-texts.js'

/** Narrows a selection at once, without an error and without a look at most rows. */
export type Narrow = (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Selection | Promise<Selection>

/** A hot column as read by a condition. */
export interface TestedColumn {
  name: string
  kind: 'text' | 'number' | 'areas' | undefined
  hasEmptyTexts: boolean
}

/** Narrows to the rows in which a function of the column and a value is true. Undefined for other functions. */
export function columnNarrowing(fn: FunctionName, column: TestedColumn, value: Scalar): Narrow | undefined {
  if (column.kind === 'number') return boundsNarrowing(fn, column.name, value)
  if (column.kind !== 'text' || typeof value !== 'string') return undefined
  if (fn === 'eq') return equalsFilter(column, [value])
  if (fn === 'contains_substr') return containsFilter(column, value)
  return fn === 'regexp_contains' ? matchesFilter(column, value) : undefined
}

/** Looking up more texts in the dictionary takes longer than evaluating the entries of the dictionary. */
const MOST_TEXTS = 16

/** Narrows to the rows with any of the values. Undefined if a value is null or a time, or if there is no faster way. */
export function memberNarrowing(column: TestedColumn, values: readonly Scalar[]): Narrow | undefined {
  if (values.some((value) => value === null || isTime(value))) return undefined
  if (column.kind === 'text') {
    const texts = values.filter((value) => typeof value === 'string')
    return texts.length === values.length && texts.length <= MOST_TEXTS ? equalsFilter(column, texts) : undefined
  }
  if (column.kind !== 'number') return undefined
  const numbers = values.map(numberOf)
  // A stored number is compared with a number of 64 bits in another way.
  if (numbers.some((number) => typeof number === 'bigint')) return undefined
  const members = new Set(numbers.filter((number) => typeof number === 'number'))
  return (batch, selection) => narrowByMembers(numbersOf(batch, column.name), selection, members)
}

const numbersOf = (batch: Batch, name: string) => hotColumnOf(batch, name) as NumberColumn

/** The numbers that a comparison with a number passes. Undefined for other functions. */
function boundsOf(fn: FunctionName, value: number): Bounds | undefined {
  switch (fn) {
    case 'eq':
      return { least: value, most: value }
    case 'ge':
      return { least: value, most: Number.POSITIVE_INFINITY }
    case 'gt':
      return { least: value, most: Number.POSITIVE_INFINITY, isOpen: true }
    case 'le':
      return { least: Number.NEGATIVE_INFINITY, most: value }
    case 'lt':
      return { least: Number.NEGATIVE_INFINITY, most: value, isOpen: true }
    default:
      return undefined
  }
}

/**
 * Numbers, and texts that spell numbers, are compared as numbers. Values of other types are not equal, and unordered.
 */
function boundsNarrowing(fn: FunctionName, name: string, value: Scalar): Narrow | undefined {
  if (value === null || isTime(value)) return undefined
  const number = numberOf(value)
  if (typeof number === 'bigint') return undefined
  const bounds = boundsOf(fn, number ?? Number.NaN)
  return bounds && ((batch, selection) => narrowByBounds(numbersOf(batch, name), selection, bounds))
}

function equalsFilter({ name, hasEmptyTexts }: TestedColumn, values: readonly string[]): Narrow {
  const found = values.filter((value) => value !== '' || hasEmptyTexts)
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const { dictionary } = column
    const hits = new Uint8Array(dictionary.count)
    let from = dictionary.count
    let to = ABSENT
    for (const value of found) {
      for (const code of findEntries(dictionary, value)) {
        from = Math.min(from, code)
        to = Math.max(to, code + 1)
        hits[code] = 1
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
    }
    return to === ABSENT ? none : narrowByHits(column, selection, { hits, from, to })
  }
}

function matchesFilter({ name, hasEmptyTexts }: TestedColumn, pattern: string): Narrow {
  const matcher = createMatcher(pattern)
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const found = await matchEntries(column.dictionary, matcher, yieldIfDue)
    if (found.failures.size > 0) throwFailures(column, selection, found.failures)
    return narrowByMatches(column, selection, found, hasEmptyTexts)
  }
}

/** Throws the error of the first selected row with a failed entry: other entries may be of other projects. */
function throwFailures({ codes }: TextColumn, selection: Selection, failures: Matched['failures']): void {
  const size = sizeOf(selection)
  for (let position = 0; position < size; position++) {
    const error = failures.get(codes[rowAt(selection, position)])
    if (error !== undefined) throw error
  }
}

/** Bytes of entries that are searched at once. */
const SEARCHED_BYTES = MIB

/**
 * Narrows to texts that contain `value`, ignoring case. Undefined if `value` has a newline: a newline ends each entry.
 */
function containsFilter({ name, hasEmptyTexts }: TestedColumn, value: string): Narrow | undefined {
  const test = value.includes('\n') ? undefined : createTextTest('contains_substr', value)
  if (test === undefined) return undefined
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const { dictionary } = column
    const { count, offsets } = dictionary
    const hits = new Uint8Array(count)
    for (let from = ABSENT + 1; from < count; await yieldIfDue()) {
      const to = entryAt(dictionary, Math.min(offsets[from] + SEARCHED_BYTES, offsets[count] - 1)) + 1
      const entries = Uint32Array.from({ length: to - from }, (_, i) => from + i)
      for (const code of await test.passing(textsOf(dictionary, from, to), entries, yieldIfDue)) hits[code] = 1
      from = to
    }
    return narrowByMatches(column, selection, { hits, from: ABSENT + 1, to: count }, hasEmptyTexts)
  }
}

/** The entries [from, to) of a dictionary as texts, each with the trailing newline. */
function textsOf({ offsets, bytes }: Dictionary, from: number, to: number): ColdTexts {
  const start = offsets[from]
  const ends = Int32Array.from(offsets.subarray(from, to + 1), (offset) => offset - start)
  return { from, to, offsets: ends, bytes: bytes.subarray(start, offsets[to]) }
}

/** Narrows to the rows with a hit. An empty text may mean an absent text. */
function narrowByMatches(column: TextColumn, selection: Selection, found: Hits, hasEmptyTexts: boolean): Selection {
  if (!hasEmptyTexts) {
    const empty = findEntry(column.dictionary, '')
    if (empty > ABSENT) found.hits[empty] = 0
  }
  return narrowToEntries(column, selection, found)
}

/** Narrows to the rows with a hit, all of which are among the entries [from, to). */
function narrowToEntries(column: TextColumn, selection: Selection, { hits, from, to }: Hits): Selection {
  const range = hits.subarray(from, to)
  const first = range.indexOf(1)
  if (first < 0) return none
  return narrowByHits(column, selection, { hits, from: from + first, to: from + range.lastIndexOf(1) + 1 })
}

/**
 * Narrows to the rows without a value in the column, or with `isPresent` to the rows with a value. Undefined for areas.
 */
export function presenceNarrowing(column: TestedColumn, isPresent: boolean): Narrow | undefined {
  const { name, kind, hasEmptyTexts } = column
  if (kind === 'number') return (batch, selection) => narrowByPresence(numbersOf(batch, name), selection, isPresent)
  if (kind !== 'text') return undefined
  return (batch, selection) => narrowTexts(hotColumnOf(batch, name) as TextColumn, selection, isPresent, hasEmptyTexts)
}

/**
 * Returns the selected rows without a text, or with `isPresent` the rows with a text. An empty text may count as
 * absent.
 */
function narrowTexts(column: TextColumn, selection: Selection, isPresent: boolean, hasEmptyTexts: boolean): Selection {
  const { dictionary } = column
  const hits = new Uint8Array(dictionary.count).fill(isPresent ? 1 : 0)
  const absent = hasEmptyTexts ? [ABSENT] : [ABSENT, ...findEntries(dictionary, '')]
  for (const code of absent) hits[code] = isPresent ? 0 : 1
  return narrowToEntries(column, selection, { hits, from: ABSENT, to: dictionary.count })
}
