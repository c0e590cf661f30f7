import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parse as parseToml, type TomlError } from 'smol-toml'
import { pathError, usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { encodingOf } from '../base/text/text-encoding.js'
import { MIB } from '../base/units.js'
import { fileNameOf, isInFile, type Settings, withoutSecrets } from './setting.js'

/** The longest file that is read. */
const MAX_BYTES = MIB
const READABLE_BY_ALL = 0o004

/** The contents of a settings file. */
export interface SettingsFile {
  /** Texts by the name of the setting, not yet validated. */
  texts: ReadonlyMap<string, string>
  /** Returns the file and, if known, the line of a setting. */
  placeOf(name: string): string
  /** A problem that does not prevent the use of the file. */
  warning: string | undefined
}

/**
 * Reads a settings file: a flat TOML table, with the names of the flags without leading dashes. `known` are the
 * settings of all commands, which share a file. Throws `usage` with one line that names the file and the line in it.
 * Throws `failed` if the file cannot be read.
 */
export function readSettingsFile(path: string, known: Settings): SettingsFile {
  const { bytes, isReadableByAll } = readBytes(path)
  const source = decode(bytes, path)
  const names = new Map(
    Object.keys(known)
      .filter((name) => isInFile(known[name]))
      .map((name) => [fileNameOf(name), name]),
  )
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(parse(source, path))) {
    const name = names.get(key)
    if (name === undefined) {
      throw usageError(
        `${placeOf(path, source, key)}: unknown setting ${JSON.stringify(key)}. ${didYouMean(key, [...names.keys()])}`,
      )
    }
    texts.set(name, textOf(known[name], value, `${placeOf(path, source, key)}: ${key}`))
  }
  const hasSecret = [...texts.keys()].some((name) => known[name].secret)
  return {
    texts,
    placeOf: (name) => placeOf(path, source, fileNameOf(name)),
    warning:
      hasSecret && isReadableByAll
        ? `${path} holds secrets, and every user of this machine can read it: chmod 600 ${path}`
        : undefined,
  }
}

/** The types of TOML values that need no quotes. A switch may be `true` or `1`. */
const UNQUOTED = { number: ['number'], boolean: ['boolean', 'number'] }

/** Returns a TOML value as the text that an environment variable would have. Throws `usage` if the type is wrong. */
function textOf({ type, secret }: Settings[string], value: unknown, where: string): string {
  if (typeof value === 'string' || (type.tomlType && UNQUOTED[type.tomlType].includes(typeof value)))
    return String(value)
  const shown = secret ? '***' : withoutSecrets(JSON.stringify(value))
  const remedy = type.tomlType === undefined ? ' Write it in quotes.' : ''
  throw usageError(`${where}: ${shown} is not ${type.expects}.${remedy}`)
}

function readBytes(path: string) {
  try {
    const file = openSync(path, 'r')
    try {
      return { bytes: readUpTo(file, path), isReadableByAll: (fstatSync(file).mode & READABLE_BY_ALL) !== 0 }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw pathError(`cannot read the settings in ${path}: ${(error as Error).message}.`, error as Error)
  }
}

function readUpTo(file: number, path: string): Uint8Array {
  const bytes = new Uint8Array(MAX_BYTES + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null)
  }
  if (length > MAX_BYTES) throw usageError(`${path}: it is over ${MAX_BYTES} bytes, too long for a settings file.`)
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
function placeOf(path: string, source: string, key: string): string {
  const lines = source.split('\n').map((line) => line.trimStart())
  const at = lines.findIndex((line) =>
    [key, `"${key}"`, `'${key}'`, `[${key}`].some((start) => beginsWithKey(line, start)),
  )
  return at < 0 ? path : `${path} line ${at + 1}`
}

const beginsWithKey = (line: string, start: string) =>
  line.startsWith(start) && /^\s*[=.\]]/.test(line.slice(start.length))
