import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../../../base/units.js'
import type { TimeRange } from '../../../plan/plan.js'
import { isMarked } from '../lowering/operands.js'
import type { Server } from '../server/clickhouse-server.js'
import { bucketNumber, timeCondition } from '../server/values.js'

/** A range of time, and the number of rows in the range that a query reads. */
export interface TimeWindow extends TimeRange {
  rows: number
  /** How many of the rows have a bit of the mask in `in_metadata`. */
  marked: number
}

/** The rows that are divided into windows. */
export interface WindowQuery extends TimeRange {
  /** `FROM … WHERE …`, the range of time included. */
  from: string
  mask: number
  /** The most rows of a window. A window has more rows only if all rows are of the same second. */
  maxRows: number
}

const LENGTHS_US = [DAY_US, HOUR_US, MINUTE_US, SECOND_US] as const

type Select = (sql: string) => ReturnType<Server['select']>

/** Divides rows into windows of time, the oldest first. Windows without rows are left out. */
export async function windowsOf(query: WindowQuery, select: Select): Promise<TimeWindow[]> {
  return joined(await divided(query, select, 0), query.maxRows)
}

async function divided(query: WindowQuery, select: Select, level: number): Promise<TimeWindow[]> {
  const windows = await countWindows(query, select, LENGTHS_US[level])
  if (level + 1 === LENGTHS_US.length) return windows
  const smaller: TimeWindow[] = []
  for (const window of windows) {
    if (window.rows <= query.maxRows) smaller.push(window)
    else smaller.push(...(await divided({ ...query, ...window }, select, level + 1)))
  }
  return smaller
}

async function countWindows(query: WindowQuery, select: Select, lengthUs: number): Promise<TimeWindow[]> {
  const { from, mask, fromUs, throughUs } = query
  const marked = mask === 0 ? '0' : `countIf(${isMarked(mask)})`
  const rows = await select(
    `SELECT ${bucketNumber('timestamp', lengthUs)} AS number, count(), ${marked} ` +
      `${from} AND ${timeCondition(query)} GROUP BY number ORDER BY number`,
  )
  return rows.map(([number, count, marked]) => ({
    fromUs: Math.max(fromUs, Number(number) * lengthUs),
    throughUs: Math.min(throughUs, (Number(number) + 1) * lengthUs - 1),
    rows: Number(count),
    marked: Number(marked),
  }))
}

/** Joins adjacent windows as long as the joined windows have few rows. */
function joined(windows: readonly TimeWindow[], maxRows: number): TimeWindow[] {
  const larger: TimeWindow[] = []
  for (const window of windows) {
    const last = larger.at(-1)
    if (last === undefined || last.rows + window.rows > maxRows) larger.push({ ...window })
    else {
      last.throughUs = window.throughUs
      last.rows += window.rows
      last.marked += window.marked
    }
  }
  return larger
}
