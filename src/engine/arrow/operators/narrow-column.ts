import type { Yielder } from '../../../base/time-slices.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import type { Scalar } from '../../../plan/values/values.js'
import { type Batch, hotColumnOf, type TextColumn } from '../columns/batch.js'
import { ABSENT, findEntries, findEntry } from '../columns/dictionary.js'
import type { NumberColumn } from '../columns/numbers.js'
import { none, type Selection } from '../columns/selection.js'
import { type Bounds, narrowByBounds, narrowByHits, narrowByPresence } from './filter-rows.js'
import { createMatcher, matchEntries } from './match-pattern.js'

/** Narrows a selection at once, without an error and without a look at most rows. */
export type Narrow = (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Selection | Promise<Selection>

/** A hot column as a condition reads it. */
export interface TestedColumn {
  name: string
  kind: 'text' | 'number' | 'areas' | undefined
  hasEmptyTexts: boolean
}

/** Narrows to the rows in which a function of the column and a value is true; undefined of other functions. */
export function columnNarrowing(fn: FunctionName, column: TestedColumn, value: Scalar): Narrow | undefined {
  if (column.kind === 'text' && typeof value === 'string') {
    if (fn === 'eq') return equalsFilter(column, value)
    return fn === 'regexp_contains' ? matchesFilter(column, value) : undefined
  }
  const bounds = column.kind === 'number' && typeof value === 'number' ? boundsOf(fn, value) : undefined
  return bounds && ((batch, selection) => narrowByBounds(numbersOf(batch, column.name), selection, bounds))
}

const numbersOf = (batch: Batch, name: string) => hotColumnOf(batch, name) as NumberColumn

/** The numbers that a comparison with a number passes; undefined of other functions. */
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

function equalsFilter({ name, hasEmptyTexts }: TestedColumn, value: string): Narrow {
  if (value === '' && !hasEmptyTexts) return () => none
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const hits = new Uint8Array(column.dictionary.count)
    let first = ABSENT
    let last = ABSENT
    for (const code of findEntries(column.dictionary, value)) {
      if (first === ABSENT) first = code
      last = code
      hits[code] = 1
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
    return first === ABSENT ? none : narrowByHits(column, selection, { hits, first, last })
  }
}

function matchesFilter({ name, hasEmptyTexts }: TestedColumn, pattern: string): Narrow {
  const matcher = createMatcher(pattern)
  return async (batch, selection, yieldIfDue) => {
    const column = hotColumnOf(batch, name) as TextColumn
    const { hits, from, to } = await matchEntries(column.dictionary, matcher, yieldIfDue)
    if (!hasEmptyTexts) {
      const empty = findEntry(column.dictionary, '')
      if (empty > ABSENT) hits[empty] = 0
    }
    const first = hits.subarray(0, to).indexOf(1, from)
    if (first < 0) return none
    return narrowByHits(column, selection, { hits, first, last: hits.lastIndexOf(1, to) })
  }
}

/** Narrows to the rows without a value in the column, or with `isPresent` to those with one; undefined of areas. */
export function presenceNarrowing(column: TestedColumn, isPresent: boolean): Narrow | undefined {
  const { name, kind, hasEmptyTexts } = column
  if (kind === 'number') return (batch, selection) => narrowByPresence(numbersOf(batch, name), selection, isPresent)
  if (kind !== 'text') return undefined
  return (batch, selection) => narrowTexts(hotColumnOf(batch, name) as TextColumn, selection, isPresent, hasEmptyTexts)
}

/** Returns the selected rows whose text is absent, or those whose text is not; an empty one may mean an absent one. */
function narrowTexts(column: TextColumn, selection: Selection, isPresent: boolean, hasEmptyTexts: boolean): Selection {
  const { dictionary } = column
  const hits = new Uint8Array(dictionary.count).fill(isPresent ? 1 : 0)
  const absent = hasEmptyTexts ? [ABSENT] : [ABSENT, ...findEntries(dictionary, '')]
  for (const code of absent) hits[code] = isPresent ? 0 : 1
  const first = hits.indexOf(1)
  return first < 0 ? none : narrowByHits(column, selection, { hits, first, last: hits.lastIndexOf(1) })
}
