import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { pathError, usageError } from '../base/failures.js'

/** The file of the key in a data directory, if no other file is set. */
export const KEY_FILE = 'mask.key'

/** Bytes of a new key: as many as those of a hash (RFC 2104, section 3). */
const KEY_BYTES = 32
/** The fewest bytes of a key that somebody has made. */
const MIN_BYTES = 16
/** The most bytes of a key. */
const MAX_BYTES = 4_096

/**
 * Reads the key of hashes from a file, and makes the file, with a new key that only this user can read, if it does not
 * exist. White space at both ends does not count. Throws `usage` if the key is too short or too long, and `failed` if
 * the file can be neither read nor made.
 */
export const readKeyFile = (path: string): Uint8Array => checked(readIfThere(path) ?? makeKey(path), path)

/** Reads the key of hashes from a file. Throws the errors of {@link readKeyFile}, also if there is no file. */
export const readExistingKey = (path: string): Uint8Array => checked(read(path), path)

function checked(text: string, path: string): Uint8Array {
  const { length } = Buffer.from(text)
  if (length >= MIN_BYTES && length <= MAX_BYTES) return Buffer.from(text)
  throw usageError(
    `${path}: a key of masks has ${MIN_BYTES} to ${MAX_BYTES} bytes, and this one has ${length}. Make one: ` +
      'openssl rand -hex 32',
  )
}

const readIfThere = (path: string) => (existsSync(path) ? read(path) : undefined)

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim()
  } catch (error) {
    throw pathError(`cannot read the key of masks in ${path}: ${(error as Error).message}.`, error as Error)
  }
}

/** Writes a new key, in a file that did not exist. Returns the key. */
function makeKey(path: string): string {
  const key = randomBytes(KEY_BYTES).toString('hex')
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeSync(file, `${key}\n`)
      fsyncSync(file)
    } catch (error) {
      unlinkSync(path)
      throw error
    } finally {
      closeSync(file)
    }
    return key
  } catch (error) {
    throw pathError(`cannot make the key of masks in ${path}: ${(error as Error).message}.`, error as Error)
  }
}
