import { LogweirError } from '../../../base/errors.js'
import type { SourceName } from '../../../common/sources.js'
import { noViews } from '../../engine.js'
import type { Part } from '../../execute/columns/batch.js'
import type { Frame } from '../../execute/expressions/frame.js'
import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import { partOfOpenBatch } from '../../execute/open-batch/snapshot.js'
import { timeOrder } from '../../execute/ordering/time-order.js'
import type { StoredRows } from '../../execute/run/run-stage.js'
import { isEmpty, leadingFilters, type ScanStage, type Stage } from '../../execute/stages/stage.js'
import { lowerFilters, type ServerFilter } from '../lowering/conditions.js'
import type { Table } from '../lowering/operands.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { SelectOptions, Server } from '../server/clickhouse-server.js'
import { timeCondition } from '../server/values.js'
import { type FirstGroups, lowerGroup, queryGroups } from './group-query.js'
import { amongFirst, readRows, type WantedColumns } from './read-rows.js'
import { columnsOfStage, type StageColumns } from './wanted-columns.js'
import { windowsOf } from './windows.js'

/** The tables that a query reads, the cancellation, and the limits of the rows that are read at once. */
export interface ReadContext extends Pick<SelectOptions, 'signal' | 'onRead'> {
  server: Server
  location: TableLocation
  serverVersion(): Promise<string>
  /** Returns conditions in SQL, true in the rows of a source that may be read. By default all. */
  visibleIn?(source: SourceName): readonly string[]
  /** Called when the rows of a part are no longer read. */
  onClose(owner: object): void
  partRows?: Partial<PartRows>
}

/** The most rows of a part: with hot columns alone, and with long columns. */
export interface PartRows {
  hot: number
  cold: number
}

/** The limits of the service: some ten MB each. */
export const PART_ROWS: PartRows = { hot: 131_072, cold: 8_192 }
/** The most rows that are asked for as the first of an order. */
const MOST_FIRST_ROWS = 10_000

/**
 * Reads the rows of all stages of a plan that read stored rows. The server computes groups if the server can do so
 * exactly. Otherwise the server applies as many filters as possible, and operators of the process do the rest. Rejects
 * with a ServerError, or `unsupported_by_engine` if a stage reads a view, or if a field has no column and the server
 * cannot read JSON.
 */
export async function readStages(stage: Stage, context: ReadContext): Promise<StoredRows> {
  const groups = new Map<Stage, Frame>()
  const parts = new Map<Stage, Map<SourceName, readonly Part[]>>()

  async function visit(one: Stage, first: FirstGroups | undefined, isPart: boolean): Promise<void> {
    const { input } = one
    if (isEmpty(one) || groups.has(one) || parts.has(one)) return
    if (input.op === 'stage') return visit(input.stage, firstGroupsOf(one), false)
    if (input.op === 'union') {
      for (const part of input.inputs) await visit(part, undefined, true)
      return
    }
    if (input.op === 'view') throw noViews('they are not kept over ClickHouse, but in a data directory')
    const scan = one as ScanStage
    const sources: ScannedSource[] = []
    for (const source of scan.input.sources) sources.push(await scanned(scan, source, isPart, context))
    // The first groups of a use of the stage may not be the first groups of another use.
    const frame = await groupsOf(scan, sources, one.isShared ? undefined : first, context)
    if (frame !== undefined) groups.set(one, frame)
    else parts.set(one, await partsOf(scan, sources, context))
  }

  await visit(stage, undefined, false)
  return {
    partsOf: (source, of) => parts.get(of)?.get(source) ?? [],
    frameOf: (of) => groups.get(of),
    readView: () => {
      throw new TypeError('A stage over a view was refused.')
    },
  }
}

/** The first groups that a stage keeps of the stage before, if no condition drops groups. */
function firstGroupsOf({ steps, sink }: Stage): FirstGroups | undefined {
  if (steps.length > 0 || sink.op !== 'top' || sink.rows === Number.POSITIVE_INFINITY) return undefined
  return { order: sink.keys, rows: sink.rows + sink.offset }
}

/** A source of a stage: the filters that the server applies, and the columns that the stage reads. */
interface ScannedSource {
  table: Table
  filter: ServerFilter
  /** Whether the server applies all steps of the stage. */
  isWhole: boolean
  where: string
  /** The part of `where` that reads columns alone, which is fast. */
  whereOfColumns: string
  columns: StageColumns
}

async function scanned(
  stage: ScanStage,
  source: SourceName,
  isPart: boolean,
  context: ReadContext,
): Promise<ScannedSource> {
  const columns = columnsOfStage(stage, source, { isPart })
  const table = { source, readsJson: await readsJson(columns, context) }
  const filter = lowerFilters(leadingFilters(stage.steps).conditions, table)
  const range = [...(context.visibleIn?.(source) ?? []), timeCondition(stage.input)]
  return {
    table,
    filter,
    isWhole: filter.count === stage.steps.length,
    where: [...filter.sql, ...range].join(' AND '),
    whereOfColumns: [...filter.ofColumns, ...range].join(' AND '),
    columns,
  }
}

/** The first version with all JSON functions that are used. */
const JSON_MAJOR = 22

/** Returns whether a server of this version reads fields that have no column. */
export const versionReadsJson = (version: string): boolean => Number(version.split('.')[0]) >= JSON_MAJOR

/**
 * Whether the server reads the fields that have no column. Throws `unsupported_by_engine` if there are such fields, and
 * the server is too old to read JSON at all.
 */
async function readsJson({ undeclared }: StageColumns, { serverVersion }: ReadContext): Promise<boolean> {
  if (undeclared.length === 0) return false
  const version = await serverVersion()
  if (versionReadsJson(version)) return true
  throw new LogweirError(
    'unsupported_by_engine',
    `The field ${undeclared[0]} has no column of its own, and ClickHouse ${version} cannot read JSON paths. ` +
      `ClickHouse ${JSON_MAJOR} or newer can, and so can the embedded engine.`,
  )
}

/**
 * Computes the groups of a stage on the server. Undefined if the stage ends without groups, or the server cannot
 * compute the groups.
 */
async function groupsOf(
  { sink }: ScanStage,
  [one, other]: readonly ScannedSource[],
  first: FirstGroups | undefined,
  context: ReadContext,
): Promise<Frame | undefined> {
  if (sink.op !== 'group' || other !== undefined || !one!.isWhole) return undefined
  const { table, filter, where } = one!
  const group = lowerGroup(sink, table, filter.exceptions)
  return group && queryGroups(group, first, { ...context, where })
}

async function partsOf(
  stage: ScanStage,
  sources: readonly ScannedSource[],
  context: ReadContext,
): Promise<Map<SourceName, readonly Part[]>> {
  const parts = new Map<SourceName, readonly Part[]>()
  for (const one of sources) {
    parts.set(one.table.source, (await firstRows(stage, one, context)) ?? (await windowParts(stage, one, context)))
  }
  return parts
}

/** Rows that are held in memory, as a part. */
function partOf(openBatch: OpenBatch, { onClose }: ReadContext): Part {
  const part = partOfOpenBatch(openBatch)
  return { ...part, close: () => onClose(part.owner) }
}

/**
 * Reads the first rows of an order by time alone, if the server applies all filters. Undefined otherwise, or if a row
 * has a value in the metadata alone that decides whether the row passes.
 */
async function firstRows(
  { sink }: ScanStage,
  { table: { source }, isWhole, where, columns, filter }: ScannedSource,
  context: ReadContext,
): Promise<Part[] | undefined> {
  const isExact = isWhole && filter.exceptions.odd.length === 0
  if (!isExact || sink.op !== 'top' || sink.rows + sink.offset > MOST_FIRST_ROWS) return undefined
  const direction = sink.keys.length === 0 ? 'desc' : timeOrder(sink.keys)
  if (direction === undefined) return undefined
  const rows = sink.rows + sink.offset
  const from = `FROM ${quotedTable(context.location, source)} WHERE ${where}`
  const range = `${where} AND ${amongFirst(from, direction, rows)}`
  // Further keys decide between rows of the last of the first times. A rank counts the rows of that time that arrived
  // before.
  const needsTies = sink.keys.length > 1 || (sink.rank !== undefined && direction === 'desc')
  const first = needsTies ? {} : { first: { rows, direction } }
  const openBatch = await readRows(source, columns, { where: range, ...first }, context)
  return (openBatch.inMetadata.mask & columns.mask) === 0 ? [partOf(openBatch, context)] : undefined
}

/** Divides the rows into parts by time. A part is read when an operator needs the part. */
async function windowParts(
  { input }: ScanStage,
  { table: { source }, where, whereOfColumns, columns }: ScannedSource,
  context: ReadContext,
): Promise<Part[]> {
  const { server, location, signal } = context
  const limits = { ...PART_ROWS, ...context.partRows }
  const from = `FROM ${quotedTable(location, source)} WHERE ${whereOfColumns}`
  const divide = (maxRows: number) =>
    windowsOf({ ...input, from, mask: columns.mask, maxRows }, (sql) => server.select(sql, { signal }))
  let windows = await divide(columns.cold.size === 0 ? limits.hot : limits.cold)
  if (columns.cold.size === 0 && windows.some(({ marked }) => marked > 0)) windows = await divide(limits.cold)
  return windows.map((window) => {
    const { fromUs, throughUs, rows, marked } = window
    const range = { where: `${where} AND ${timeCondition(window)}` }
    const owner = {}
    return {
      isSealed: false,
      owner,
      rows,
      minUs: fromUs,
      maxUs: throughUs,
      async open(yieldIfDue, names) {
        let openBatch = await readRows(source, marked === 0 ? columns : withMetadata(columns), range, context)
        // A marked row may have arrived since the rows were counted.
        const isMarked = marked === 0 && (openBatch.inMetadata.mask & columns.mask) !== 0
        if (isMarked) openBatch = await readRows(source, withMetadata(columns), range, context)
        return partOfOpenBatch({ ...openBatch, owner }).open(yieldIfDue, names)
      },
      close: () => context.onClose(owner),
    }
  })
}

const withMetadata = (columns: WantedColumns): WantedColumns => ({
  ...columns,
  cold: new Set([...columns.cold, 'metadata']),
})
