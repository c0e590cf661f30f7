/**
 * Choices of the user that outlive the page. A browser may refuse storage, for example to pages in a frame or by a
 * setting. A choice then lasts until the page is closed.
 */

/** A text that is kept under a key. */
export interface Stored {
  /** Returns the text, or null for no text. */
  read(): string | null
  /** Keeps a text. Null removes the text. */
  write(text: string | null): void
}

/** Returns the text of a key: in `localStorage` for all tabs, in `sessionStorage` for this tab only. */
export function storedIn(kind: 'localStorage' | 'sessionStorage', key: string): Stored {
  let inMemory: string | null = null
  return {
    read() {
      try {
        return globalThis[kind].getItem(key)
      } catch {
        return inMemory
      }
    },
    write(text) {
      inMemory = text
      try {
        if (text === null) globalThis[kind].removeItem(key)
        else globalThis[kind].setItem(key, text)
      } catch {
        // Without storage, `read` returns the text in memory. A full storage keeps the previous text.
      }
    },
  }
}
