import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../../base/log.js'
import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { SourceName } from '../../../common/sources.js'
import { createExistingColumns, reportLacking } from '../schema/existing-columns.js'
import type { TableLocation } from '../schema/table-names.js'
import { messageWithHint, type Server } from '../server/clickhouse-server.js'
import { type BatchGroup, type DeliveryTiming, deliver } from './delivery.js'

/** Sends closed groups to the server. The groups of a source are sent one after another. */
export interface DeliveryQueue {
  /** Queues a group. */
  add(group: BatchGroup): void
  /** Whether a group of the source is queued or being sent. */
  isBusy(source: SourceName): boolean
  /** Returns the groups that the server has not confirmed. */
  unconfirmed(): readonly BatchGroup[]
  /** Returns the error of a group that failed in the last attempt, or undefined. */
  failure(): Error | undefined
  /** Resolves when the unconfirmed groups of this process take less memory than the limit. */
  waitForRoom(): Promise<void>
  /** Makes {@link waitForRoom} resolve at once, also the pending calls. */
  disableBackpressure(): void
  /** Resolves when the server has confirmed every group added so far. */
  settled(): Promise<void>
  /**
   * Ends the deliveries that wait for a retry. A running insert is abandoned: the next start checks for running
   * inserts.
   */
  abort(): void
}

interface DeliveryQueueOptions {
  server: Server
  location: TableLocation
  /** The directory that keeps the groups, for messages. */
  directory: string
  log: Log
  timing: DeliveryTiming
  /** The memory limit of unconfirmed groups. */
  limitBytes: number
}

/** Creates an empty queue. Logs when sending starts to fail, and when sending works again. */
export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { server, location, directory, log, timing, limitBytes } = options
  const queues = new Map<SourceName, SerialQueue>()
  const unconfirmed = new Set<BatchGroup>()
  const closing = new AbortController()
  /** Resolvers of the pending calls of `waitForRoom`. */
  const waiting: (() => void)[] = []
  let isFull = () => bytesInMemory(unconfirmed) >= limitBytes

  const failures = trackFailures(directory, log, closing.signal)
  const context = {
    server,
    location,
    columns: createExistingColumns({ server, location, onLacking: reportLacking(log) }),
    onAttempt: failures.onAttempt,
    timing,
    wait: (ms: number) => wait(ms, undefined, { signal: closing.signal }),
  }

  function queueOf(source: SourceName): SerialQueue {
    const queue = queues.get(source) ?? createSerialQueue()
    queues.set(source, queue)
    return queue
  }

  function resumeWaiting(): void {
    for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    add(group) {
      unconfirmed.add(group)
      void queueOf(group.source)
        .run(() => deliver(group, context))
        .then(() => {
          unconfirmed.delete(group)
          resumeWaiting()
        })
        .catch((error) => {
          if (!closing.signal.aborted) log(`internal error: ${error}`, { level: 'error', code: 'internal' })
        })
    },
    isBusy: (source) => [...unconfirmed].some((group) => group.source === source),
    unconfirmed: () => [...unconfirmed],
    failure: failures.first,
    async waitForRoom() {
      while (isFull()) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    disableBackpressure() {
      isFull = () => false
      resumeWaiting()
    },
    async settled() {
      await Promise.all([...queues.values()].map((queue) => queue.settled()))
    },
    abort: () => closing.abort(),
  }
}

/** Tracks the groups that failed in their last attempt. Logs the first failure, and when no group fails any more. */
function trackFailures(directory: string, log: Log, closing: AbortSignal) {
  const failing = new Map<BatchGroup, Error>()
  return {
    onAttempt(group: BatchGroup, error: Error | undefined): void {
      const before = failing.size
      if (error === undefined) failing.delete(group)
      else if (!closing.aborted) failing.set(group, error)
      if (before === 0 && failing.size > 0) logFailure(error!, group.source, directory, log)
      if (before > 0 && failing.size === 0) {
        log('rows are sent to ClickHouse again', { code: 'clickhouse_trouble_over' })
      }
    },
    first: () => failing.values().next().value,
  }
}

/** Bytes of the groups of this process. Groups of earlier processes are only on disk. */
function bytesInMemory(groups: ReadonlySet<BatchGroup>): number {
  return [...groups].reduce((sum, group) => sum + (group.firstAttempt === undefined ? 0 : group.bytes), 0)
}

function logFailure(error: Error, source: SourceName, directory: string, log: Log): void {
  const reason = messageWithHint(error, source)
  log(`rows cannot be sent to ClickHouse: ${reason}. They are kept in ${directory}, and sending is retried.`, {
    level: 'error',
    code: 'clickhouse_trouble',
  })
}
