import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import { stampOf } from '../base/stamp.js'
import { createFileReader, readTokensText } from './file.js'
import type { KnownToken } from './keyring.js'

/** A file of tokens that is read again when it changes. */
export interface WatchedFile {
  /** What it held when it was last read well. */
  tokens: readonly KnownToken[]
  close(): void
}

/** How often it is looked whether the file has changed: what the system tells of changes by itself is not to be relied on. */
const LOOK_MS = 1_000

/**
 * Reads a file of tokens, which need not be there, and calls `onChange` when it has become another. A change that cannot
 * be read, and the end of the file, leave the tokens of before in force; the log hears of each once. Throws `usage` where
 * the file cannot be read at first.
 */
export function watchTokensFile(
  path: string,
  { clock, log }: { clock: Clock; log: Log },
  onChange: () => void,
): WatchedFile {
  const reader = createFileReader(path, clock)
  let stamp = stampOf(path)
  const text = readTokensText(path)
  const file: WatchedFile = { tokens: text === undefined ? [] : reader.read(text), close: clock.every(LOOK_MS, look) }

  function look(): void {
    const found = stampOf(path)
    if (found === stamp) return
    // Before it is read: what changes meanwhile is seen the next time.
    stamp = found
    try {
      readAgain()
    } catch (error) {
      log(
        `the tokens file has changed and cannot be used; the tokens of before stay in force. ${(error as Error).message}`,
      )
    }
  }

  function readAgain(): void {
    const changed = readTokensText(path)
    if (changed === undefined) {
      log(`the tokens file ${path} is gone; the tokens of before stay in force until there is one again`)
      return
    }
    file.tokens = reader.read(changed)
    log(`the tokens file ${path} has changed; tokens in it: ${file.tokens.length}`)
    onChange()
  }

  return file
}
