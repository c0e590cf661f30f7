import { BUCKET_US, datetime } from '../../base/buckets.js'
import { nullsLast } from '../../base/nulls-last.js'
import { GROUPING_LIMITS, RawJson, type Row, tooManyGroups, type Value } from '../engine.js'
import type { BucketsShape, GroupsShape, RowsShape, Shape } from '../plan.js'
import { type Lowered, lowerAggregate } from './aggregates.js'
import { exactMeans } from './exact-means.js'
import type { Cell, SelectOptions, Server } from './server.js'
import { exactSumsQuery, groupsQuery, isOrderedByMean, rowsQuery } from './sql.js'
import type { TableLocation } from './table-names.js'

/** Where an answer is read from, and until when. */
interface Reading extends Pick<SelectOptions, 'signal' | 'onRead'> {
  server: Server
  location: TableLocation
}

/** The rows of an answer. Rejects with a ServerError, or the signal's reason. */
export function readAnswer(shape: Shape, reading: Reading): Promise<Row[]> {
  if (shape.kind === 'rows') return readRows(shape, reading)
  return shape.kind === 'groups' ? readTexts(shape, reading) : readBuckets(shape, reading)
}

async function readRows(shape: RowsShape, { server, location, ...asked }: Reading): Promise<Row[]> {
  const unknown = shape.columns.find((column) => !Object.hasOwn(READ_COLUMN, column))
  if (unknown !== undefined) throw new TypeError(`The column ${unknown} is not one that rows are made of.`)
  const rows = await server.select(rowsQuery(shape, location), asked)
  return rows.map((cells) => readRow(shape.columns, cells))
}

/** A row of the columns that were selected. */
export function readRow(columns: readonly string[], cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, READ_COLUMN[name]!(cells[i]!)]))
}

const READ_COLUMN: Readonly<Record<string, (cell: Cell) => Value>> = {
  id: (cell) => cell,
  timestamp: Number,
  event_message: (cell) => cell,
  metadata: (cell) => new RawJson(cell as string),
}

/** A group by its key as the server sends it; undefined stands for a mean that wants exact sums. */
interface Group {
  key: Cell
  values: Record<string, Value | undefined>
}

async function readGroups(
  shape: BucketsShape | GroupsShape,
  reading: Reading,
  onGroups?: SelectOptions['onGroups'],
): Promise<Group[]> {
  const { server, location, ...asked } = reading
  const rows = await server.select(groupsQuery(shape, location), { ...asked, onGroups })
  const lowered = shape.aggregates.map(([name, aggregate]) => ({ name, ...lowerAggregate(aggregate, shape.source) }))
  const groups = rows.map((cells) => readGroup(lowered, cells))
  for (const [name, aggregate] of shape.aggregates) {
    const unsure = groups.filter(({ values }) => values[name] === undefined)
    if (unsure.length > 0 && aggregate.fn === 'mean') await fillMeans(unsure, name, aggregate.column, shape, reading)
  }
  return groups
}

function readGroup(lowered: readonly (Lowered & { name: string })[], [key, ...cells]: readonly Cell[]): Group {
  const values: Group['values'] = {}
  let at = 0
  for (const { name, values: computed, read } of lowered) {
    values[name] = read(cells.slice(at, at + computed.length))
    at += computed.length
  }
  return { key: key!, values }
}

/** Where rounding may have cost a mean more than it may, its values are summed once more, exactly. */
async function fillMeans(
  groups: readonly Group[],
  name: string,
  column: string,
  shape: BucketsShape | GroupsShape,
  { server, location, ...asked }: Reading,
): Promise<void> {
  const means = exactMeans(await server.select(exactSumsQuery(shape, column, location), asked))
  for (const { key, values } of groups) values[name] = means.get(key) ?? null
}

function startOf(bucket: number, { unit, as }: BucketsShape): number | string {
  const startUs = bucket * BUCKET_US[unit]
  return as === 'datetime' ? datetime(startUs) : startUs
}

async function readBuckets(shape: BucketsShape, reading: Reading): Promise<Row[]> {
  const buckets = await readGroups(shape, reading)
  return buckets.map(({ key, values }) => ({ timestamp: startOf(Number(key), shape), ...values }) as Row)
}

/** The server's own limit, which counts no threads and no shards together, keeps it from harm; this one is exact. */
async function readTexts(shape: GroupsShape, reading: Reading): Promise<Row[]> {
  let count: number | undefined
  const groups = await readGroups(shape, reading, (groups) => {
    count = groups
  })
  if ((count ?? groups.length) > GROUPING_LIMITS.groups) throw tooManyGroups(GROUPING_LIMITS)
  const first = isOrderedByMean(shape) ? groups.sort(orderOf(shape)).slice(0, shape.limit) : groups
  return first.map(({ key, values }) => ({ [shape.by]: key, ...values }) as Row)
}

/** By a value and then by key, ascending in the order of its bytes; null last. */
function orderOf({ orderBy, direction }: GroupsShape) {
  const sign = direction === 'asc' ? 1 : -1
  return (a: Group, b: Group) => {
    const [left, right] = [a.values[orderBy], b.values[orderBy]]
    return (
      (nullsLast(left === null, right === null) ?? sign * (Number(left) - Number(right))) ||
      (nullsLast(a.key === null, b.key === null) ?? Buffer.compare(Buffer.from(`${a.key}`), Buffer.from(`${b.key}`)))
    )
  }
}
