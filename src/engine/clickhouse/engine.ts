import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import { createSerialQueue } from '../../base/serial-queue.js'
import { MIB } from '../../base/units.js'
import { SOURCE_NAMES } from '../../sources.js'
import { createTrouble, tellTrouble } from '../disk/files/disk-retry.js'
import type { Files } from '../disk/files/files.js'
import { type Damage, describeDamage } from '../disk/journal/recover.js'
import { type Engine, GROUPING_LIMITS, type Row, tooManyGroups } from '../engine.js'
import { shapeOf } from '../plan.js'
import { readAnswer } from './answer.js'
import { BATCH_GROUP_LIMITS, type BatchGroupLimits, createBatchGroups } from './batch-groups.js'
import { type BatchGroup, DELIVERY_TIMING, type DeliveryTiming, deliver } from './delivery.js'
import { FOLLOW_LIMITS, type FollowLimits, followRows } from './follow.js'
import { listJournaledGroups } from './group-journals.js'
import { messageWithHint, type Server, ServerError } from './server.js'
import type { TableLocation } from './table-names.js'

export interface ClickHouseEngineOptions {
  server: Server
  location: TableLocation
  clock: Clock
  metrics: Metrics
  log?: Log
  /** Where the journal of unconfirmed batches is kept. */
  files: Files
  /** Its name, for messages. */
  directory: string
  /** Gives the directory back. */
  release?: () => Promise<void>
  limits?: Partial<BatchGroupLimits>
  /** Beyond so many bytes that the server has not confirmed, `append` waits. */
  unconfirmedBytes?: number
  timing?: Partial<DeliveryTiming & { closeMs: number }>
  following?: Partial<FollowLimits>
}

/** An engine over a ClickHouse server or cluster, and what tests need of it beyond the interface. */
export interface ClickHouseEngine extends Engine {
  /** Resolves when the server has confirmed every row appended so far. */
  settled(): Promise<void>
}

const UNCONFIRMED_BYTES = 64 * MIB
/** How often it is looked for groups that are due. */
const LOOK_MS = 50
/** A power cut of this machine costs the unconfirmed rows of so long at most. */
const SYNC_MS = 1_000
/** How long a disk that is full or failing is left alone. */
const RETRY_MS = 1_000
/** How long closing may wait for the server; what it has not confirmed then stays in the journal. */
const CLOSE_MS = 3_000

/** Rows in the tables of a ClickHouse server or cluster; this process keeps what the server has not confirmed. */
export function createClickHouseEngine(options: ClickHouseEngineOptions): ClickHouseEngine {
  const { server, location, clock, log = () => {}, files, directory, metrics } = options
  const { unconfirmedBytes = UNCONFIRMED_BYTES } = options
  const timing = { ...DELIVERY_TIMING, closeMs: CLOSE_MS, ...options.timing }
  const disk = createTrouble(RETRY_MS, tellTrouble(directory, log))
  const lanes = new Map(SOURCE_NAMES.map((source) => [source, createSerialQueue()]))
  const unconfirmed = new Set<BatchGroup>()
  const failing = new Map<BatchGroup, Error>()
  const closing = new AbortController()
  /** Who waits for room. */
  const waiting: (() => void)[] = []
  let isFull = () => heldBytes() >= unconfirmedBytes
  let isClosed = false

  const groups = createBatchGroups({
    files,
    clock,
    trouble: disk,
    isBusy: (source) => [...unconfirmed].some((group) => group.source === source),
    closed: enqueue,
    limits: { ...BATCH_GROUP_LIMITS, ...options.limits },
  })

  function enqueue(group: BatchGroup): void {
    unconfirmed.add(group)
    const parts = { server, location, onAttempt, timing, wait: untilClosing }
    void lanes
      .get(group.source)!
      .run(() => deliver(group, parts))
      .then(() => {
        unconfirmed.delete(group)
        wake()
      })
      .catch((error) => {
        if (!closing.signal.aborted) log(`internal error: ${error}`, { level: 'error', code: 'internal' })
      })
  }

  function wake(): void {
    for (const resolve of waiting.splice(0)) resolve()
  }

  const untilClosing = (ms: number) => wait(ms, undefined, { signal: closing.signal })

  function onAttempt(group: BatchGroup, error: Error | undefined): void {
    const before = failing.size
    if (error === undefined) failing.delete(group)
    else if (!closing.signal.aborted) failing.set(group, error)
    if (before === 0 && failing.size > 0) {
      log(
        `rows cannot be brought to ClickHouse: ${messageWithHint(error!)}. They are kept in ${directory} and tried again.`,
        {
          level: 'error',
          code: 'clickhouse_trouble',
        },
      )
    }
    if (before > 0 && failing.size === 0) {
      log('rows are brought to ClickHouse again', { code: 'clickhouse_trouble_over' })
    }
  }

  function countDamage(stretch: Damage): void {
    metrics.damagedBytes.inc(stretch.bytes)
    log(describeDamage(directory, stretch), { level: 'error', code: 'journal_damaged', bytes: stretch.bytes })
  }

  const heldBytes = () =>
    [...unconfirmed].reduce((sum, group) => sum + (group.first === undefined ? 0 : group.bytes), 0)

  async function room(): Promise<void> {
    while (isFull()) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  const stopLooking = clock.every(LOOK_MS, () => void groups.closeDue())
  const stopSync = clock.every(SYNC_MS, () => {
    groups
      .sync()
      .catch((error: Error) =>
        log(`${directory} cannot be synced: ${error.message}`, { level: 'error', code: 'disk_not_synced', directory }),
      )
  })

  /** What the server answers, or what a caller is told where it does not. */
  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      throw error instanceof ServerError ? refused(error, log) : error
    }
  }

  async function settled(): Promise<void> {
    await groups.closeDue(true)
    await Promise.all([...lanes.values()].map((lane) => lane.settled()))
  }

  return {
    async recover() {
      for (const group of await listJournaledGroups(files, countDamage)) {
        groups.startAfter(group)
        enqueue(group)
      }
    },
    writeFailure: () => disk.current() ?? failing.values().next().value,
    async append(batch) {
      if (isClosed) throw new TypeError('The engine is closed.')
      await room()
      await groups.append(batch)
    },
    async run(plan, { signal, onScanStats } = {}) {
      const shape = shapeOf(plan)
      if (shape === undefined) return inOrder([])
      let read: number | undefined
      const onRead = (rows: number) => {
        read = (read ?? 0) + rows
      }
      const rows = await asked(() => readAnswer(shape, { server, location, signal, onRead }))
      if (read !== undefined) onScanStats?.({ rows: read })
      return inOrder(rows)
    },
    async follow(followed, arrived) {
      const parts = { server, location, clock, limits: { ...FOLLOW_LIMITS, ...options.following } }
      const { run, stop } = await asked(() => followRows(followed, arrived, parts))
      return { run: (plan, runOptions) => asked(() => run(plan, runOptions)), stop }
    },
    stats: () =>
      SOURCE_NAMES.map((source) => {
        const held = [...unconfirmed, ...groups.openGroups()].filter((group) => group.source === source)
        const sum = (of: (group: BatchGroup) => number) => held.reduce((total, group) => total + of(group), 0)
        const headBytes = sum(({ bytes }) => bytes)
        return { source, rows: sum(({ rows }) => rows), segments: 0, hotBytes: 0, coldBytes: 0, headBytes }
      }),
    disableBackpressure() {
      isFull = () => false
      wake()
    },
    settled,
    async close() {
      isClosed = true
      stopLooking()
      stopSync()
      disk.giveUp()
      await groups.sync().catch(() => {})
      await Promise.race([settled(), wait(timing.closeMs)])
      // Whoever waits for another try gives up; who is in the middle of one is left behind: it is looked for at the next start.
      closing.abort()
      await server.close()
      await options.release?.()
    },
  }
}

/** ClickHouse's number of the error that a pattern gets which its RE2 does not take. */
const BAD_PATTERN = 427
/** And of the one that a query gets which makes more groups than it may. */
const TOO_MANY_GROUPS = 158

/** What a caller is told of a server's error, and the log in full. */
function refused(error: ServerError, log: Log): LogweirError {
  if (error.code === BAD_PATTERN) {
    return new LogweirError(
      'invalid_pattern',
      "The pattern is valid RE2, but not for this ClickHouse server's version of it.",
    )
  }
  if (error.code === TOO_MANY_GROUPS) return tooManyGroups(GROUPING_LIMITS)
  log(`ClickHouse did not answer a query: ${messageWithHint(error)}`, { level: 'error', code: 'engine_unavailable' })
  return new LogweirError(
    'engine_unavailable',
    'The ClickHouse server behind this service did not answer. Try again shortly.',
  )
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
