/** Lets tasks run one after the other, in the order in which they came. */
export interface Turns {
  /** Runs the task once all before it have settled, and gives what it gives. */
  take<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when all tasks taken so far have settled. */
  settled(): Promise<void>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take(task) {
      const result = last.then(task)
      last = result.catch(() => {})
      return result
    },
    settled: () => last.then(() => {}),
  }
}
