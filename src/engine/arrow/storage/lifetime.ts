/** Something that must not end while somebody uses it. */
export interface Lifetime {
  /** It is used until the function that this returns is called; calling that again does nothing. */
  retain(): () => void
  /** It is not wanted any more: it ends when the last who retains it has let go. Resolves when it has ended. */
  close(): Promise<void>
}

/** `end` is called once. */
export function createLifetime(end: () => Promise<void>): Lifetime {
  let users = 0
  let isClosing = false
  let resolveEnd!: (ended: Promise<void>) => void
  const ended = new Promise<void>((resolve) => {
    resolveEnd = resolve
  })
  const endIfUnused = () => {
    if (isClosing && users === 0) resolveEnd(end())
  }
  return {
    retain() {
      if (isClosing) throw new TypeError('What is closed cannot be retained.')
      users++
      let isUsed = true
      return () => {
        if (!isUsed) return
        isUsed = false
        users--
        endIfUnused()
      }
    },
    close() {
      if (!isClosing) {
        isClosing = true
        endIfUnused()
      }
      return ended
    },
  }
}
