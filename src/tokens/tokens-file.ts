import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathError } from '../base/failures.js'
import { encodingOf } from '../base/text/text-encoding.js'
import type { Clock } from '../base/time/clock.js'
import { parseIso8601 } from '../base/time/iso8601.js'
import { MIB } from '../base/units.js'
import { rate } from '../config/value-types.js'
import { isTokenEntriesText, parseTokenEntries, type TokenEntry } from './entry.js'
import { createLimit, type Limit } from './limit.js'
import { plainTokens, type RegisteredToken } from './token-registry.js'
import { parsePlainTokens } from './token-syntax.js'

/** Returns the path of the hashed tokens in a data directory. */
export const tokensFilePath = (dataDir: string): string => join(dataDir, 'tokens.json')

/** The largest file that is read. */
export const MAX_FILE_BYTES = 64 * MIB

/**
 * Returns the text of a tokens file without a byte order mark, or undefined if there is no such file. Throws `failed`
 * if the file cannot be read, `usage` if the file is not text or is over 64 MiB.
 */
export function readTokensText(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (found.size > MAX_FILE_BYTES) throw new Error(`it is over ${MAX_FILE_BYTES / MIB} MiB`)
    return decode(readFileSync(path))
  } catch (error) {
    throw pathError(`cannot read the tokens in ${path}: ${(error as Error).message}.`, error as Error)
  }
}

function decode(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  if (text.includes('\0')) throw new Error('it holds NUL characters. Save it as UTF-8')
  return text
}

/** Parses a tokens file, hashed or plain. A rate limit keeps the current level when the file is read again. */
export interface FileReader {
  /**
   * Returns the tokens in a file's text. Throws `usage` if the text is invalid, `tokens_unavailable` if the text
   * contains no token yet.
   */
  read(text: string): RegisteredToken[]
}

/** Returns a reader without rate limits. `path` is for error messages. */
export function createFileReader(path: string, clock: Clock): FileReader {
  let limits = new Map<string, Limit>()

  function register(
    { id, name, sha256, scopes, projects, expires, rate: text }: TokenEntry,
    next: Map<string, Limit>,
  ): RegisteredToken {
    const limit = text === undefined ? undefined : limitOf(`${sha256} ${text}`, text)
    if (limit !== undefined) next.set(`${sha256} ${text}`, limit)
    return {
      digest: Buffer.from(sha256, 'hex'),
      access: {
        ...{ id: projects && id, label: name === undefined ? id : `${id} (${name})` },
        ...{ scopes: new Set(scopes), projects: projects && new Set(projects), limit },
      },
      expiresUs: expires === undefined ? Number.POSITIVE_INFINITY : parseIso8601(expires)!,
    }
  }

  const limitOf = (key: string, text: string) => limits.get(key) ?? createLimit(rate.read(text)!, clock)

  return {
    read(text) {
      if (!isTokenEntriesText(text)) return plainTokens(parsePlainTokens(text, path))
      const next = new Map<string, Limit>()
      const tokens = parseTokenEntries(text, path).map((entry) => register(entry, next))
      limits = next
      return tokens
    },
  }
}
