/** Who reads what is taken away meanwhile: it ends when all have left who were there. */
export interface ActiveReaders {
  /** Comes, and leaves when the function that this returns is called. */
  enter(): () => void
  /** Resolves when all who are here at this moment have left. */
  drained(): Promise<void>
}

export function createActiveReaders(): ActiveReaders {
  const here = new Set<Promise<void>>()
  return {
    enter() {
      let leave!: () => void
      const stay = new Promise<void>((resolve) => {
        leave = resolve
      })
      here.add(stay)
      return () => {
        here.delete(stay)
        leave()
      }
    },
    async drained() {
      await Promise.all(here)
    },
  }
}
