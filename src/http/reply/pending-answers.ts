import { refusals } from './errors.js'

/** The answers that are not ready yet, so that a stop can refuse their requests. */
export interface PendingAnswers {
  /** Returns an answer; rejects with `stopping` if {@link refuseAll} is called first, or was called before. */
  track<T>(answer: Promise<T>): Promise<T>
  /** Refuses the requests of all answers that are not ready, now and from now on. */
  refuseAll(): void
}

/** Tracks no answer at first. */
export function createPendingAnswers(): PendingAnswers {
  const pending = new Set<(error: Error) => void>()
  let isRefusing = false
  return {
    track(answer) {
      return new Promise((resolve, reject) => {
        if (isRefusing) reject(refusals.stopping())
        else pending.add(reject)
        answer.finally(() => pending.delete(reject)).then(resolve, reject)
      })
    },
    refuseAll() {
      isRefusing = true
      for (const reject of pending) reject(refusals.stopping())
      pending.clear()
    },
  }
}
