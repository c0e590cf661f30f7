import { refusals } from '../reply/errors.js'

/** A run, and the number of callers that wait. */
interface SharedRun<T> {
  result: Promise<T>
  waiters: number
  /** Whether the run has read the time: the answer lacks records that arrive later. */
  hasBegun: boolean
  stop(): void
}

/** Concurrent callers with equal keys share a run. Results are not cached. */
export interface SingleFlight<Job, T> {
  /**
   * Returns the result for `key`, of the current run or of a new run. `collapsed` says that the run was current. If
   * `fresh` is set, a run that has begun is not joined. Throws `abandoned` once `caller` is aborted. A run is aborted
   * once all callers are aborted.
   */
  join(key: string, job: Job, caller: AbortSignal, fresh?: boolean): Promise<{ value: T; collapsed: boolean }>
}

/** Runs a job. Calls `begin` when reading the time. */
export type Run<Job, T> = (job: Job, signal: AbortSignal, begin: () => void) => Promise<T>

/** Creates a single flight without runs. */
export function createSingleFlight<Job, T>(run: Run<Job, T>): SingleFlight<Job, T> {
  const current = new Map<string, SharedRun<T>>()

  function remove(key: string, shared: SharedRun<T>): void {
    if (current.get(key) === shared) current.delete(key)
  }

  function start(key: string, job: Job): SharedRun<T> {
    const controller = new AbortController()
    const shared: SharedRun<T> = {
      waiters: 0,
      hasBegun: false,
      result: Promise.resolve()
        .then(() => run(job, controller.signal, () => (shared.hasBegun = true)))
        .finally(() => remove(key, shared)),
      stop() {
        remove(key, shared)
        controller.abort(refusals.abandoned())
      },
    }
    current.set(key, shared)
    return shared
  }

  return {
    async join(key, job, caller, fresh = false) {
      if (caller.aborted) throw refusals.abandoned()
      const running = current.get(key)
      const collapsed = running !== undefined && !(fresh && running.hasBegun)
      return { value: await wait(collapsed ? running : start(key, job), caller), collapsed }
    },
  }
}

/** Waits for the result as a caller of the run. */
function wait<T>(shared: SharedRun<T>, caller: AbortSignal): Promise<T> {
  shared.waiters += 1
  return new Promise((resolve, reject) => {
    const leave = () => {
      shared.waiters -= 1
      if (shared.waiters === 0) shared.stop()
      reject(refusals.abandoned())
    }
    caller.addEventListener('abort', leave, { once: true })
    shared.result.then(resolve, reject).finally(() => caller.removeEventListener('abort', leave))
  })
}
