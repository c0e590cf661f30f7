import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import { sortInSlices } from '../../../base/scheduling/sort-in-slices.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { ColdColumn } from '../../../common/columns.js'
import { columnsOf } from '../../../plan/expression.js'
import type { NamedExpression, SortKey } from '../../../plan/plan.js'
import { compareAll, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { blocksOf } from '../batches/blocks.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { type OpenCold, type TimeColumn, timeAt } from '../columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { plainFrame } from '../expressions/computed-frame.js'
import type { Frame } from '../expressions/frame.js'
import { COLD, createLoadedRows } from '../expressions/loaded-rows.js'
import { prepare } from '../expressions/prepare.js'
import { workOf } from '../expressions/row-work.js'
import { computed, isCold, type Vector } from '../expressions/vector.js'
import { createLeftOut, type LeftOut, rankRows } from './rank.js'

/** The first rows of an order, of any order without keys, and their columns. */
export interface TopSink {
  op: 'top'
  keys: readonly SortKey[]
  /** Infinity for all rows. */
  rows: number
  offset: number
  columns: readonly NamedExpression[]
  /** Set if the last row is returned first: rows with equal keys are then in the order of arrival. */
  isReversed?: true
  /**
   * The name of an added last column: the place of each row among all rows of that timestamp in order of arrival, from
   * 1. Ties go by arrival then, in the direction of the only key, which is the stored timestamp.
   */
  rank?: string
}

/** A row found: the keys, the place, and the values of the columns that were read while the batch was open. */
export interface FoundRow {
  keys: readonly Scalar[]
  /** The batch's place in order of arrival, and the row in the batch. */
  batch: number
  row: number
  values: readonly Scalar[]
}

/** The first rows of an order, and how to read the columns that were left for later. */
export interface Found {
  rows: readonly FoundRow[]
  /** The names of `values`. */
  columns: readonly string[]
  /** The members of `columns` with bits of areas as values. */
  areas: ReadonlySet<string>
  /** Open readers of cold columns, by batch. */
  cold: ReadonlyMap<number, OpenCold>
}

/**
 * The output columns of a sink: columns that are read at once, and columns that need cold columns of the rows found.
 */
export interface OutputColumns {
  early: readonly NamedExpression[]
  late: readonly NamedExpression[]
}

/**
 * Separates the columns that need cold columns: cold columns are read for the rows found alone. The other columns that
 * late columns need are read early, under separate names.
 */
export function splitColumns(columns: readonly NamedExpression[], hasCold: boolean): OutputColumns {
  const isLate = ({ value }: NamedExpression) => hasCold && [...columnsOf(value)].some((name) => COLD.has(name))
  const late = columns.filter(isLate)
  const leaves = new Set(late.flatMap(({ value }) => [...columnsOf(value)]).filter((name) => !COLD.has(name)))
  const early = columns.filter((column) => !isLate(column))
  const named = [...leaves].map((name): NamedExpression => ({ name: leafName(name), value: { kind: 'column', name } }))
  return { early: [...early, ...named], late }
}

/** The name under which a column that late columns need is kept. Output columns have names without a line break. */
export const leafName = (name: string): string => `\n${name}`

const isLeafName = (name: string) => name.startsWith('\n')

/** Finds the first rows of an order. Batches that cannot have any of the first rows are not read. */
export async function findTop(
  input: readonly LazyBatch[],
  { keys, rows, offset, isReversed, rank }: TopSink,
  { early }: OutputColumns,
  context: RunContext,
): Promise<Found> {
  const wanted = rows + offset
  const leftOut = rank === undefined ? undefined : createLeftOut()
  const top = createTop(keys, wanted, { limitBytes: context.limits.bytes, meter: createMeter(context.memory) }, leftOut)
  const cold = new Map<number, OpenCold>()
  const areas = new Set<string>()
  const byTime = timeOrder(keys)
  const mayBeBetter = async (us: number) => {
    if (!top.isFull()) return true
    await top.cut(context.yieldIfDue)
    return mayHaveBetter({ minUs: us, maxUs: us }, byTime, top, keys)
  }
  for (const number of visitOrder(input, byTime)) {
    const batch = input[number]
    if (top.isFull()) {
      await top.cut(context.yieldIfDue)
      if (!mayHaveBetter(batch, byTime, top, keys)) break
    }
    const offer = async (frame: Frame) => {
      const { openCold } = frame
      const keepRows = wanted <= MOST_KEPT_ROWS ? batch.keepRows : undefined
      if (openCold !== undefined) cold.set(number, keepRows?.(openCold) ?? openCold)
      await offerFrame(top, frame, number, keys, early, areas, context)
    }
    if (byTime === undefined || batch.readByTime === undefined) await batch.read(offer)
    else await batch.readByTime(byTime, mayBeBetter, offer)
    await context.yieldIfDue()
  }
  await top.cut(context.yieldIfDue)
  const columns = early.map(({ name }) => name)
  if (rank !== undefined) {
    await rankRows(top.rows(), keys[0].direction, leftOut!.rows, context.yieldIfDue)
    columns.push(rank)
  }
  const found = top.rows().slice(offset)
  return { rows: isReversed ? found.reverse() : found, columns, areas, cold }
}

/** The rows of an answer are kept in the cache if there are at most this many rows. */
const MOST_KEPT_ROWS = 1000

/** Returns the direction if the first key is the stored timestamp, else undefined. */
export function timeOrder([first]: readonly SortKey[]): SortKey['direction'] | undefined {
  return first?.by.kind === 'column' && first.by.name === 'timestamp' ? first.direction : undefined
}

function visitOrder(input: readonly LazyBatch[], byTime: SortKey['direction'] | undefined): number[] {
  const order = input.map((_, i) => i)
  if (byTime === 'desc') return order.sort((a, b) => input[b].maxUs - input[a].maxUs)
  return byTime === 'asc' ? order.sort((a, b) => input[a].minUs - input[b].minUs) : order
}

/** Whether a batch, or a batch visited later, can have a row among the first. */
function mayHaveBetter(
  { minUs, maxUs }: Pick<LazyBatch, 'minUs' | 'maxUs'>,
  byTime: SortKey['direction'] | undefined,
  top: Top,
  keys: readonly SortKey[],
): boolean {
  if (keys.length === 0) return false
  const worst = top.worst()?.keys[0]
  if (byTime === undefined || !(worst instanceof Timestamp)) return true
  return byTime === 'desc' ? maxUs >= worst.us : minUs <= worst.us
}

/** The first rows so far. */
interface Top {
  /** Whether there are as many rows as wanted, or more. */
  isFull(): boolean
  /** The last of the rows wanted as of the last cut. Undefined if there were too few. */
  worst(): FoundRow | undefined
  /** Whether a row with these keys would be among the first rows. */
  wants(keys: readonly Scalar[], batch: number, row: number): boolean
  /** Adds a row. Returns whether rows are to be cut now. */
  add(row: FoundRow): boolean
  /** Notes a row that is not wanted, given the keys of the row: the ranks of other rows may depend on the row. */
  leaveOut(keys: readonly Scalar[]): void
  /** Sorts the rows and drops rows that are not wanted. Throws `too_much_memory` if the kept rows take too much. */
  cut(yieldIfDue: Yielder): Promise<void>
  /** The rows as of the last cut, and the rows added since. */
  rows(): FoundRow[]
}

/** Rows held beyond the wanted rows before a sort and a cut. */
const SLACK = 1024
/** Object and pointers of a row, about. */
const ROW_BYTES = 160

/** `leftOut`, if ranks are wanted, counts the rows of the last time that are not kept. */
function createTop(
  keys: readonly SortKey[],
  wanted: number,
  { limitBytes, meter }: { limitBytes: number; meter: (bytes: number) => void },
  leftOut: LeftOut | undefined,
): Top {
  let held: FoundRow[] = []
  let worst: FoundRow | undefined
  let bytes = 0
  let isCut = true
  const compare = orderOf(keys, leftOut !== undefined)
  return {
    isFull: () => held.length >= wanted,
    worst: () => worst,
    wants: (rowKeys, batch, row) =>
      wanted > 0 && (worst === undefined || compare({ keys: rowKeys, batch, row, values: [] }, worst) < 0),
    add(row) {
      held.push(row)
      isCut = false
      bytes += bytesOf(row)
      meter(bytes)
      return held.length >= 2 * wanted + SLACK || bytes > limitBytes || held.length === wanted
    },
    leaveOut: (rowKeys) => leftOut?.add(rowKeys),
    async cut(yieldIfDue) {
      if (isCut) return
      isCut = true
      if (held.length > wanted || bytes <= limitBytes) held = await sortInSlices(held, compare, yieldIfDue)
      const dropped = held.splice(wanted)
      for (const row of dropped) bytes -= bytesOf(row)
      meter(bytes)
      worst = held.length === wanted ? held.at(-1) : undefined
      leftOut?.cutTo(worst, dropped)
      if (bytes > limitBytes) throw tooMuchMemory(limitBytes)
    },
    rows: () => held,
  }
}

/** Bytes of a row. If the row is ordered by a text that is also among the values, the text counts once. */
function bytesOf({ keys, values }: FoundRow): number {
  let bytes = ROW_BYTES
  for (const value of values) bytes += bytesOfValue(value)
  for (const key of keys) if (typeof key !== 'string' || !values.includes(key)) bytes += bytesOfValue(key)
  return bytes
}

/** The order of the keys. Among equal keys, the later arrival comes first, if `isRanked` in descending order alone. */
function orderOf(keys: readonly SortKey[], isRanked: boolean): (a: FoundRow, b: FoundRow) => number {
  const isByArrival = keys.length === 0 || (isRanked && keys[0].direction === 'asc')
  return (a, b) => {
    for (const [i, { direction, nulls }] of keys.entries()) {
      const order = compareKeys(a.keys[i], b.keys[i], direction, nulls)
      if (order !== 0) return order
    }
    if (isByArrival) return a.batch - b.batch || a.row - b.row
    return b.batch - a.batch || b.row - a.row
  }
}

function compareKeys(a: Scalar, b: Scalar, direction: SortKey['direction'], nulls: SortKey['nulls']): number {
  if (a === null || b === null) {
    if (a === b) return 0
    return (a === null) === (nulls === 'first') ? -1 : 1
  }
  const order = compareAll(a, b)
  return direction === 'asc' ? order : -order
}

/** Offers the rows of a frame. */
async function offerFrame(
  top: Top,
  frame: Frame,
  batch: number,
  keys: readonly SortKey[],
  early: readonly NamedExpression[],
  areas: Set<string>,
  { yieldIfDue }: RunContext,
): Promise<void> {
  const read = [...keys.map(({ by }) => by), ...early.map(({ value }) => value)]
  const evaluate = await prepare(frame, read, yieldIfDue)
  const values: Vector[] = []
  for (const { name, value } of early) {
    const vector = evaluate(value)
    const isAreas = vector.kind === 'areas' && isLeafName(name)
    if (isAreas) areas.add(name)
    values.push(isAreas ? computed(vector.areasAt, () => 0) : vector)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  const capture = (position: number) => values.map(({ at }) => at(position))
  const isLoaded = !values.some(isCold) && !workOf(values, frame).isSlow(0, 0)
  if (keys.length === 1 && timeOrder(keys) === 'desc' && frame.stored !== undefined && isLoaded) {
    return offerNewest(top, frame, batch, capture, yieldIfDue)
  }
  const sorted = keys.map(({ by }) => evaluate(by))
  for await (const { from, to } of blocksOf(frame, [...sorted, ...values], yieldIfDue)) {
    for (let position = from; position < to; position++) {
      const rowKeys = sorted.map(({ at }) => at(position))
      const row = frame.rowOf(position)
      if (top.wants(rowKeys, batch, row)) {
        if (top.add({ keys: rowKeys, batch, row, values: capture(position) })) await top.cut(yieldIfDue)
      } else if (keys.length === 0) return
      else top.leaveOut(rowKeys)
    }
    if (keys.length === 0 && top.isFull()) return
  }
}

/** Rows compared by time between two checks of the clock. */
const COMPARED_ROWS = 4096

/**
 * Offers the newest rows of a stored batch from the end. Stops at the first row that is too old if the rows ascend in
 * time.
 */
async function offerNewest(
  top: Top,
  { stored }: Frame,
  batch: number,
  capture: (position: number) => Scalar[],
  yieldIfDue: Yielder,
): Promise<void> {
  const { selection, batch: columns } = stored!
  const { times } = columns
  for (let end = sizeOf(selection); end > 0; ) {
    const start = Math.max(0, end - COMPARED_ROWS)
    for (let last = end; last > start; ) {
      const leastUs = worstUs(top)
      last = selection.timeOrdered ? last - 1 : lastPositionFrom(times, selection, { start, end: last, leastUs })
      if (last < start) break
      const row = rowAt(selection, last)
      const us = timeAt(times, row)
      if (us < leastUs) return
      const keys = [new Timestamp(us)]
      if (!top.wants(keys, batch, row)) top.leaveOut(keys)
      else if (top.add({ keys, batch, row, values: capture(last) })) await top.cut(yieldIfDue)
      else {
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
    }
    end = start
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}

/** The time that a row must have at least to be among the newest. -Infinity while there are too few rows. */
const worstUs = (top: Top): number =>
  Number((top.worst()?.keys[0] as Timestamp | undefined)?.us ?? Number.NEGATIVE_INFINITY)

/** Returns the last position in [start, end) with a time of at least `leastUs`, else -1. */
function lastPositionFrom(
  { baseUs, unitUs, offsets }: TimeColumn,
  selection: Selection,
  { start, end, leastUs }: { start: number; end: number; leastUs: number },
): number {
  if (selection.kind === 'range') {
    const first = selection.start
    for (let position = end - 1; position >= start; position--) {
      if (baseUs + offsets[first + position] * unitUs >= leastUs) return position
    }
    return -1
  }
  const { indices } = selection
  for (let position = end - 1; position >= start; position--) {
    if (baseUs + offsets[indices[position]] * unitUs >= leastUs) return position
  }
  return -1
}

/** Evaluates late columns over rows that were found: their early values and cold columns, by position. */
export function lateFrame({ rows, columns, areas, cold }: Found): Frame {
  const places = new Map(columns.map((name, i) => [name, i]))
  const loaded = createLoadedRows()
  const column = (name: string): Vector | undefined => {
    if (COLD.has(name)) return loaded.vector(name as ColdColumn)
    const place = places.get(leafName(name)) ?? places.get(name)
    if (place === undefined) return undefined
    const at = (position: number) => rows[position].values[place]
    if (!areas.has(leafName(name))) return computed(at)
    return { kind: 'areas', at: () => null, areasAt: (position) => at(position) as number, column: undefined }
  }
  const read = (position: number) => {
    const { batch, row } = rows[position]
    return loaded.reader(batch, cold.get(batch)!)(row)
  }
  const load: Frame['load'] = (positions, yieldIfDue) => loaded.load(positions, read, { isCopied: true, yieldIfDue })
  return plainFrame(rows.length, column, { load })
}
