import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathError } from '../base/failures.js'
import { checkToken, unquote } from './token-syntax.js'

/** The token that is made where none is configured, and kept plain in the data directory. */

const TOKEN_FILE = 'token'
const TOKEN_BYTES = 32
const PRIVATE_FILE = 0o600
const OF_OTHERS = 0o077

/** A new token of 32 random bytes, as text; never one that a command line would take for a flag. */
export function generateToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return token.startsWith('-') ? generateToken() : token
}

/** The file of the token in a data directory. */
export const storedTokenPath = (dataDir: string): string => join(dataDir, TOKEN_FILE)

/** Keeps a made token in the data directory, for the owner's eyes only, whole or not at all. */
export function storeToken(dataDir: string, token: string): void {
  const path = storedTokenPath(dataDir)
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, `${token}\n`, { mode: PRIVATE_FILE })
  renameSync(unfinished, path)
}

/** The token that is kept, if one is. Closes its file to others. Throws `failed` if it cannot be read, `usage` if it is no token. */
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
