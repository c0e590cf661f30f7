/** Tracks active readers, so that files are deleted only after the readers of the files have finished. */
export interface ActiveReaders {
  /**
   * Registers a reader. Returns a function that unregisters the reader. Further calls of that function have no effect.
   */
  enter(): () => void
  /** Resolves when every reader that is active at the call has finished: at once if there is none. */
  drained(): Promise<void>
}

/** Returns a registry without readers. */
export function createActiveReaders(): ActiveReaders {
  const active = new Set<Promise<void>>()
  return {
    enter() {
      let finish!: () => void
      const finished = new Promise<void>((resolve) => {
        finish = resolve
      })
      active.add(finished)
      return () => {
        active.delete(finished)
        finish()
      }
    },
    async drained() {
      await Promise.all(active)
    },
  }
}
