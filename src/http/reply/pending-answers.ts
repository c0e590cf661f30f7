import { refusals } from './errors.js'

/** The answers that are not ready yet, so that a stop can refuse their requests. */
export interface PendingAnswers {
  /**
   * Returns an answer. Rejects with `stopping` if the request is refused before the answer is ready, or all requests
   * were refused before. `isReceiving`: whether the request has not arrived yet.
   */
  track<T>(answer: Promise<T>, isReceiving?: () => boolean): Promise<T>
  /** Refuses the requests that have not arrived yet. */
  refuseReceiving(): void
  /** Refuses the requests of all answers that are not ready, now and from now on. */
  refuseAll(): void
}

interface Pending {
  isReceiving: () => boolean
  reject(error: Error): void
}

const isNotReceiving = () => false

/** Tracks no answer at first. */
export function createPendingAnswers(): PendingAnswers {
  const all = new Set<Pending>()
  let isRefusing = false

  function refuse(these: Iterable<Pending>): void {
    for (const { reject } of these) reject(refusals.stopping())
  }

  return {
    track(answer, isReceiving = isNotReceiving) {
      return new Promise((resolve, reject) => {
        const pending: Pending = { isReceiving, reject }
        if (isRefusing) refuse([pending])
        else all.add(pending)
        answer.finally(() => all.delete(pending)).then(resolve, reject)
      })
    },
    refuseReceiving: () => refuse([...all].filter(({ isReceiving }) => isReceiving())),
    refuseAll() {
      isRefusing = true
      refuse(all)
    },
  }
}
