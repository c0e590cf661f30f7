import type { Interner } from '../../../base/memory/interner.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { SourceName } from '../../../common/sources.js'
import { type Column, type InMetadata, sealedTexts } from '../../execute/columns/batch.js'
import {
  ABSENT,
  closeDictionary,
  createInterner,
  type Dictionary,
  entryOf,
  pickEntries,
} from '../../execute/columns/dictionary.js'
import { narrowCodes, narrowTimes } from '../../execute/columns/narrow.js'
import { narrowNumbers } from '../../execute/columns/numbers.js'
import type { Texts } from '../../execute/open-batch/texts.js'
import { type Effort, sealCold } from '../segment/cold.js'
import { dayOf, type ProjectIndex, type SealedRows } from '../segment/segment.js'
import type { InternedTexts, InternTexts } from './intern.js'
import { countingSort, sortByTime } from './sort.js'

/** The rows of a head to be sealed. Plain data, which can be sent to another thread. */
export interface OpenRows {
  source: SourceName
  rows: number
  minUs: number
  maxUs: number
  timestampsUs: Float64Array
  columns: ReadonlyMap<string, OpenColumn>
  inMetadata: InMetadata
  cold: Texts
}

/** A hot column of a head, rows in order of arrival. */
export type OpenColumn =
  | { kind: 'category'; codes: Uint32Array; interner: Dictionary }
  | { kind: 'text'; texts: Texts }
  | { kind: 'number'; values: Float64Array }
  | { kind: 'areas'; flags: Uint8Array }

type CategoryColumn = Extract<OpenColumn, { kind: 'category' }>

/**
 * Seals a head that accepts no more rows. Returns a part for each UTC day of the head. Rows are sorted once, by day,
 * project, time and arrival. Hot columns are narrowed, cold columns compressed. Yields between steps, and calls
 * `effort` before each batch of cold columns.
 */
export async function seal(
  head: OpenRows,
  intern: InternTexts,
  yieldIfDue: Yielder,
  effort?: () => Effort,
): Promise<SealedRows[]> {
  const project = head.columns.get('project') as CategoryColumn
  const { ranks, codesByRank } = rankProjects(project)
  const byTime = sortByTime(head.timestampsUs, head.rows, head.minUs, head.maxUs)
  await yieldIfDue()
  const byProject = countingSort(byTime, ranksOfRows(project, ranks, head.rows), codesByRank.length)
  await yieldIfDue()
  const firstDay = dayOf(head.minUs)
  const days = daysOf(head, firstDay)
  const order = countingSort(byProject, days, dayOf(head.maxUs) - firstDay + 1)
  await yieldIfDue()
  const sealed: SealedRows[] = []
  for (let start = 0; start < head.rows; ) {
    const day = days[order[start]]
    const end = endOfDay(days, order, start)
    const ofDay = { day: firstDay + day, order: order.subarray(start, end), codesByRank, effort }
    sealed.push(await sealDay(head, ofDay, intern, yieldIfDue))
    start = end
  }
  return sealed
}

// Each loop over all rows is a function that ends with the loop: V8 compiles a function during a long loop, and would
// discard the compiled code at the first statement after the loop, which has not run yet.

/** Returns the day of each row, counted from `firstDay`. */
function daysOf({ timestampsUs, rows }: OpenRows, firstDay: number): Uint32Array {
  const days = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) days[row] = dayOf(timestampsUs[row]) - firstDay
  return days
}

/** Returns the end, in sorted rows, of the day that starts at `start`. */
function endOfDay(days: Uint32Array, order: Uint32Array, start: number): number {
  const day = days[order[start]]
  let end = start + 1
  while (end < order.length && days[order[end]] === day) end++
  return end
}

/** Ranks the projects in ascending order of their bytes. The absent project is first. */
function rankProjects({ interner }: CategoryColumn): { ranks: Uint32Array; codesByRank: Uint32Array } {
  // Latin-1 has a character per byte, so strings compare like their bytes. Creating Buffers would cost more than
  // comparing.
  const texts = Array.from({ length: interner.count }, (_, code) => entryOf(interner, code).toString('latin1'))
  const named = Array.from({ length: interner.count - 1 }, (_, i) => i + 1)
  named.sort((a, b) => (texts[a] < texts[b] ? -1 : 1))
  const codesByRank = Uint32Array.from([0, ...named])
  const ranks = new Uint32Array(interner.count)
  codesByRank.forEach((code, rank) => {
    ranks[code] = rank
  })
  return { ranks, codesByRank }
}

function ranksOfRows({ codes }: CategoryColumn, ranks: Uint32Array, rows: number): Uint32Array {
  const ranksOf = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) ranksOf[row] = ranks[codes[row]]
  return ranksOf
}

/** The rows of a head on a UTC day. */
interface Day {
  day: number
  /** The rows of the day, in the order to be stored. */
  order: Uint32Array
  codesByRank: Uint32Array
  effort: (() => Effort) | undefined
}

/** Seals the rows of a UTC day. The minimum and maximum of the head are not read. */
export async function sealDay(
  head: OpenRows,
  { day, order, codesByRank, effort }: Day,
  intern: InternTexts,
  yieldIfDue: Yielder,
): Promise<SealedRows> {
  const timestampsUs = gather(head.timestampsUs, order, new Float64Array(order.length))
  const { minUs, maxUs } = extremesOf(timestampsUs)
  const times = narrowTimes(timestampsUs, minUs, maxUs)
  await yieldIfDue()
  const columns = new Map<string, Column>()
  for (const [name, column] of head.columns) {
    if (name !== 'project') columns.set(name, sealColumn(column, order, intern))
    await yieldIfDue()
  }
  const projects = indexProjects(head.columns.get('project') as CategoryColumn, order, codesByRank)
  const cold = await sealCold(head.cold, order, yieldIfDue, effort)
  const inMetadata = sealBitSets(head.inMetadata, order)
  return { source: head.source, day, rows: order.length, minUs, maxUs, times, projects, columns, inMetadata, cold }
}

function sealColumn(column: OpenColumn, order: Uint32Array, intern: InternTexts): Column {
  if (column.kind === 'areas')
    return { kind: 'areas', flags: gather(column.flags, order, new Uint8Array(order.length)) }
  if (column.kind === 'text') return sealText(intern(column.texts, order))
  if (column.kind === 'category') return sealCategory(column, order)
  const values = gather(column.values, order, new Float64Array(order.length))
  return narrowNumbers(values)
}

/** Returns the bit sets of the rows `order`. The bit sets are left out if no bit is set, which is the rule. */
function sealBitSets({ mask, rows }: InMetadata, order: Uint32Array): InMetadata {
  if (mask === 0 || rows === undefined) return { mask }
  const sorted = gather(rows, order, new Uint32Array(order.length))
  const ofRows = unionOf(sorted)
  return ofRows === 0 ? { mask: 0 } : { mask: ofRows, rows: sorted }
}

/** Returns the bits that any of the sets has. */
function unionOf(bitSets: Uint32Array): number {
  let union = 0
  for (const bits of bitSets) union |= bits
  return union >>> 0
}

function extremesOf(timestampsUs: Float64Array): { minUs: number; maxUs: number } {
  let [minUs, maxUs] = [timestampsUs[0], timestampsUs[0]]
  for (const timestampUs of timestampsUs) {
    if (timestampUs < minUs) minUs = timestampUs
    if (timestampUs > maxUs) maxUs = timestampUs
  }
  return { minUs, maxUs }
}

/** Fills and returns `out`: the values of the rows `order`. */
function gather<T extends Float64Array | Uint32Array | Uint8Array>(values: T, order: Uint32Array, out: T): T {
  for (let i = 0; i < order.length; i++) out[i] = values[order[i]]
  return out
}

/** Assigns new codes in order of first appearance, so that texts that are read together are stored together. */
function sealCategory(column: CategoryColumn, order: Uint32Array): Column {
  const sealed = createInterner()
  return sealText({ codes: internCategory(column, order, sealed), dictionary: sealed })
}

function internCategory({ codes, interner }: CategoryColumn, order: Uint32Array, sealed: Interner): Uint32Array {
  const { offsets, bytes } = interner
  const newCodes = new Uint32Array(interner.count)
  const sorted = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) {
    const code = codes[order[i]]
    if (code !== ABSENT && newCodes[code] === ABSENT) {
      newCodes[code] = sealed.intern(bytes, offsets[code], offsets[code + 1] - 1)
    }
    sorted[i] = newCodes[code]
  }
  return sorted
}

function sealText({ codes, dictionary }: InternedTexts): Column {
  const narrow = narrowCodes(codes, dictionary.count)
  // The memory of the codes may be overwritten when the next column is interned.
  return sealedTexts(narrow === codes ? codes.slice() : narrow, closeDictionary(dictionary))
}

/** Returns the projects of sorted rows and the first row of each. */
function indexProjects(
  { codes, interner }: CategoryColumn,
  order: Uint32Array,
  codesByRank: Uint32Array,
): ProjectIndex {
  const counts = countCodes(codes, order, interner.count)
  const present = codesByRank.filter((code) => code !== 0 && counts[code] !== 0)
  const starts = new Uint32Array(present.length + 1)
  starts[0] = counts[0]
  present.forEach((code, i) => {
    starts[i + 1] = starts[i] + counts[code]
  })
  return { dictionary: pickEntries(interner, present), starts }
}

function countCodes(codes: Uint32Array, order: Uint32Array, count: number): Uint32Array {
  const counts = new Uint32Array(count)
  for (let i = 0; i < order.length; i++) counts[codes[order[i]]]++
  return counts
}
