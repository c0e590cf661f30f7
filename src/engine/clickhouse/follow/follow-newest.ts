import type { SourceName } from '../../../common/sources.js'
import type { Plan } from '../../../plan/plan.js'
import type { TopSink } from '../../execute/ordering/sink.js'
import { cutPlan } from '../../execute/run/cut-plan.js'
import { leadingFilters, type Stage } from '../../execute/stages/stage.js'
import { lowerFilters } from '../lowering/conditions.js'
import { amongFirst, NEWEST_FIRST } from '../query/read-rows.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Cell, SelectOptions, Server } from '../server/clickhouse-server.js'
import { timeCondition } from '../server/values.js'
import type { FollowFilter } from './follow-filter.js'

/** The table of a subscription, and the limits. */
export interface NewestContext extends Pick<SelectOptions, 'signal'> {
  server: Server
  location: TableLocation
  readsJson?: boolean
  /** Returns conditions in SQL, true in the rows of a source that may be read. By default all. */
  visibleIn?(source: SourceName): readonly string[]
  limits: {
    /** The most rows that are read to find the newest that pass. */
    examinedRows: number
  }
}

/** The columns that identify a row and order rows by arrival. */
export const ROW_ID = ['arrived', 'batch', 'row'] as const

/** How many times more rows are read if too few of the newest pass. */
const GROWTH = 8

/** A row, and the row's place among the passing rows of that time, in order of arrival, from 1. */
interface RankedRow {
  cells: readonly Cell[]
  rank: number
}

/** The newest rows of a plan. */
interface Newest {
  rows: readonly RankedRow[]
  /** The name of the column of the ranks. Undefined if the plan has no ranks. */
  rankName: string | undefined
  /** Whether too many rows had to be read: older rows may be missing. */
  isCut: boolean
}

/**
 * Reads the newest rows of a plan, with their ranks. `filter` is the condition of the plan. If the server applies only
 * a part of the condition, more rows are read until enough pass. `columns` begins with {@link ROW_ID}. Throws a
 * TypeError if the plan has another form.
 */
export async function readNewest(
  plan: Plan,
  filter: FollowFilter,
  columns: readonly string[],
  context: NewestContext,
): Promise<Newest> {
  const { server, limits, signal } = context
  const stage = newestStage(plan)
  const { rows: enough, rank: rankName } = stage.sink
  const read: Reading = { conditions: conditionsOf(stage, filter, context), filter, columns, context }
  const timeOf = (cells: readonly Cell[]) => cells[columns.indexOf('timestamp')]
  for (let most = enough; ; most = Math.min(most * GROWTH, limits.examinedRows)) {
    const found = await server.select(newestQuery(read, most), { signal })
    const rows = await filter.keep(found, columns)
    const isShort = found.length === most && rows.length < enough
    if (isShort && most < limits.examinedRows) continue
    const oldest = found.at(-1)!
    const isOldest = (cells: readonly Cell[]) => timeOf(cells) === timeOf(oldest)
    // Behind the rows that were read there may be others of the oldest time.
    const isTied = rankName !== undefined && found.length === most && !isShort && isOldest(rows[enough - 1])
    const before = isTied ? await countBefore(read, oldest, timeOf(oldest)) : 0
    if (!isShort && before !== undefined) {
      return { rows: ranked(rows, timeOf, before).slice(0, enough), rankName, isCut: false }
    }
    const kept = rows.filter((cells) => !isOldest(cells))
    return { rows: ranked(kept, timeOf, 0), rankName, isCut: true }
  }
}

/** The rows of a table that may pass, and their columns. */
interface Reading {
  /** `FROM … WHERE …` */
  conditions: string
  filter: FollowFilter
  columns: readonly string[]
  context: NewestContext
}

/**
 * Returns how many passing rows have the time of a row, given with the id, and arrived before the row. Undefined if the
 * process would have to read too many rows.
 */
async function countBefore(
  { conditions, filter, columns, context }: Reading,
  row: readonly Cell[],
  time: Cell,
): Promise<number | undefined> {
  const { server, limits, signal } = context
  const id = row.slice(0, ROW_ID.length).map((number) => `toUInt64(${number})`)
  const from = `${conditions} AND timestamp = ${time} AND (${ROW_ID.join(', ')}) < (${id.join(', ')})`
  if (filter.columns.length === 0) {
    const [[count] = []] = await server.select(`SELECT count() ${from}`, { signal })
    return Number(count)
  }
  const query = `SELECT ${columns.join(', ')} ${from} ORDER BY ${NEWEST_FIRST} LIMIT ${limits.examinedRows}`
  const found = await server.select(query, { signal })
  return found.length < limits.examinedRows ? (await filter.keep(found, columns)).length : undefined
}

/** Ranks rows, newest first. `before` other rows of the time of the last row arrived before the last row. */
function ranked(rows: readonly Cell[][], timeOf: (cells: readonly Cell[]) => Cell, before: number): RankedRow[] {
  let rank = before
  const oldestFirst = rows.toReversed().map((cells, i, all) => {
    rank = i === 0 || timeOf(cells) === timeOf(all[i - 1]) ? rank + 1 : 1
    return { cells, rank }
  })
  return oldestFirst.reverse()
}

/** A stage that returns the newest passing rows of a source. */
type NewestStage = Stage & { input: Extract<Stage['input'], { op: 'scan' }>; sink: TopSink }

function newestStage(plan: Plan): NewestStage {
  const stage = cutPlan(plan)
  const isNewest =
    stage?.sink.op === 'top' && stage.input.op === 'scan' && leadingFilters(stage.steps).rest.length === 0
  if (!isNewest) throw notNewest()
  return stage as NewestStage
}

const notNewest = () => new TypeError('A subscription runs only plans of the newest rows of a source.')

/** Returns the table and the conditions of a stage that the server applies. */
function conditionsOf(
  { input, steps }: NewestStage,
  ofProcess: FollowFilter,
  { location, readsJson = false, visibleIn = () => [] }: NewestContext,
): string {
  const source = input.sources[0]
  const filter = lowerFilters(leadingFilters(steps).conditions, { source, readsJson })
  if (filter.count < steps.length && ofProcess.columns.length === 0) throw notNewest()
  const conditions = [...filter.sql, ...visibleIn(source), timeCondition(input)]
  return `FROM ${quotedTable(location, source)} WHERE ${conditions.join(' AND ')}`
}

/** Returns the query for the newest rows. */
function newestQuery({ conditions, columns }: Reading, rows: number): string {
  const range = `${conditions} AND ${amongFirst(conditions, 'desc', rows)}`
  return `SELECT ${columns.join(', ')} ${range} ORDER BY ${NEWEST_FIRST} LIMIT ${rows}`
}
