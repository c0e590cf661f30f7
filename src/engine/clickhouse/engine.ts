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

/** The server, the data directory and the limits of the engine; tests pass smaller limits. */
export interface ClickHouseEngineOptions {
  server: Server
  location: TableLocation
  clock: Clock
  metrics: Metrics
  log?: Log
  /** The data directory, which contains the journals of unconfirmed batches. */
  files: Files
  /** Its name, for messages. */
  directory: string
  /** Unlocks the directory. */
  release?: () => Promise<void>
  limits?: Partial<BatchGroupLimits>
  /** `append` waits while more bytes than this are unconfirmed. */
  unconfirmedBytes?: number
  timing?: Partial<DeliveryTiming & { closeMs: number }>
  following?: Partial<FollowLimits>
}

/** An engine over a ClickHouse server or cluster, with what tests need in addition to the interface. */
export interface ClickHouseEngine extends Engine {
  /** Resolves when the server has confirmed every row appended so far. */
  settled(): Promise<void>
}

const UNCONFIRMED_BYTES = 64 * MIB
/** Interval at which groups that are due are closed. */
const CLOSE_DUE_MS = 50
/** Interval of fsync: a power cut of this machine loses at most the unconfirmed rows of this time. */
const SYNC_MS = 1_000
/** Wait before a write is retried on a full or failing disk. */
const RETRY_MS = 1_000
/** How long `close` waits for the server. Rows that are not confirmed by then stay in the journal. */
const CLOSE_MS = 3_000

/**
 * Creates an engine whose rows are in the tables of a ClickHouse server or cluster. The data directory
 * contains only the rows that the server has not confirmed.
 */
export function createClickHouseEngine(options: ClickHouseEngineOptions): ClickHouseEngine {
  const { server, location, clock, log = () => {}, files, directory, metrics } = options
  const { unconfirmedBytes = UNCONFIRMED_BYTES } = options
  const timing = { ...DELIVERY_TIMING, closeMs: CLOSE_MS, ...options.timing }
  const disk = createTrouble(RETRY_MS, tellTrouble(directory, log))
  const deliveries = new Map(SOURCE_NAMES.map((source) => [source, createSerialQueue()]))
  const unconfirmed = new Set<BatchGroup>()
  const failing = new Map<BatchGroup, Error>()
  const closing = new AbortController()
  /** Resolvers of the appends that wait for room. */
  const waiting: (() => void)[] = []
  let isFull = () => bytesInMemory() >= unconfirmedBytes
  let isClosed = false

  const groups = createBatchGroups({
    files,
    clock,
    trouble: disk,
    isBusy: (source) => [...unconfirmed].some((group) => group.source === source),
    onClosed: enqueue,
    limits: { ...BATCH_GROUP_LIMITS, ...options.limits },
  })

  function enqueue(group: BatchGroup): void {
    unconfirmed.add(group)
    const parts = { server, location, onAttempt, timing, wait: waitUnlessClosing }
    void deliveries
      .get(group.source)!
      .run(() => deliver(group, parts))
      .then(() => {
        unconfirmed.delete(group)
        resumeAppends()
      })
      .catch((error) => {
        if (!closing.signal.aborted) log(`internal error: ${error}`, { level: 'error', code: 'internal' })
      })
  }

  function resumeAppends(): void {
    for (const resolve of waiting.splice(0)) resolve()
  }

  const waitUnlessClosing = (ms: number) => wait(ms, undefined, { signal: closing.signal })

  function onAttempt(group: BatchGroup, error: Error | undefined): void {
    const before = failing.size
    if (error === undefined) failing.delete(group)
    else if (!closing.signal.aborted) failing.set(group, error)
    if (before === 0 && failing.size > 0) {
      const reason = messageWithHint(error!)
      log(`rows cannot be sent to ClickHouse: ${reason}. They are kept in ${directory}, and sending is retried.`, {
        level: 'error',
        code: 'clickhouse_trouble',
      })
    }
    if (before > 0 && failing.size === 0) {
      log('rows are sent to ClickHouse again', { code: 'clickhouse_trouble_over' })
    }
  }

  function countDamage(stretch: Damage): void {
    metrics.damagedBytes.inc(stretch.bytes)
    log(describeDamage(directory, stretch), { level: 'error', code: 'journal_damaged', bytes: stretch.bytes })
  }

  /** Bytes of the unconfirmed groups of this process; those of earlier processes are only on disk. */
  const bytesInMemory = () =>
    [...unconfirmed].reduce((sum, group) => sum + (group.firstAttempt === undefined ? 0 : group.bytes), 0)

  async function waitForRoom(): Promise<void> {
    while (isFull()) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  const stopClosingDue = clock.every(CLOSE_DUE_MS, () => void groups.closeDue())
  const stopSync = clock.every(SYNC_MS, () => {
    groups
      .sync()
      .catch((error: Error) =>
        log(`${directory} cannot be synced: ${error.message}`, { level: 'error', code: 'disk_not_synced', directory }),
      )
  })

  /** Replaces a ServerError by the error that clients get. */
  async function withClientErrors<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query()
    } catch (error) {
      throw error instanceof ServerError ? clientError(error, log) : error
    }
  }

  async function settled(): Promise<void> {
    await groups.closeDue(true)
    await Promise.all([...deliveries.values()].map((queue) => queue.settled()))
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
      await waitForRoom()
      await groups.append(batch)
    },
    async run(plan, { signal, onScanStats } = {}) {
      const shape = shapeOf(plan)
      if (shape === undefined) return inOrder([])
      let read: number | undefined
      const onRead = (rows: number) => {
        read = (read ?? 0) + rows
      }
      const rows = await withClientErrors(() => readAnswer(shape, { server, location, signal, onRead }))
      if (read !== undefined) onScanStats?.({ rows: read })
      return inOrder(rows)
    },
    async follow(query, listener) {
      const parts = { server, location, clock, limits: { ...FOLLOW_LIMITS, ...options.following } }
      const { run, stop } = await withClientErrors(() => followRows(query, listener, parts))
      return { run: (plan, runOptions) => withClientErrors(() => run(plan, runOptions)), stop }
    },
    stats: () =>
      SOURCE_NAMES.map((source) => {
        const ofSource = [...unconfirmed, ...groups.openGroups()].filter((group) => group.source === source)
        const sum = (of: (group: BatchGroup) => number) => ofSource.reduce((total, group) => total + of(group), 0)
        const headBytes = sum(({ bytes }) => bytes)
        return { source, rows: sum(({ rows }) => rows), segments: 0, hotBytes: 0, coldBytes: 0, headBytes }
      }),
    disableBackpressure() {
      isFull = () => false
      resumeAppends()
    },
    settled,
    async close() {
      isClosed = true
      stopClosingDue()
      stopSync()
      disk.giveUp()
      await groups.sync().catch(() => {})
      await Promise.race([settled(), wait(timing.closeMs)])
      // Deliveries that wait for a retry end here. A running insert is abandoned: the next start checks for it.
      closing.abort()
      await server.close()
      await options.release?.()
    },
  }
}

/** ClickHouse's error number for a pattern that its RE2 rejects. */
const BAD_PATTERN = 427
/** ClickHouse's error number for a query that exceeds the limit of groups. */
const TOO_MANY_GROUPS = 158

/** Returns the error that a client gets for a server's error; logs the full error if the client gets less. */
function clientError(error: ServerError, log: Log): LogweirError {
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
