import { watchFile } from '../base/files/watch-file.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import type { RegisteredToken } from './token-registry.js'
import { createFileReader, readTokensText } from './tokens-file.js'

/** A tokens file that is reloaded when the file changes. */
export interface WatchedTokensFile {
  /** The tokens when the file was last read successfully. Empty if the file never existed. */
  tokens: readonly RegisteredToken[]
  /** Stops watching. */
  close(): void
}

/**
 * Reads a tokens file, which need not exist, and calls `onChange` after each reload. A file that is still being written
 * is not read, since a truncated token would be weak. If the changed file is invalid or was deleted, the previous
 * tokens stay valid and a single line is logged. Throws `usage` or `tokens_unavailable` if the file is invalid at
 * first.
 */
export function watchTokensFile(
  path: string,
  { clock, log }: { clock: Clock; log: Log },
  onChange: () => void,
): WatchedTokensFile {
  const reader = createFileReader(path, clock)
  const watched = watchFile(path, clock, {
    read() {
      const text = readTokensText(path)
      return text === undefined ? undefined : reader.read(text)
    },
    onChange: replaceTokens,
    onError: (error) =>
      log(`the tokens file has changed and cannot be used; the previous tokens stay in force. ${error.message}`),
  })
  const file: WatchedTokensFile = { tokens: watched.first ?? [], close: watched.close }

  function replaceTokens(changed: readonly RegisteredToken[] | undefined): void {
    if (changed === undefined) {
      log(`the tokens file ${path} is missing; the previous tokens stay in force until it is back`)
      return
    }
    file.tokens = changed
    log(`the tokens file ${path} has changed; tokens in it: ${file.tokens.length}`)
    onChange()
  }

  return file
}
