import type { Clock } from '../../base/clock.js'
import { createSerialQueue } from '../../base/serial-queue.js'
import { HOUR_US, MINUTE_US } from '../../base/units.js'
import type { Row, Value } from '../../plan/answer.js'
import type { Plan } from '../../plan/plan.js'
import { RawJson } from '../../plan/values/values.js'
import { leadingFilters } from '../arrow/query/run.js'
import { type Stage, stagesOf } from '../arrow/query/stages.js'
import type { FollowQuery, RowListener, RunOptions, Subscription } from '../engine.js'
import type { Cell, Server } from './clickhouse-server.js'
import { lowerFilters } from './conditions.js'
import { amongFirst, NEWEST_FIRST } from './read-rows.js'
import { quotedTable, type TableLocation } from './table-names.js'
import { int64Value, textValue, timeCondition } from './values.js'

/** The limits of a subscription. */
export interface PollLimits {
  /** Interval between two polls. */
  pollMs: number
  /** A row is delivered if it is stored within this time after its group was started, by the clock of its sender. */
  storeDelayUs: number
  /** A row is delivered if it is at most this old when it is stored. */
  rowAgeUs: number
  /** The most rows of one call of the listener; of more only the latest are delivered. */
  rows: number
  /** The most row ids, of the last `storeDelayUs`, that are remembered. */
  rowIds: number
}

/** The limits of the service; tests use smaller ones. */
export const POLL_LIMITS: PollLimits = {
  pollMs: 1_000,
  storeDelayUs: MINUTE_US,
  rowAgeUs: HOUR_US,
  rows: 1_000,
  rowIds: 50_000,
}

/** The tables that a subscription polls, and its limits. */
export interface PollContext {
  server: Server
  location: TableLocation
  clock: Clock
  limits: PollLimits
}

/** The columns that identify a row and order rows by arrival. */
const ROW_ID = ['arrived', 'batch', 'row'] as const
const BY_ARRIVAL = ROW_ID.map((name) => `${name} DESC`).join(', ')

const rowIdOf = (cells: readonly Cell[]) => cells.slice(0, ROW_ID.length).join(' ')

/**
 * Polls for the rows of a project, since other processes also send rows: first for the ids of recently stored
 * rows, then for the rows whose ids are new. Rejects with a ServerError if the first poll fails; a later one
 * that fails is repeated.
 */
export async function followRows(query: FollowQuery, listener: RowListener, parts: PollContext): Promise<Subscription> {
  const { server, location, clock, limits } = parts
  const queue = createSerialQueue()
  const wanted = [...ROW_ID, ...query.columns]
  const select = createRecentSelect(query, parts)
  const seen = createSeenRows(clock.nowUs(), limits)
  let delivered = 0

  const pollRowIds = () => select(ROW_ID, '', limits.rowIds, seen.sinceUs())
  const rowOf = (cells: readonly Cell[]) => readRow(query.columns, cells.slice(ROW_ID.length))

  /** Delivers rows, given with their ids, latest first. */
  function deliver(rows: readonly Cell[][], hasGap: boolean): void {
    if (rows.length === 0) return
    delivered += rows.length
    listener(rows.map(rowOf).reverse(), hasGap)
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
      deliver(read, read.length < unseen.length)
    }
    seen.replace(found, nowUs)
  }

  async function run(plan: Plan, { signal }: RunOptions = {}) {
    const oldestUs = clock.nowUs() - limits.rowAgeUs
    const found = await server.select(newestQuery(stagesOf(plan), wanted, location), { signal })
    const answer = found.map((cells) => ({ cells, row: rowOf(cells) }))
    // Delivers the rows that the next poll would find: every row of the answer has then been delivered or was
    // there before.
    const isUnseen = ({ cells, row }: (typeof answer)[number]) =>
      Number(cells[0]) >= seen.sinceUs() && Number(row.timestamp) >= oldestUs && !seen.has(cells)
    const unseen = answer.filter(isUnseen).map(({ cells }) => cells)
    for (const cells of unseen) seen.add(cells)
    deliver(unseen.sort(byArrival), false)
    return { rows: inOrder(answer.map(({ row }) => row)), delivered }
  }

  const startedUs = clock.nowUs()
  seen.replace(await pollRowIds(), startedUs)
  const stop = everyUnlessRunning(clock, limits.pollMs, () => queue.run(poll))
  return { run: (plan, options) => queue.run(() => run(plan, options)), stop }
}

/** Returns the query for the newest rows of a plan of the rows shape. */
function newestQuery(stage: Stage | undefined, columns: readonly string[], location: TableLocation): string {
  const { input, steps = [], sink } = stage ?? {}
  if (sink?.op !== 'top' || input?.op !== 'scan') throw notNewest()
  const source = input.sources[0]!
  const filter = lowerFilters(leadingFilters(steps).conditions, { source, readsJson: false })
  if (filter.count !== steps.length) throw notNewest()
  const where = [...filter.sql, timeCondition(input)].join(' AND ')
  const from = `FROM ${quotedTable(location, source)} WHERE ${where}`
  const newest = amongFirst(from, 'desc', sink.rows)
  return `SELECT ${columns.join(', ')} ${from} AND ${newest} ORDER BY ${NEWEST_FIRST} LIMIT ${sink.rows}`
}

const notNewest = () => new TypeError('A subscription runs only plans of the newest rows of a source.')

/** Returns a row of an answer from the cells of the selected columns. */
function readRow(columns: readonly string[], cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, readCell(name, cells[i]!)]))
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
    /** Replaces the ids by those of a poll, latest first; if they reach the limit, earlier rows count as seen. */
    replace(found: readonly Cell[][], nowUs: number): void {
      seen = new Set(found.map(rowIdOf))
      const isFull = found.length >= rowIds
      sinceUs = Math.max(sinceUs, nowUs - storeDelayUs, isFull ? Number(found.at(-1)![0]) + 1 : 0)
    },
  }
}

/** Runs a task at each interval; skips one while the task is running. Errors are ignored. Returns what stops it. */
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

/** Returns a function that selects the project's rows that arrived at or after `sinceUs`, latest first. */
function createRecentSelect({ source, project }: FollowQuery, { server, location, clock, limits }: PollContext) {
  return (columns: readonly string[], condition: string, limit: number, sinceUs: number): Promise<Cell[][]> =>
    server.select(
      `SELECT ${columns.join(', ')} FROM ${quotedTable(location, source)} WHERE project = ${textValue(project)} ` +
        `AND timestamp >= ${int64Value(clock.nowUs() - limits.rowAgeUs)} AND arrived >= ${int64Value(sinceUs)}` +
        `${condition} ORDER BY ${BY_ARRIVAL} LIMIT ${limit}`,
    )
}

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
