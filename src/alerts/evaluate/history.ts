import type { Log } from '../../base/log.js'
import type { Clock } from '../../base/time/clock.js'
import type { EventRecord } from '../states/event-record.js'
import type { AlertStore, PendingEvent } from '../store/store.js'

/** The most events that wait to be stored as rows. */
const MAX_PENDING = 10_000
/** The wait after a failure. */
const RETRY_MS = 1_000

/** Stores events as rows of the history. */
export interface History {
  /** Starts to store the events that wait. Called after each commit, and again after a failure. */
  pump(): void
  /** Resolves when nothing is being stored. */
  settled(): Promise<void>
}

/**
 * Creates the writer of the history. `append` stores records, once each or several times with the same id: an event is
 * appended again after a crash.
 */
export function createHistory(
  store: Pick<AlertStore, 'events' | 'settle'>,
  append: (records: readonly EventRecord[]) => Promise<void>,
  { clock, log }: { clock: Pick<Clock, 'monotonicMs'>; log: Log },
): History {
  let retryMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let hasFailed = false

  async function storeAll(): Promise<void> {
    try {
      for (let events = await kept(); events.length > 0; events = await kept()) {
        await append(events.map(({ record }) => record))
        await store.settle(idsOf(events))
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log(`the history of alerts cannot be stored: ${(error as Error).message}`, FAILED)
      hasFailed = true
      retryMs = clock.monotonicMs() + RETRY_MS
    }
    running = undefined
  }

  /** The events that wait, the newest only if there are too many. */
  async function kept(): Promise<readonly PendingEvent[]> {
    const events = store.events()
    if (events.length <= MAX_PENDING) return events
    await store.settle(idsOf(events.slice(0, -MAX_PENDING)))
    return events.slice(-MAX_PENDING)
  }

  return {
    pump() {
      const isDue = running === undefined && clock.monotonicMs() >= retryMs
      if (isDue && store.events().length > 0) running = storeAll()
    },
    async settled() {
      await running
    },
  }
}

const FAILED = { level: 'warn', code: 'alert_history' } as const

const idsOf = (events: readonly PendingEvent[]) => events.map(({ id }) => id)
