/** Runs tasks in turn, in the order of the calls. */
export interface SerialQueue {
  /** Runs the task when all earlier tasks have settled. Resolves or rejects as the task does. */
  run<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when all tasks queued so far have settled. Never rejects. */
  settled(): Promise<void>
}

/** Returns an empty queue. A task that rejects does not keep later tasks from running. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const result = last.then(task)
      last = result.catch(() => {})
      return result
    },
    settled: () => last.then(() => {}),
  }
}
