import { createSerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { Clock } from '../../../base/time/clock.js'
import { HOUR_US, MINUTE_US } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import type { Row, Value } from '../../../plan/answer.js'
import type { Plan } from '../../../plan/plan.js'
import { RawJson } from '../../../plan/values/values.js'
import type { FollowedRows, FollowQuery, RowListener, RunOptions, Subscription } from '../../engine.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Cell, Server } from '../server/clickhouse-server.js'
import { int64Value, textValue } from '../server/values.js'
import { createFollowFilter, type FollowFilter } from './follow-filter.js'
import { ROW_ID, readNewest } from './follow-newest.js'

/** The limits of a subscription. */
export interface PollLimits {
  /** Interval between two polls. */
  pollMs: number
  /**
   * A row is delivered if the row is stored within this time after the start of the group, by the clock of the sender.
   */
  storeDelayUs: number
  /** A row is delivered if the row is at most this old when stored. */
  rowAgeUs: number
  /** The most rows of a call of the listener. If there are more, only the latest rows are delivered. */
  rows: number
  /** The most row ids, of the last `storeDelayUs`, that are remembered. */
  rowIds: number
  /** The most rows that are read to find the newest that pass a condition which the server cannot apply as a whole. */
  examinedRows: number
}

/** The limits of the service. Tests use smaller limits. */
export const POLL_LIMITS: PollLimits = {
  pollMs: 1_000,
  storeDelayUs: MINUTE_US,
  rowAgeUs: HOUR_US,
  rows: 1_000,
  rowIds: 50_000,
  examinedRows: 10_000,
}

/** The tables that a subscription polls, and the limits. */
export interface PollContext {
  server: Server
  location: TableLocation
  clock: Clock
  limits: PollLimits
  /** Whether the server reads fields that have no column. */
  readsJson?: boolean
  /** See {@link NewestContext}. */
  visibleIn?(source: SourceName): readonly string[]
}

const BY_ARRIVAL = ROW_ID.map((name) => `${name} DESC`).join(', ')

const rowIdOf = (cells: readonly Cell[]) => cells.slice(0, ROW_ID.length).join(' ')

/**
 * Polls for the rows of a project, since other processes also send rows: first for the ids of recently stored rows,
 * then for the rows with new ids. Rejects with a ServerError if the first poll fails. A later failing poll is repeated.
 */
export async function followRows(query: FollowQuery, listener: RowListener, parts: PollContext): Promise<Subscription> {
  const { clock, limits, readsJson = false } = parts
  const queue = createSerialQueue()
  const filter = createFollowFilter(query.where, { source: query.source, readsJson })
  const wanted = [...ROW_ID, ...new Set([...query.columns, ...filter.columns])]
  const select = createRecentSelect(query, filter, parts)
  const seen = createSeenRows(clock.nowUs(), limits)
  let delivered = 0
  let isAfterGap = false

  const pollRowIds = () => select(ROW_ID, '', limits.rowIds, seen.sinceUs())
  const rowOf = (cells: readonly Cell[]) => readRow(query.columns, cells.slice(ROW_ID.length))
  const passing = (rows: readonly Cell[][]) => filter.keep(rows, wanted)

  /** Delivers rows that pass the filter, given with their ids, latest first. */
  function deliver(rows: readonly (readonly Cell[])[], hasGap: boolean): void {
    isAfterGap ||= hasGap
    if (rows.length === 0) return
    delivered += rows.length
    listener(rows.map(rowOf).reverse(), isAfterGap)
    isAfterGap = false
  }

  async function poll(): Promise<void> {
    const nowUs = clock.nowUs()
    const found = await pollRowIds()
    const unseen = found.filter((cells) => !seen.has(cells))
    if (unseen.length > 0) {
      const batches = [...new Set(unseen.map(([, batch]) => batch))].map((batch) => `toUInt64(${batch})`)
      const rows = await select(wanted, ` AND batch IN (${batches.join(', ')})`, limits.rows, seen.sinceUs())
      // Rows stored after the query for the ids are left to the next poll.
      const isNew = new Set(unseen.map(rowIdOf))
      const read = rows.filter((cells) => isNew.has(rowIdOf(cells)))
      deliver(await passing(read), read.length < unseen.length)
    }
    seen.replace(found, nowUs)
  }

  async function run(plan: Plan, { signal }: RunOptions = {}): Promise<FollowedRows> {
    const oldestUs = clock.nowUs() - limits.rowAgeUs
    const { rows, rankName, isCut } = await readNewest(plan, filter, wanted, { ...parts, signal })
    const answer = rows.map(({ cells, rank }) => {
      return { cells, row: { ...rowOf(cells), ...(rankName !== undefined && { [rankName]: rank }) } }
    })
    // Delivers the rows that the next poll would find: every row of the answer has then been delivered or was
    // there before.
    const isUnseen = ({ cells, row }: (typeof answer)[number]) =>
      Number(cells[0]) >= seen.sinceUs() && Number(row.timestamp) >= oldestUs && !seen.has(cells)
    const unseen = answer.filter(isUnseen).map(({ cells }) => cells)
    for (const cells of unseen) seen.add(cells)
    deliver(unseen.sort(byArrival), false)
    return { rows: inOrder(answer.map(({ row }) => row)), delivered, isCut }
  }

  const startedUs = clock.nowUs()
  seen.replace(await pollRowIds(), startedUs)
  const stop = everyUnlessRunning(clock, limits.pollMs, () => queue.run(poll))
  return { run: (plan, options) => queue.run(() => run(plan, options)), stop }
}

/** Returns a row of an answer from the cells of the selected columns. */
function readRow(columns: readonly string[], cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, readCell(name, cells[i])]))
}

function readCell(name: string, cell: Cell): Value {
  if (name === 'timestamp') return Number(cell)
  return name === 'metadata' ? new RawJson(cell as string) : cell
}

/** The ids of the rows that the last poll found. Rows that arrived before `sinceUs` are not polled for again. */
function createSeenRows(nowUs: number, { storeDelayUs, rowIds }: PollLimits) {
  let seen = new Set<string>()
  let sinceUs = nowUs - storeDelayUs
  return {
    sinceUs: () => sinceUs,
    has: (cells: readonly Cell[]) => seen.has(rowIdOf(cells)),
    add: (cells: readonly Cell[]) => void seen.add(rowIdOf(cells)),
    /** Replaces the ids by the ids of a poll, latest first. If the ids reach the limit, earlier rows count as seen. */
    replace(found: readonly Cell[][], nowUs: number): void {
      seen = new Set(found.map(rowIdOf))
      const isFull = found.length >= rowIds
      sinceUs = Math.max(sinceUs, nowUs - storeDelayUs, isFull ? Number(found.at(-1)![0]) + 1 : 0)
    },
  }
}

/**
 * Runs a task at each interval, unless the task is still running. Ignores errors. Returns a function that stops the
 * runs.
 */
function everyUnlessRunning(clock: Clock, intervalMs: number, task: () => Promise<unknown>): () => void {
  let isRunning = false
  return clock.every(intervalMs, () => {
    if (isRunning) return
    isRunning = true
    const done = () => {
      isRunning = false
    }
    task().then(done, done)
  })
}

/** Returns a function that selects rows that arrived at or after `sinceUs` and may pass the filter, latest first. */
function createRecentSelect(
  { source, project }: FollowQuery,
  { sql }: FollowFilter,
  { server, location, clock, limits, visibleIn = () => [] }: PollContext,
) {
  return (columns: readonly string[], condition: string, limit: number, sinceUs: number): Promise<Cell[][]> =>
    server.select(
      `SELECT ${columns.join(', ')} FROM ${quotedTable(location, source)} WHERE project = ${textValue(project)} ` +
        `AND timestamp >= ${int64Value(clock.nowUs() - limits.rowAgeUs)} AND arrived >= ${int64Value(sinceUs)}` +
        `${and([...sql, ...visibleIn(source)])}${condition} ORDER BY ${BY_ARRIVAL} LIMIT ${limit}`,
    )
}

const and = (conditions: readonly string[]) => conditions.map((condition) => ` AND ${condition}`).join('')

/** Compares rows, given with their ids, by arrival, latest first. */
function byArrival(a: readonly Cell[], b: readonly Cell[]): number {
  for (let i = 0; i < ROW_ID.length; i++) {
    const difference = BigInt(b[i]!) - BigInt(a[i]!)
    if (difference !== 0n) return Number(difference)
  }
  return 0
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
