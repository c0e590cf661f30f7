import { arrayBuffersOf } from '../../../src/base/memory/array-buffers.js'
import { UNLIMITED_SHARE } from '../../../src/base/memory/memory-budget.js'
import { createMetrics, type Metrics } from '../../../src/base/metrics.js'
import { PATTERN_ENGINE } from '../../../src/base/pattern/re2-engine.js'
import type { Yielder } from '../../../src/base/scheduling/time-slices.js'
import { decodeUtf8 } from '../../../src/base/text/utf8.js'
import { COLD_COLUMNS, type ColdColumn, hotColumns } from '../../../src/common/columns.js'
import { SOURCE_NAMES, type SourceName } from '../../../src/common/sources.js'
import { GROUPING_LIMITS } from '../../../src/engine/engine.js'
import type { Accumulator } from '../../../src/engine/execute/accumulators/accumulator.js'
import { createHistograms, type Histogram } from '../../../src/engine/execute/accumulators/histogram.js'
import type { LazyBatch, QueryLimits, RunContext } from '../../../src/engine/execute/batches/lazy-batch.js'
import { createPartialCache, Key } from '../../../src/engine/execute/caches/partial-cache.js'
import { createRowCache } from '../../../src/engine/execute/caches/row-cache.js'
import { createSharedFrames } from '../../../src/engine/execute/caches/shared-frames.js'
import type { Batch, Part } from '../../../src/engine/execute/columns/batch.js'
import { ABSENT, createInterner, type Dictionary, entryOf } from '../../../src/engine/execute/columns/dictionary.js'
import { widenNumbers } from '../../../src/engine/execute/columns/numbers.js'
import { range, rowAt, type Selection, sizeOf } from '../../../src/engine/execute/columns/selection.js'
import { computedFrame } from '../../../src/engine/execute/expressions/computed-frame.js'
import type { Frame } from '../../../src/engine/execute/expressions/frame.js'
import { storedFrame } from '../../../src/engine/execute/expressions/stored-frame.js'
import type { Vector } from '../../../src/engine/execute/expressions/vector.js'
import { type CacheKind, cacheMetrics } from '../../../src/engine/execute/fields/cache-metrics.js'
import { createFieldCache } from '../../../src/engine/execute/fields/field-cache.js'
import { decodeBatch } from '../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch, type OpenBatch } from '../../../src/engine/execute/open-batch/open-batch.js'
import { dictionaryOf, snapshot } from '../../../src/engine/execute/open-batch/snapshot.js'
import { kindsOf } from '../../../src/engine/execute/stages/source-kinds.js'
import { seal } from '../../../src/engine/store/sealing/seal.js'
import { type Segment, segmentOfSealedRows } from '../../../src/engine/store/segment/segment.js'
import type { Store } from '../../../src/engine/store/tables/store.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { toBatch } from '../../support/batch.js'
import { createFakeClock } from '../../support/clock.js'
import { mulberry32, oneOf } from '../../support/random.js'
import type { TestRecord } from '../../support/records.js'
import { internIn } from '../../support/sealer.js'

export const noYield: Yielder = () => undefined

/** The names of the hot columns of every source. */
export const ALL_COLUMNS: ReadonlySet<string> = new Set(SOURCE_NAMES.flatMap(hotColumns).map(({ name }) => name))

/** A histogram of numbers, with values after their end that must not be read. */
export function numbers(values: readonly number[]): Histogram {
  return createHistograms().ofNumbers({
    values: Float64Array.of(...values, 1e300, Number.NaN),
    length: values.length,
  })
}

/** A histogram of more numbers than a call can have arguments. */
export const manyNumbers = (values: Float64Array): Histogram =>
  createHistograms().ofNumbers({ values: values.slice(), length: values.length })

/** Returns the state of an accumulator after an update with each part. */
export function stateOf<Input, State>(accumulator: Accumulator<Input, State>, ...parts: readonly Input[]): State {
  const state = accumulator.create()
  for (const part of parts) accumulator.update(state, part)
  return state
}

/** Returns the state of parts that are folded separately, then merged. Every second part is shrunk before. */
export function mergedStateOf<Input, State>(accumulator: Accumulator<Input, State>, parts: readonly Input[]): State {
  const state = accumulator.create()
  parts.forEach((part, i) => {
    const folded = stateOf(accumulator, part)
    if (i % 2 === 1) accumulator.shrink?.(folded)
    accumulator.merge(state, folded)
  })
  return state
}

/** Cuts a list into parts at the given positions, in any order. Positions may be beyond the end of the list. */
export function cut<T>(list: readonly T[], positions: readonly number[]): T[][] {
  const borders = [0, ...positions.map((at) => Math.min(at, list.length)).sort((a, b) => a - b), list.length]
  return borders.slice(1).map((end, i) => list.slice(borders[i]!, end))
}

/** Returns an open head with records of one source, appended in batches of `batchRows`. */
export function headOf(records: readonly TestRecord[], batchRows = records.length): OpenBatch {
  const { source } = records[0]!
  const head = createOpenBatch(source)
  for (let start = 0; start < records.length; start += batchRows) {
    decodeBatch(toBatch(source, records.slice(start, start + batchRows)))(head)
  }
  return head
}

/** Returns the records as a batch in order of arrival. */
export const openBatch = (records: readonly TestRecord[]): Batch => snapshot(headOf(records))

export async function sealedSegments(records: readonly TestRecord[]): Promise<Segment[]> {
  const sealed = await seal(headOf(records), internIn(createInterner()), noYield)
  return sealed.map(segmentOfSealedRows)
}

/** Returns the records, all of one UTC day, as a sealed batch. */
export async function sealedBatch(records: readonly TestRecord[]): Promise<Segment> {
  const segments = await sealedSegments(records)
  if (segments.length !== 1) throw new Error(`The records lie in ${segments.length} days.`)
  return segments[0]!
}

/** Returns the ids of the rows of a batch: of all rows, or of a selection. */
export function idsOf(batch: Batch, selection?: Selection): string[] {
  const read = batch.openCold()
  const rows = selection === undefined ? Array.from({ length: batch.rows }, (_, row) => row) : rowsOf(selection)
  return rows.map((row) => decodeUtf8(atOnce(read(row)).id))
}

/** Returns the ids of the rows of a frame. */
export function idsOfFrame({ rows, rowOf, openCold }: Frame): string[] {
  const read = openCold!()
  return Array.from({ length: rows }, (_, position) => decodeUtf8(atOnce(read(rowOf(position))).id))
}

/** Returns the texts of a cold column in all rows of a batch in memory, in the form of `readColdTexts`. */
export function textsOfColumn(batch: Batch, column: ColdColumn): string[] {
  const texts: string[] = []
  while (texts.length < batch.rows) {
    const { from, to, offsets, bytes } = atOnce(batch.readColdTexts(column, texts.length))
    for (let row = texts.length; row < to; row++) {
      texts.push(bytes.subarray(offsets[row - from], offsets[row - from + 1]).toString())
    }
  }
  return texts
}

/** Returns a value that must be in memory. Throws if the value is a promise. */
export function atOnce<T>(value: T | Promise<T>): T {
  if (value instanceof Promise) throw new Error('This must be read from memory.')
  return value
}

export const rowsOf = (selection: Selection): number[] =>
  Array.from({ length: sizeOf(selection) }, (_, position) => rowAt(selection, position))

/** Returns the value of a row in a hot column: a text, a number or flags. Undefined if absent. */
export function hotValue(batch: Batch, name: string, row: number): string | number | undefined {
  const column = batch.columns.get(name)!
  if (column.kind === 'areas') return column.flags[row]
  if (column.kind === 'number') {
    const value = widenNumbers(column)[row]
    return Number.isNaN(value) ? undefined : value
  }
  const code = column.codes[row]!
  return code === ABSENT ? undefined : entryOf(column.dictionary, code).toString()
}

/** The letters of {@link slowTexts}: as many as the engine searches with {@link SLOW_PATTERN} within its limit. */
export const SLOW_LETTERS = PATTERN_ENGINE === 're2' ? 1_000 : 150

/** A pattern that takes a long time per byte of {@link slowTexts}, and does not match. */
export const SLOW_PATTERN = `a[ab]{${SLOW_LETTERS}}c`

export function slowTexts(count: number): string[] {
  const random = mulberry32(1)
  const letters = () => Array.from({ length: SLOW_LETTERS }, () => oneOf(random, ['a', 'b'])).join('')
  return Array.from({ length: count }, (_, i) => `c${i} ${letters()}`)
}

/** Returns a dictionary of distinct texts: text i has the code i + 1. */
export function dictionary(texts: readonly string[]): Dictionary {
  const interner = createInterner()
  for (const text of texts) interner.intern(Buffer.from(text), 0, Buffer.byteLength(text))
  return dictionaryOf(interner)
}

/** Returns the texts of a dictionary, without the entry for absent. */
export const textsOf = (dictionary: Dictionary): string[] =>
  Array.from({ length: dictionary.count - 1 }, (_, i) => entryOf(dictionary, i + 1).toString())

/** Returns the bytes of all buffers in an object of plain data, each counted once and in full. */
export const bufferBytes = (root: unknown): number =>
  arrayBuffersOf(root).reduce((sum, { byteLength }) => sum + byteLength, 0)

/** Returns the rows of a store that are in memory, as batches, and a function that releases the batches. */
export function viewOf(store: Store, source: SourceName): { batches: Batch[]; release(): void } {
  const { parts, release } = store.view(source)
  return { batches: parts.map((part) => atOnce(part.open(noYield, ALL_COLUMNS))), release }
}

/** A context for operators, and the counts that operators have reported. */
export function runContext(limits: Partial<QueryLimits> = {}, yieldIfDue = noYield) {
  const told = { opened: 0, scanned: 0 }
  const context: RunContext = {
    yieldIfDue,
    partialCache: createPartialCache(1e6, cacheMetrics(createMetrics(), 'partials')),
    fieldCache: createFieldCache(1e6, cacheMetrics(createMetrics(), 'fields'), createFakeClock()),
    rowCache: createRowCache(1e6, cacheMetrics(createMetrics(), 'rows')),
    sharedFrames: createSharedFrames(),
    sliceRows: Number.POSITIVE_INFINITY,
    limits: { ...GROUPING_LIMITS, ...limits },
    memory: UNLIMITED_SHARE,
    onOpen() {
      told.opened++
    },
    onScan(rows) {
      told.scanned += rows
    },
  }
  return { context, told }
}

/** A part of a batch that is in memory. */
export function partOf(batch: Batch, isSealed: boolean): Part {
  const { rows, minUs, maxUs } = batch
  return { isSealed, owner: batch, rows, minUs, maxUs, open: () => batch, close() {} }
}

/** The selected rows of a batch, in the form that operators read. */
export const frameOf = (batch: Batch, source: SourceName, selection: Selection = range(0, batch.rows, false)): Frame =>
  storedFrame(batch, selection, kindsOf(source))

const NO_OPERATORS = new Key(() => [])

/** A frame as the input of an operator. If a part is given, results of the part may be cached. */
export function lazyBatch(frame: Frame, part?: Part): LazyBatch {
  const { minUs, maxUs } = part ??
    frame.stored?.batch ?? { minUs: Number.NEGATIVE_INFINITY, maxUs: Number.POSITIVE_INFINITY }
  return { minUs, maxUs, ...(part && { cached: { part, key: NO_OPERATORS } }), read: async (use) => use(frame) }
}

/** Rows that were computed, as the input of an operator. */
export function computed(columns: Readonly<Record<string, readonly Scalar[]>>): LazyBatch {
  const [first = []] = Object.values(columns)
  return lazyBatch(computedFrame(first.length, new Map(Object.entries(columns))))
}

/** The values of columns that are in memory, row by row. */
export function valuesOf(frame: Frame, names: readonly string[]): Scalar[][] {
  const vectors = names.map((name) => frame.column(name)!)
  return Array.from({ length: frame.rows }, (_, position) => vectors.map(({ at }) => at(position)))
}

/** Reads batches in sequence. */
export async function readAllBatches<T>(batches: readonly LazyBatch[], read: (frame: Frame) => T): Promise<T[]> {
  const results: T[] = []
  for (const batch of batches) results.push(await batch.read(read))
  return results
}

/** Loads all cold columns of the positions [from, to). Returns how many rows were loaded. */
export async function loadRange(frame: Frame, from: number, to: number, yieldIfDue = noYield): Promise<number> {
  for (const name of COLD_COLUMNS) frame.column(name)
  const positions = Uint32Array.from({ length: to - from }, (_, i) => from + i)
  return (await frame.load(positions, yieldIfDue)).rows
}

/** Returns a vector, which must be of a kind. */
export function ofKind<Kind extends Vector['kind']>(vector: Vector, kind: Kind): Extract<Vector, { kind: Kind }> {
  if (vector.kind !== kind) throw new Error(`The vector is of the kind ${vector.kind}, not ${kind}.`)
  return vector as Extract<Vector, { kind: Kind }>
}

/** Returns the bytes that an engine has cached of a kind, by its metrics. */
export async function cachedBytes({ engineCachedBytes }: Metrics, kind: CacheKind): Promise<number | undefined> {
  return (await engineCachedBytes.get()).values.find(({ labels }) => labels.kind === kind)?.value
}
