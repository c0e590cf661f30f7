import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathError } from '../base/failures.js'
import { checkToken, unquote } from './token-syntax.js'

/** The token that the service generates if none is configured, stored as plain text in the data directory. */

const TOKEN_FILE = 'token'
/** Earlier versions used the process id. */
const UNFINISHED = /^token\.(new|\d+)$/
const TOKEN_BYTES = 32
const PRIVATE_FILE = 0o600
const OF_OTHERS = 0o077

/**
 * Returns a new token: 32 random bytes as 43 characters of base64url. A token never begins with `-`, as a flag would.
 */
export function generateToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return token.startsWith('-') ? generateToken() : token
}

/** Returns the path of the stored token in a data directory. */
export const storedTokenPath = (dataDir: string): string => join(dataDir, TOKEN_FILE)

/**
 * Stores a token in the data directory, atomically, in a file that only its owner can read. The next call replaces the
 * file that a killed call has left. The files of earlier versions are deleted.
 */
export function storeToken(dataDir: string, token: string): void {
  const path = storedTokenPath(dataDir)
  const unfinished = `${path}.new`
  for (const name of readdirSync(dataDir)) if (UNFINISHED.test(name)) rmSync(join(dataDir, name))
  writeFileSync(unfinished, `${token}\n`, { mode: PRIVATE_FILE })
  renameSync(unfinished, path)
}

/**
 * Returns the stored token, or undefined if there is none. Makes the file private if other users can read the file.
 * Throws `failed` if the file cannot be read, `usage` if the file does not contain a valid token.
 */
export function readStoredToken(dataDir: string): string | undefined {
  const path = storedTokenPath(dataDir)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const token = checkToken(unquote(readText(path)), `${path}: token 1`)
  if ((found.mode & OF_OTHERS) !== 0) chmodSync(path, PRIVATE_FILE)
  return token
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw pathError(`cannot read the token in ${path}: ${(error as Error).message}.`, error as Error)
  }
}
