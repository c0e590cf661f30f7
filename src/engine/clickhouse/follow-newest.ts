import type { Plan } from '../../plan/plan.js'
import type { TopSink } from '../arrow/operators/top.js'
import { leadingFilters } from '../arrow/query/run.js'
import { type Stage, stagesOf } from '../arrow/query/stages.js'
import type { Cell, SelectOptions, Server } from './clickhouse-server.js'
import { lowerFilters } from './conditions.js'
import type { FollowFilter } from './follow-filter.js'
import { amongFirst, NEWEST_FIRST } from './read-rows.js'
import { quotedTable, type TableLocation } from './table-names.js'
import { timeCondition } from './values.js'

/** The table of a subscription, and its limits. */
export interface NewestContext extends Pick<SelectOptions, 'signal'> {
  server: Server
  location: TableLocation
  readsJson?: boolean
  limits: {
    /** The most rows that are read to find the newest that pass. */
    examinedRows: number
  }
}

/** How many times more rows are read if too few of the newest pass. */
const GROWTH = 8

/**
 * Reads the newest rows of a plan, whose condition the filter is. If the server applies only a part of it, more rows
 * are read until enough pass; `isCut` if that took too many. Throws a TypeError if the plan has another form.
 */
export async function readNewest(
  plan: Plan,
  filter: FollowFilter,
  columns: readonly string[],
  context: NewestContext,
): Promise<{ rows: readonly Cell[][]; isCut: boolean }> {
  const { server, limits, signal } = context
  const stage = newestStage(plan)
  const { rows: enough } = stage.sink
  for (let most = enough; ; most = Math.min(most * GROWTH, limits.examinedRows)) {
    const found = await server.select(newestQuery(stage, filter, { rows: most, columns }, context), { signal })
    const rows = await filter.keep(found, columns)
    if (found.length < most || rows.length >= enough) return { rows: rows.slice(0, enough), isCut: false }
    if (most < limits.examinedRows) continue
    // Some rows of the oldest time may not have been read.
    const timeOf = (cells: readonly Cell[]) => cells[columns.indexOf('timestamp')]
    return { rows: rows.filter((cells) => timeOf(cells) !== timeOf(found.at(-1)!)), isCut: true }
  }
}

/** A stage that returns the newest rows of a source that pass its conditions. */
type NewestStage = Stage & { input: Extract<Stage['input'], { op: 'scan' }>; sink: TopSink }

function newestStage(plan: Plan): NewestStage {
  const stage = stagesOf(plan)
  const isNewest =
    stage?.sink.op === 'top' && stage.input.op === 'scan' && leadingFilters(stage.steps).rest.length === 0
  if (!isNewest) throw notNewest()
  return stage as NewestStage
}

const notNewest = () => new TypeError('A subscription runs only plans of the newest rows of a source.')

/** Returns the query for the newest rows of a stage, with the conditions that the server applies. */
function newestQuery(
  { input, steps }: NewestStage,
  ofProcess: FollowFilter,
  { rows, columns }: { rows: number; columns: readonly string[] },
  { location, readsJson = false }: NewestContext,
): string {
  const source = input.sources[0]!
  const filter = lowerFilters(leadingFilters(steps).conditions, { source, readsJson })
  if (filter.count < steps.length && ofProcess.columns.length === 0) throw notNewest()
  const where = [...filter.sql, timeCondition(input)].join(' AND ')
  const from = `FROM ${quotedTable(location, source)} WHERE ${where}`
  const range = `${from} AND ${amongFirst(from, 'desc', rows)}`
  return `SELECT ${columns.join(', ')} ${range} ORDER BY ${NEWEST_FIRST} LIMIT ${rows}`
}
