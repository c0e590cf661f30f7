import type { Clock } from '../base/clock.js'
import { fileVersion } from '../base/file-version.js'
import type { Log } from '../base/log.js'
import type { RegisteredToken } from './token-registry.js'
import { createFileReader, readTokensText } from './tokens-file.js'

/** A file of tokens that is read again when it changes. */
export interface WatchedTokensFile {
  /** What it held when it was last read well. */
  tokens: readonly RegisteredToken[]
  close(): void
}

/**
 * How often the file is checked for changes, because notifications of the operating system are not reliable. A change takes
 * effect at the second check that sees it.
 */
const LOOK_MS = 500

/**
 * Reads a file of tokens, which need not be there, and calls `onChange` when it has become another. A file that still
 * changes is left alone, since half of a token would be a weak one. A change that cannot be used, and the end of the file,
 * leave the tokens of before in force; the log gets one line for each. Throws `usage` or `tokens_unavailable` if the file
 * cannot be used at first.
 */
export function watchTokensFile(
  path: string,
  { clock, log }: { clock: Clock; log: Log },
  onChange: () => void,
): WatchedTokensFile {
  const reader = createFileReader(path, clock)
  let seen = fileVersion(path)
  let used = seen
  const text = readTokensText(path)
  const file: WatchedTokensFile = {
    tokens: text === undefined ? [] : reader.read(text),
    close: clock.every(LOOK_MS, look),
  }

  function look(): void {
    const found = fileVersion(path)
    const isStill = found === seen
    seen = found
    if (!isStill || found === used) return
    try {
      const changed = readTokensText(path)
      // Changed while it was read: the next checks see it.
      if (fileVersion(path) !== found) return
      used = found
      replaceTokens(changed)
    } catch (error) {
      used = found
      log(
        `the tokens file has changed and cannot be used; the previous tokens stay in force. ${(error as Error).message}`,
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
