import { refusals } from '../reply/errors.js'

/** One run, and how many callers wait for it. */
interface SharedRun<T> {
  result: Promise<T>
  waiters: number
  /** Whether the run has read its time: what is logged later is not in its answer. */
  begun: boolean
  stop(): void
}

export interface SingleFlight<Job, T> {
  /**
   * The outcome of the run for `key`: of the one under way, or of a new one. With `fresh` a run that has begun is not
   * joined. Throws `abandoned` once `caller` is aborted; a run whose last caller has left is aborted.
   */
  join(key: string, job: Job, caller: AbortSignal, fresh?: boolean): Promise<{ value: T; collapsed: boolean }>
}

/** Runs one job; it calls `begin` when it reads its time. */
export type Run<Job, T> = (job: Job, signal: AbortSignal, begin: () => void) => Promise<T>

/** Single flight: callers who ask for the same at the same time wait for one run. Nothing is kept of an outcome. */
export function createSingleFlight<Job, T>(run: Run<Job, T>): SingleFlight<Job, T> {
  const underWay = new Map<string, SharedRun<T>>()

  function forget(key: string, flight: SharedRun<T>): void {
    if (underWay.get(key) === flight) underWay.delete(key)
  }

  function start(key: string, job: Job): SharedRun<T> {
    const controller = new AbortController()
    const flight: SharedRun<T> = {
      waiters: 0,
      begun: false,
      result: Promise.resolve()
        .then(() => run(job, controller.signal, () => (flight.begun = true)))
        .finally(() => forget(key, flight)),
      stop() {
        forget(key, flight)
        controller.abort(refusals.abandoned())
      },
    }
    underWay.set(key, flight)
    return flight
  }

  return {
    async join(key, job, caller, fresh = false) {
      if (caller.aborted) throw refusals.abandoned()
      const known = underWay.get(key)
      const joined = known !== undefined && !(fresh && known.begun)
      return { value: await wait(joined ? known : start(key, job), caller), collapsed: joined }
    },
  }
}

/** Waits as one of the flight's callers. */
function wait<T>(flight: SharedRun<T>, caller: AbortSignal): Promise<T> {
  flight.waiters += 1
  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiters -= 1
      if (flight.waiters === 0) flight.stop()
      reject(refusals.abandoned())
    }
    caller.addEventListener('abort', leave, { once: true })
    flight.result.then(resolve, reject).finally(() => caller.removeEventListener('abort', leave))
  })
}
