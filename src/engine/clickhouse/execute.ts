import { BUCKET_US, datetime } from '../../base/buckets.js'
import { nullsLast } from '../../base/nulls-last.js'
import type { Row, Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import { GROUPING_LIMITS, tooManyGroups } from '../engine.js'
import { type Lowered, lowerAggregate } from './aggregates.js'
import type { Cell, SelectOptions, Server } from './clickhouse-server.js'
import { exactMeans } from './exact-means.js'
import type { BucketsShape, GroupsShape, RowsShape, Shape } from './shape.js'
import { exactSumsQuery, groupsQuery, isOrderedByMean, rowsQuery } from './sql.js'
import type { TableLocation } from './table-names.js'

/** The tables that a query reads, and its cancellation. */
interface ReadContext extends Pick<SelectOptions, 'signal' | 'onRead'> {
  server: Server
  location: TableLocation
}

/** Runs a plan and returns all rows of its answer. Rejects with a ServerError, or the signal's reason. */
export function readAnswer(shape: Shape, context: ReadContext): Promise<Row[]> {
  if (shape.kind === 'rows') return readRows(shape, context)
  return shape.kind === 'groups' ? readTextGroups(shape, context) : readBuckets(shape, context)
}

async function readRows(shape: RowsShape, { server, location, ...options }: ReadContext): Promise<Row[]> {
  const unknown = shape.columns.find((column) => !Object.hasOwn(READ_COLUMN, column))
  if (unknown !== undefined) throw new TypeError(`The column ${unknown} is not one that rows are made of.`)
  const rows = await server.select(rowsQuery(shape, location), options)
  return rows.map((cells) => readRow(shape.columns, cells))
}

/** Returns a row of an answer from the cells of the selected columns. */
export function readRow(columns: readonly string[], cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, READ_COLUMN[name]!(cells[i]!)]))
}

const READ_COLUMN: Readonly<Record<string, (cell: Cell) => Value>> = {
  id: (cell) => cell,
  timestamp: Number,
  event_message: (cell) => cell,
  metadata: (cell) => new RawJson(cell as string),
}

/** A group, with its key as the server sends it. An undefined value is a mean that needs the exact sums. */
interface Group {
  key: Cell
  values: Record<string, Value | undefined>
}

async function readGroups(
  shape: BucketsShape | GroupsShape,
  context: ReadContext,
  onGroups?: SelectOptions['onGroups'],
): Promise<Group[]> {
  const { server, location, ...options } = context
  const rows = await server.select(groupsQuery(shape, location), { ...options, onGroups })
  const lowered = shape.aggregates.map(([name, aggregate]) => ({ name, ...lowerAggregate(aggregate, shape.source) }))
  const groups = rows.map((cells) => readGroup(lowered, cells))
  for (const [name, aggregate] of shape.aggregates) {
    const inexact = groups.filter(({ values }) => values[name] === undefined)
    if (inexact.length > 0 && aggregate.fn === 'mean') await fillMeans(inexact, name, aggregate.column, shape, context)
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

/** Sets the means of groups whose sums were too inexact, by a second query for the exact sums. */
async function fillMeans(
  groups: readonly Group[],
  name: string,
  column: string,
  shape: BucketsShape | GroupsShape,
  { server, location, ...options }: ReadContext,
): Promise<void> {
  const means = exactMeans(await server.select(exactSumsQuery(shape, column, location), options))
  for (const { key, values } of groups) values[name] = means.get(key) ?? null
}

function startOf(bucket: number, { unit, as }: BucketsShape): number | string {
  const startUs = bucket * BUCKET_US[unit]
  return as === 'datetime' ? datetime(startUs) : startUs
}

async function readBuckets(shape: BucketsShape, context: ReadContext): Promise<Row[]> {
  const buckets = await readGroups(shape, context)
  return buckets.map(({ key, values }) => ({ timestamp: startOf(Number(key), shape), ...values }) as Row)
}

/** Throws `too_many_groups`: exactly at the limit, unlike the server's own limit, which counts per thread and shard. */
async function readTextGroups(shape: GroupsShape, context: ReadContext): Promise<Row[]> {
  let count: number | undefined
  const groups = await readGroups(shape, context, (groups) => {
    count = groups
  })
  if ((count ?? groups.length) > GROUPING_LIMITS.groups) throw tooManyGroups(GROUPING_LIMITS)
  const first = isOrderedByMean(shape) ? groups.sort(orderOf(shape)).slice(0, shape.limit) : groups
  return first.map(({ key, values }) => ({ [shape.by]: key, ...values }) as Row)
}

/** Compares groups by a value, then by key, ascending in the order of its UTF-8 bytes; nulls last. */
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
