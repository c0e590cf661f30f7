import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parse as parseToml, type TomlError } from 'smol-toml'
import { pathError, usageError } from '../base/failures.js'
import { encodingOf } from '../base/text/text-encoding.js'
import { MIB } from '../base/units.js'

/** The longest file that is read by default. */
const MAX_BYTES = MIB
const READABLE_BY_ALL = 0o004

/** The names of a file and its content in error messages. */
export interface TomlNames {
  content: string
  file: string
  /** The longest file that is read, in bytes. Default: 1 MiB. */
  maxBytes?: number
}

/** The content of a TOML file. */
export interface TomlFile {
  table: Record<string, unknown>
  /** The text of the file. */
  source: string
  isReadableByAll: boolean
}

/**
 * Reads a TOML file. Throws `usage` with one line that names the file and the line in it, and quotes nothing of the
 * file, which may contain secrets. Throws `failed` if the file cannot be read.
 */
export function readTomlFile(path: string, names: TomlNames): TomlFile {
  const { bytes, isReadableByAll } = readBytes(path, names)
  const source = decode(bytes, path)
  return { table: parse(source, path), source, isReadableByAll }
}

function readBytes(path: string, names: TomlNames) {
  try {
    const file = openSync(path, 'r')
    try {
      return { bytes: readUpTo(file, path, names), isReadableByAll: (fstatSync(file).mode & READABLE_BY_ALL) !== 0 }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw pathError(`cannot read ${names.content} in ${path}: ${(error as Error).message}.`, error as Error)
  }
}

function readUpTo(file: number, path: string, names: TomlNames): Uint8Array {
  const { maxBytes = MAX_BYTES } = names
  const bytes = new Uint8Array(maxBytes + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null)
  }
  if (length > maxBytes) throw usageError(`${path}: it is over ${maxBytes} bytes, too long for ${names.file}.`)
  return bytes.subarray(0, length)
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Reported below, as a text with NUL characters is.
  }
  throw usageError(`${path}: not UTF-8 text.`)
}

function parse(source: string, path: string): Record<string, unknown> {
  try {
    return parseToml(source)
  } catch (error) {
    const { line, message } = error as TomlError
    // The further lines of the message quote the file, which may contain secrets.
    const [fault] = message.replace('Invalid TOML document: ', '').split('\n')
    throw usageError(`${path} line ${line}: not TOML: ${fault}. A line is: name = value, texts in quotes.`)
  }
}

/**
 * Returns the file and the line of a key, which a flat table has at the beginning of a line. Returns the file only if
 * the key is not found.
 */
export function placeOf(path: string, source: string, key: string): string {
  const lines = source.split('\n').map((line) => line.trimStart())
  const at = lines.findIndex((line) =>
    [key, `"${key}"`, `'${key}'`, `[${key}`].some((start) => beginsWithKey(line, start)),
  )
  return at < 0 ? path : `${path} line ${at + 1}`
}

const beginsWithKey = (line: string, start: string) =>
  line.startsWith(start) && /^\s*[=.\]]/.test(line.slice(start.length))
