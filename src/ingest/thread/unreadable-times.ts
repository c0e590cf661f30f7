import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { MINUTE_US } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'

/** Counts records that are stored with the time of receipt because their own time cannot be read. */
export interface UnreadableTimes {
  /** Counts records of a source that have been stored. */
  note(source: SourceName, records: number): void
  /** Logs the counts that are not logged yet, and stops the timer. */
  close(): void
}

/** The metrics, the log and the clock of {@link createUnreadableTimes}. */
export interface UnreadableTimesOptions {
  metrics: Pick<Metrics, 'unreadableTimes'>
  log: Log
  clock: Pick<Clock, 'every'>
}

/** The shortest time between two log lines. */
const LOG_INTERVAL_MS = MINUTE_US / 1000

/**
 * Returns a counter that logs the first records at once, and later records once a minute. The log has numbers and
 * sources but no values, which may be personal data.
 */
export function createUnreadableTimes({ metrics, log, clock }: UnreadableTimesOptions): UnreadableTimes {
  const unlogged = new Map<SourceName, number>()
  let stopTimer: (() => void) | undefined

  function note(source: SourceName, records: number): void {
    metrics.unreadableTimes.inc({ source }, records)
    unlogged.set(source, (unlogged.get(source) ?? 0) + records)
    if (stopTimer !== undefined) return
    logAll()
    stopTimer = clock.every(LOG_INTERVAL_MS, tick)
  }

  function tick(): void {
    if (unlogged.size === 0) stop()
    else logAll()
  }

  function logAll(): void {
    const sources = Object.fromEntries(unlogged)
    const records = [...unlogged.values()].reduce((sum, count) => sum + count)
    const list = [...unlogged].map(([source, count]) => `${source} ${count}`).join(', ')
    log(`records stored with the time of receipt, because their own time cannot be read: ${list}`, {
      level: 'warn',
      code: 'unreadable_times',
      records,
      sources,
    })
    unlogged.clear()
  }

  function stop(): void {
    stopTimer?.()
    stopTimer = undefined
  }

  function close(): void {
    if (unlogged.size > 0) logAll()
    stop()
  }

  return { note, close }
}
