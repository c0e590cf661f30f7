import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from './base/settings.js'

/** Which tokens open the endpoints (CONTRACT: authentication). Nothing here writes a token to a log. */

export interface TokenSettings {
  /** Comma separated. */
  accessTokens: string | undefined
  tokensFile: string | undefined
  dataDir: string | undefined
}

export interface Tokens {
  /** At least one. */
  accepted: readonly string[]
  /** The token that was made just now, because none was configured and none kept; to be shown once. */
  made: string | undefined
}

const TOKEN_FILE = 'token'
const TOKEN_BYTES = 32
const PRIVATE_FILE = 0o600
const OF_OTHERS = 0o077

/**
 * The tokens of the variable and of the file together; with neither the one kept in the data directory, or else a new
 * one of 32 random bytes. Throws `usage` on a token that no header can carry, and on a file that cannot be read.
 */
export function findTokens({ accessTokens, tokensFile, dataDir }: TokenSettings): Tokens {
  const configured = [
    ...(accessTokens === undefined ? [] : readTokens(accessTokens.split(','), 'LOGWEIR_ACCESS_TOKENS')),
    ...(tokensFile === undefined ? [] : readTokensFile(tokensFile)),
  ]
  if (configured.length > 0) return { accepted: configured, made: undefined }
  const kept = dataDir === undefined ? undefined : readKeptToken(join(dataDir, TOKEN_FILE))
  if (kept !== undefined) return { accepted: [kept], made: undefined }
  const made = randomBytes(TOKEN_BYTES).toString('base64url')
  return { accepted: [made], made }
}

/** Keeps a made token in the data directory, for the owner's eyes only, whole or not at all. */
export function keepToken(dataDir: string, token: string): void {
  const path = join(dataDir, TOKEN_FILE)
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, `${token}\n`, { mode: PRIVATE_FILE })
  renameSync(unfinished, path)
}

function readTokens(tokens: readonly string[], where: string): readonly string[] {
  tokens.forEach((token, i) => {
    if (token === '') throw usageError(`${where}: token ${i + 1} is empty. Remove it, or write it out.`)
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw usageError(`${where}: token ${i + 1} holds white space or a character beyond ASCII. Choose another.`)
    }
  })
  return tokens
}

function readTokensFile(path: string): readonly string[] {
  const lines = readText(path).split(/\r?\n/)
  const tokens = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  if (tokens.length === 0) throw usageError(`${path}: holds no token. Write one on a line of its own.`)
  return readTokens(tokens, path)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw usageError(`cannot read the tokens in ${path}: ${(error as Error).message}.`)
  }
}

function readKeptToken(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const token = readText(path).trim()
  readTokens([token], path)
  if ((statSync(path).mode & OF_OTHERS) !== 0) chmodSync(path, PRIVATE_FILE)
  return token
}
