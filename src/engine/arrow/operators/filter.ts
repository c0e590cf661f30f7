import type { Yielder } from '../../../base/time-slices.js'
import type { SourceName } from '../../../sources.js'
import { AREAS, hotColumns } from '../../columns.js'
import type { Predicate, TimeRange } from '../../plan.js'
import type { Batch, TextColumn, TimeColumn } from '../columns/batch.js'
import { timeAt } from '../columns/batch.js'
import { ABSENT, type Codes, findEntry } from '../columns/dictionary.js'
import { narrow, none, type RangeSelection, range, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { visitZones, type Zones } from '../columns/zones.js'
import { createMatcher, matchEntries } from './match-pattern.js'

/** A predicate, prepared once per query: narrows a selection of any batch of the source. */
export type Filter = (batch: Batch, selection: Selection, yieldIfDue: Yielder) => Selection | Promise<Selection>

/** Prepares a predicate. Throws a TypeError if its column does not support the test: a defect of the plan. */
export function createFilter(source: SourceName, predicate: Predicate): Filter {
  const kind =
    predicate.column === 'project' ? 'project' : hotColumns(source).find(({ name }) => name === predicate.column)?.kind
  if (kind === 'project' && predicate.test === 'equals') return projectFilter(predicate.value)
  if (kind === 'category' && predicate.test === 'equals') return equalsFilter(predicate.column, predicate.value)
  if ((kind === 'category' || kind === 'text') && predicate.test === 'matches') {
    return matchesFilter(predicate.column, predicate.pattern)
  }
  throw new TypeError(`No filter "${predicate.test}" on the column ${predicate.column} of ${source}.`)
}

/** Narrows a selection to a time range. Tests rows only if the batch is partly in the range. */
export function filterTime(batch: Batch, selection: Selection, { fromUs, throughUs }: TimeRange): Selection {
  if (batch.minUs > throughUs || batch.maxUs < fromUs) return none
  if (batch.minUs >= fromUs && batch.maxUs <= throughUs) return selection
  if (selection.kind === 'range' && selection.timeOrdered) return cutRange(batch.times, selection, fromUs, throughUs)
  const { baseUs, unitUs, offsets } = batch.times
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      const timestampUs = baseUs + offsets[row]! * unitUs
      if (timestampUs >= fromUs && timestampUs <= throughUs) out[count++] = row
    }
    return count
  })
}

function cutRange(
  times: TimeColumn,
  { start, end }: RangeSelection,
  fromUs: number,
  throughUs: number,
): RangeSelection {
  const first = firstRowAt(times, start, end, fromUs)
  return range(first, firstRowAt(times, first, end, throughUs + 1), true)
}

/** Returns the first row of [start, end), which ascend in time, at or after a time; `end` if there is none. */
export function firstRowAt(times: TimeColumn, start: number, end: number, timestampUs: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (timeAt(times, middle) < timestampUs) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Selects the project's rows from the batch's index. Throws a TypeError if another filter has narrowed the
 * selection.
 */
function projectFilter(project: string): Filter {
  return (batch, selection) => {
    const rows = batch.projectRows(project)
    if (selection.kind === 'range' && selection.start === 0 && selection.end === batch.rows) return rows
    throw new TypeError('The filter on project must be the first one.')
  }
}

function equalsFilter(column: string, value: string): Filter {
  return (batch, selection) => {
    const { codes, dictionary, zones } = batch.columns.get(column) as TextColumn
    const code = findEntry(dictionary, value)
    if (code <= ABSENT) return none
    const hits = new Uint8Array(dictionary.count)
    hits[code] = 1
    return narrow(selection, (out) => rowsWithHit({ codes, zones, hits, first: code, last: code }, selection, out))
  }
}

function matchesFilter(column: string, pattern: string): Filter {
  const matcher = createMatcher(pattern)
  return async (batch, selection, yieldIfDue) => {
    const { codes, dictionary, zones } = batch.columns.get(column) as TextColumn
    const { hits, from, to } = await matchEntries(dictionary, matcher, yieldIfDue)
    const first = hits.subarray(0, to).indexOf(1, from)
    if (first < 0) return none
    const last = hits.lastIndexOf(1, to)
    return narrow(selection, (out) => rowsWithHit({ codes, zones, hits, first, last }, selection, out))
  }
}

/** The codes that are searched for in a column: those whose hit is 1, all of them from `first` to `last`. */
interface Search {
  codes: Codes
  zones: Zones | undefined
  hits: Uint8Array
  first: number
  last: number
}

/** Writes the rows of a selection whose code is a hit to `out`. Returns their number. */
function rowsWithHit(search: Search, selection: Selection, out: Uint32Array): number {
  const { codes, zones, hits, first, last } = search
  let count = 0
  if (selection.kind === 'indices') {
    for (const row of selection.indices) if (hits[codes[row]!] === 1) out[count++] = row
    return count
  }
  const { start, end } = selection
  if (zones === undefined) return hitsBetween(search, start, end, out, 0)
  visitZones(zones, start, end, first, last, (start, end) => {
    count = hitsBetween(search, start, end, out, count)
  })
  return count
}

/** A separate function for its loop, outside of any closure. Writes from `out[count]` on; returns the new count. */
function hitsBetween({ codes, hits }: Search, start: number, end: number, out: Uint32Array, count: number): number {
  for (let row = start; row < end; row++) if (hits[codes[row]!] === 1) out[count++] = row
  return count
}

/** Returns the bit of an area in an areas column. Throws a TypeError if the text is not an area. */
export function areaBit(text: string): number {
  const index = (AREAS as readonly string[]).indexOf(text)
  if (index >= 0) return 1 << index
  throw new TypeError(`The column path knows only ${AREAS.join(', ')}, not "${text}".`)
}
