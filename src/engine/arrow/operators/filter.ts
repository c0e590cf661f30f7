import type { SourceName } from '../../../sources.js'
import type { Predicate, TimeRange } from '../../plan.js'
import { AREAS, hotColumns } from '../../schema.js'
import type { Batch, TextColumn, TimeColumn } from '../columns/batch.js'
import { timeAt } from '../columns/batch.js'
import { ABSENT, type Codes, findEntry } from '../columns/dictionary.js'
import { narrow, none, type RangeSelection, range, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { visitZones, type Zones } from '../columns/zones.js'
import type { Pause } from '../slices.js'
import { createMatcher, matchEntries } from './pattern.js'

/** A predicate made ready once a query: narrows a selection of any batch of the source. */
export type Filter = (batch: Batch, selection: Selection, pause: Pause) => Selection | Promise<Selection>

/** Throws a TypeError on a predicate that no column of the source supports: a defect of the plan. */
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

/** The whole batch where it lies in the time range, none of it where it lies outside, else the rows inside. */
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

/** The first row in [start, end), which ascend in time, at or after a moment; `end` where there is none. */
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

/** A project's rows come from the batch itself, so this stands before any other filter. */
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
    return code <= ABSENT
      ? none
      : narrow(selection, (out) => rowsWithCode({ codes, zones, selection, first: code, last: code }, out))
  }
}

function matchesFilter(column: string, pattern: string): Filter {
  const matcher = createMatcher(pattern)
  return async (batch, selection, pause) => {
    const { codes, dictionary, zones } = batch.columns.get(column) as TextColumn
    const { hits, from, to } = await matchEntries(dictionary, matcher, pause)
    const first = hits.subarray(0, to).indexOf(1, from)
    if (first < 0) return none
    const last = hits.lastIndexOf(1, to)
    return narrow(selection, (out) => rowsWithHit({ codes, zones, selection, first, last }, hits, out))
  }
}

/** Codes of the rows of a selection, and between which of them lie those that are looked for. */
interface Search {
  codes: Codes
  zones: Zones | undefined
  selection: Selection
  first: number
  last: number
}

/** Writes the rows whose code is `first` to `out`; returns how many there are. */
function rowsWithCode(search: Search, out: Uint32Array): number {
  const { codes, selection, first: code } = search
  let count = 0
  if (selection.kind === 'range') {
    inZones(search, selection, (start, end) => {
      count = codesBetween(codes, code, start, end, out, count)
    })
    return count
  }
  for (const row of selection.indices) if (codes[row] === code) out[count++] = row
  return count
}

/** Writes the rows whose code is a hit to `out`; returns how many there are. */
function rowsWithHit(search: Search, hits: Uint8Array, out: Uint32Array): number {
  const { codes, selection } = search
  let count = 0
  if (selection.kind === 'range') {
    inZones(search, selection, (start, end) => {
      count = hitsBetween(codes, hits, start, end, out, count)
    })
    return count
  }
  for (const row of selection.indices) if (hits[codes[row]!] === 1) out[count++] = row
  return count
}

/** Calls `look` with the stretches of a range in which there may be a code that is looked for. */
function inZones({ zones, first, last }: Search, { start, end }: RangeSelection, look: Look): void {
  if (zones === undefined) look(start, end)
  else visitZones(zones, start, end, first, last, look)
}

type Look = (start: number, end: number) => void

// Loops of their own, outside of any closure: each writes the rows of [start, end) that it looks for to `out` from `count`
// on, and returns how many there are then.

function codesBetween(codes: Codes, code: number, start: number, end: number, out: Uint32Array, count: number): number {
  for (let row = start; row < end; row++) if (codes[row] === code) out[count++] = row
  return count
}

function hitsBetween(
  codes: Codes,
  hits: Uint8Array,
  start: number,
  end: number,
  out: Uint32Array,
  count: number,
): number {
  for (let row = start; row < end; row++) if (hits[codes[row]!] === 1) out[count++] = row
  return count
}

/** The bit of an area in a column of kind areas; a TypeError for a text that is none of them. */
export function areaBit(text: string): number {
  const index = (AREAS as readonly string[]).indexOf(text)
  if (index >= 0) return 1 << index
  throw new TypeError(`The column path knows only ${AREAS.join(', ')}, not "${text}".`)
}
