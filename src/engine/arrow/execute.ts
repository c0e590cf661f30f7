import { datetime } from '../../base/buckets.js'
import { RawJson, type Row, type Value } from '../engine.js'
import type { BucketsShape, RowsShape } from '../plan.js'
import type { Batch, ColdReader, ColdRow, Part } from './columns/batch.js'
import { range, type Selection, sizeOf } from './columns/selection.js'
import { createAggregation } from './operators/aggregate.js'
import { createFilter, type Filter, filterTime } from './operators/filter.js'
import { createTop, type Found } from './operators/top.js'
import { mergePartial, type Partial, partialOf } from './partials.js'
import type { Pause } from './slices.js'

/** What a run needs from outside: the rows, a pause between pieces of work, and somebody who counts. */
export interface Run {
  /** In order of arrival. */
  parts: readonly Part[]
  pause: Pause
  scanned(rows: number): void
}

/** Runs a plan of the buckets shape: each batch gives a partial, the partials are merged. */
export async function runBuckets(shape: BucketsShape, { parts, pause, scanned }: Run): Promise<Row[]> {
  const filters = shape.predicates.map((predicate) => createFilter(shape.source, predicate))
  const aggregation = createAggregation(shape.aggregates)
  const total: Partial = new Map()
  for (const part of parts) {
    if (!overlaps(part, shape)) continue
    const batch = await part.open()
    const selection = await select(batch, shape, filters, pause)
    scanned(sizeOf(selection))
    if (sizeOf(selection) > 0) mergePartial(total, partialOf(batch, selection, shape.unit, aggregation), aggregation)
    await pause()
  }
  const buckets = [...total].sort(([a], [b]) => a - b).slice(0, shape.limit)
  return buckets.map(([bucketUs, states]) => {
    const timestamp = shape.as === 'datetime' ? datetime(bucketUs) : bucketUs
    const values = aggregation.outputs.map(({ name, fold, finish }) => [name, finish(states[fold])] as const)
    return Object.fromEntries<Value>([['timestamp', timestamp], ...values])
  })
}

/** Runs a plan of the rows shape: the batches with the newest rows first, until no other could have a newer one. */
export async function runRows(shape: RowsShape, { parts, pause, scanned }: Run): Promise<AsyncIterable<Row>> {
  const filters = shape.predicates.map((predicate) => createFilter(shape.source, predicate))
  const top = createTop(shape.limit)
  const opened = new Map<number, Batch>()
  const newestFirst = parts.map((_, i) => i).sort((a, b) => parts[b]!.maxUs - parts[a]!.maxUs)
  for (const number of newestFirst) {
    const part = parts[number]!
    if (!top.wants(part.maxUs)) break
    if (!overlaps(part, shape)) continue
    const batch = await part.open()
    opened.set(number, batch)
    const selection = await select(batch, shape, filters, pause)
    scanned(Math.min(sizeOf(selection), shape.limit))
    top.offer(batch, number, selection)
    await pause()
  }
  return readRows(top.found, opened, shape.columns, pause)
}

function overlaps({ minUs, maxUs }: Part, { fromUs, throughUs }: BucketsShape | RowsShape): boolean {
  return maxUs >= fromUs && minUs <= throughUs
}

/** The rows of a batch that a plan means. The project's filter comes first: it finds its rows without a look at others. */
async function select(
  batch: Batch,
  shape: BucketsShape | RowsShape,
  filters: readonly Filter[],
  pause: Pause,
): Promise<Selection> {
  let selection: Selection = range(0, batch.rows, false)
  for (const filter of filters) selection = await filter(batch, selection, pause)
  return filterTime(batch, selection, shape)
}

async function* readRows(
  found: readonly Found[],
  batches: ReadonlyMap<number, Batch>,
  columns: readonly string[],
  pause: Pause,
): AsyncIterable<Row> {
  const readers = new Map<number, ColdReader>()
  for (const { timestampUs, batch, row } of found) {
    const read = readers.get(batch) ?? batches.get(batch)!.openCold()
    readers.set(batch, read)
    yield toRow(timestampUs, await read(row), columns)
    await pause()
  }
}

function toRow(timestampUs: number, cold: ColdRow, columns: readonly string[]): Row {
  const values: Record<string, () => Value> = {
    id: () => cold.id.toString(),
    timestamp: () => timestampUs,
    event_message: () => cold.event_message.toString(),
    metadata: () => new RawJson(cold.metadata.toString()),
  }
  return Object.fromEntries(columns.map((column) => [column, values[column]!()]))
}
