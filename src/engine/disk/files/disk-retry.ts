import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../../base/log.js'
import { isSystemError } from './file-errors.js'

/** Retries work on a disk that may be full or failing for a while. */
export interface DiskRetry {
  /**
   * Runs the work, and repeats the work after each error of the system (`ENOSPC`, `EIO`). Rejects with the last error
   * once {@link abandon} was called, and at once with any other error: a defect, which a retry cannot fix.
   */
  retry<T>(work: () => Promise<T>): Promise<T>
  /**
   * The error of the oldest work that is being retried, or was when the retries stopped. Undefined if no work is
   * retried.
   */
  currentError(): Error | undefined
  /** Resolves when some work fails: at once if some is being retried now. */
  failing(): Promise<void>
  /** Stops all retries: from now on work that fails rejects. Called at shutdown. */
  abandon(): void
}

/**
 * Returns a `report` for {@link createDiskRetry} that logs when a directory cannot be written, and when writes succeed
 * again.
 */
export function reportDiskState(directory: string, log: Log): (error: Error | undefined) => void {
  return (error) => {
    if (error === undefined)
      return log(`${directory} can be written to again`, { code: 'disk_trouble_over', directory })
    log(
      `${directory} cannot be written to: ${error.message}. No rows are accepted until it can; retrying every second.`,
      { level: 'error', code: 'disk_trouble', directory },
    )
  }
}

interface State {
  retryMs: number
  report: (error: Error | undefined) => void
  /** The last error of each work that is being retried, oldest first. */
  errors: Map<object, Error>
  abandoned: AbortController
  /** Resolvers of the promises that `failing` returned. */
  waiting: (() => void)[]
}

/**
 * Creates a {@link DiskRetry} that waits `retryMs` between two attempts. Calls `report` with the error when the first
 * work fails, and with undefined when no work fails any more.
 */
export function createDiskRetry(retryMs: number, report: (error: Error | undefined) => void): DiskRetry {
  const state: State = { retryMs, report, errors: new Map(), abandoned: new AbortController(), waiting: [] }
  return {
    retry: (work) => retry(state, work),
    currentError: () => currentError(state),
    failing() {
      if (currentError(state) !== undefined) return Promise.resolve()
      return new Promise((resolve) => state.waiting.push(resolve))
    },
    abandon: () => state.abandoned.abort(),
  }
}

const currentError = ({ errors }: State): Error | undefined => errors.values().next().value

async function retry<T>(state: State, work: () => Promise<T>): Promise<T> {
  const { retryMs, abandoned } = state
  for (;;) {
    try {
      const result = await work()
      noteResult(state, work, undefined)
      return result
    } catch (error) {
      if (!isSystemError(error)) {
        noteResult(state, work, undefined)
        throw error
      }
      noteResult(state, work, error as Error)
      if (abandoned.signal.aborted) throw error
      await wait(retryMs, undefined, { signal: abandoned.signal }).catch(() => {})
    }
  }
}

function noteResult(state: State, work: object, error: Error | undefined): void {
  const wasFailing = currentError(state) !== undefined
  if (error === undefined) state.errors.delete(work)
  else state.errors.set(work, error)
  const current = currentError(state)
  if (wasFailing === (current !== undefined)) return
  state.report(current)
  if (current === undefined) return
  for (const resolve of state.waiting) resolve()
  state.waiting = []
}
