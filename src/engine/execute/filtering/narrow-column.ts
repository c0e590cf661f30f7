import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import { isTime, numberOf, type Scalar } from '../../../plan/values/values.js'
import { type Batch, hotColumnOf, type TextColumn } from '../columns/batch.js'
import { ABSENT, findEntries } from '../columns/dictionary.js'
import type { NumberColumn } from '../columns/numbers.js'
import { none, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { clearEmpty, createEntryTest, type EntryTest } from '../matching/entry-test.js'
import type { Hits, Matched } from '../matching/match-pattern.js'
import { type Bounds, narrowByBounds, narrowByHits, narrowByMembers, narrowByPresence } from './filter-rows.js'

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
  return column.kind === 'text' && BY_TEXT.has(fn) ? testFilter(column, createEntryTest(fn, [value])) : undefined
}

/** The functions of texts that are worth a search through a dictionary, however few rows are selected. */
const BY_TEXT: ReadonlySet<FunctionName> = new Set(['eq', 'contains_substr', 'regexp_contains'] as const)

/** Narrows to the rows with any of the values. Undefined if a value is null or a time, or if there is no faster way. */
export function memberNarrowing(column: TestedColumn, values: readonly Scalar[]): Narrow | undefined {
  if (values.some((value) => value === null || isTime(value))) return undefined
  if (column.kind === 'text') return testFilter(column, createEntryTest('in', values))
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

/** Narrows to the rows with an entry that passes a test. */
function testFilter({ name, hasEmptyTexts }: TestedColumn, test: EntryTest | undefined): Narrow | undefined {
  if (test === undefined) return undefined
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const found = await test(column.dictionary, yieldIfDue)
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

/** Narrows to the rows with a hit. An empty text may mean an absent text. */
function narrowByMatches(column: TextColumn, selection: Selection, found: Hits, hasEmptyTexts: boolean): Selection {
  if (!hasEmptyTexts) clearEmpty(found.hits, column.dictionary)
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
