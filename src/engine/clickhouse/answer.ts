import { BUCKET_US, datetime } from '../../base/buckets.js'
import { RawJson, type Row, type RunOptions, type Value } from '../engine.js'
import type { BucketsShape, RowsShape } from '../plan.js'
import { type Lowered, lowerAggregate } from './aggregates.js'
import { exactMeans } from './exact-means.js'
import type { Layout } from './layout.js'
import type { Cell, Server } from './server.js'
import { bucketsQuery, exactSumsQuery, rowsQuery } from './sql.js'

/** Where an answer is read from, and until when. */
interface Reading extends RunOptions {
  server: Server
  layout: Layout
}

/** The rows of an answer. Rejects with a ServerError, or the signal's reason. */
export function readAnswer(shape: RowsShape | BucketsShape, reading: Reading): Promise<Row[]> {
  return shape.kind === 'rows' ? readRows(shape, reading) : readBuckets(shape, reading)
}

async function readRows(shape: RowsShape, { server, layout, signal }: Reading): Promise<Row[]> {
  const unknown = shape.columns.find((column) => !Object.hasOwn(READ_COLUMN, column))
  if (unknown !== undefined) throw new TypeError(`The column ${unknown} is not one that rows are made of.`)
  const rows = await server.select(rowsQuery(shape, layout), { signal })
  return rows.map((cells) => Object.fromEntries(shape.columns.map((name, i) => [name, READ_COLUMN[name]!(cells[i]!)])))
}

const READ_COLUMN: Readonly<Record<string, (cell: Cell) => Value>> = {
  id: (cell) => cell,
  timestamp: Number,
  event_message: (cell) => cell,
  metadata: (cell) => new RawJson(cell as string),
}

/** A bucket of time by its number since the epoch; undefined stands for a mean that wants exact sums. */
interface Bucket {
  number: number
  values: Record<string, Value | undefined>
}

async function readBuckets(shape: BucketsShape, reading: Reading): Promise<Row[]> {
  const rows = await reading.server.select(bucketsQuery(shape, reading.layout), { signal: reading.signal })
  const lowered = shape.aggregates.map(([name, aggregate]) => ({ name, ...lowerAggregate(aggregate, shape.source) }))
  const buckets = rows.map((cells) => readBucket(lowered, cells))
  for (const [name, aggregate] of shape.aggregates) {
    const unsure = buckets.filter(({ values }) => values[name] === undefined)
    if (unsure.length > 0 && aggregate.fn === 'mean') await fillMeans(unsure, name, aggregate.column, shape, reading)
  }
  return buckets.map(({ number, values }) => ({ timestamp: startOf(number, shape), ...values }) as Row)
}

function readBucket(lowered: readonly (Lowered & { name: string })[], [number, ...cells]: readonly Cell[]): Bucket {
  const values: Bucket['values'] = {}
  let at = 0
  for (const { name, values: computed, read } of lowered) {
    values[name] = read(cells.slice(at, at + computed.length))
    at += computed.length
  }
  return { number: Number(number), values }
}

/** Where rounding may have cost a mean more than it may, its values are summed once more, exactly. */
async function fillMeans(
  buckets: readonly Bucket[],
  name: string,
  column: string,
  shape: BucketsShape,
  { server, layout, signal }: Reading,
): Promise<void> {
  const means = exactMeans(await server.select(exactSumsQuery(shape, column, layout), { signal }))
  for (const { number, values } of buckets) values[name] = means.get(number) ?? null
}

function startOf(bucket: number, { unit, as }: BucketsShape): number | string {
  const startUs = bucket * BUCKET_US[unit]
  return as === 'datetime' ? datetime(startUs) : startUs
}
