import { fileVersion } from '../base/files/file-version.js'
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
 * The polling interval. Change notifications of the operating system are not reliable. A change takes effect at the
 * second poll that sees the change.
 */
const POLL_MS = 500

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
  let seen = fileVersion(path)
  let loaded = seen
  const text = readTokensText(path)
  const file: WatchedTokensFile = {
    tokens: text === undefined ? [] : reader.read(text),
    close: clock.every(POLL_MS, poll),
  }

  function poll(): void {
    const found = fileVersion(path)
    const isStable = found === seen
    seen = found
    if (!isStable || found === loaded) return
    try {
      const changed = readTokensText(path)
      // The file changed during the read: the next polls will see the change.
      if (fileVersion(path) !== found) return
      loaded = found
      replaceTokens(changed)
    } catch (error) {
      loaded = found
      log(
        'the tokens file has changed and cannot be used; the previous tokens stay in force. ' +
          (error as Error).message,
      )
    }
  }

  function replaceTokens(changed: string | undefined): void {
    if (changed === undefined) {
      log(`the tokens file ${path} is missing; the previous tokens stay in force until it is back`)
      return
    }
    file.tokens = reader.read(changed)
    log(`the tokens file ${path} has changed; tokens in it: ${file.tokens.length}`)
    onChange()
  }

  return file
}
