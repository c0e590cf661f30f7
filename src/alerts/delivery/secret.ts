import { readFileSync, statSync } from 'node:fs'
import { stateError, usageError } from '../../base/failures.js'
import { KIB } from '../../base/units.js'
import type { Environment } from '../../config/environment.js'

/** The longest secret. */
const MAX_SECRET_BYTES = 8 * KIB

/**
 * Returns a text of the receivers' file: as written, of an environment variable, or of a file, without the line break
 * at its end. `where` begins error messages, which contain no secret. Throws `usage` for a missing variable or another
 * form, `failed` for a file that cannot be read.
 */
export function readSecret(written: unknown, where: string, environment: Environment): string {
  if (typeof written === 'string') return checked(written, where)
  const [[kind, name] = [], ...others] = Object.entries(Object(written) as Record<string, unknown>)
  if (typeof name !== 'string' || others.length > 0 || (kind !== 'env' && kind !== 'file'))
    throw usageError(`${where} is neither a text nor { env = "NAME" } nor { file = "/run/secrets/name" }.`)
  return kind === 'env' ? ofVariable(name, where, environment) : ofFile(name, where)
}

function ofVariable(name: string, where: string, environment: Environment): string {
  const value = environment[name]
  if (value === undefined || value === '') throw usageError(`${where}: the environment variable ${name} is not set.`)
  return checked(value, `${where}: the environment variable ${name}`)
}

function ofFile(path: string, where: string): string {
  try {
    if (statSync(path).size > MAX_SECRET_BYTES) throw usageError(`${where}: ${path} is over ${MAX_SECRET_BYTES} bytes.`)
    return checked(readFileSync(path, 'utf8').replace(/\r?\n$/, ''), `${where}: ${path}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'usage') throw error
    throw stateError(`${where}: ${path} cannot be read (${code}).`)
  }
}

/** A text of a request: no control characters, which would end a header. */
function checked(text: string, where: string): string {
  if (text !== '' && text.length <= MAX_SECRET_BYTES && !/[^\x20-\x7e\x80-\xff]/.test(text)) return text
  throw usageError(`${where} is empty, too long, or has line breaks or characters that no request may have.`)
}
