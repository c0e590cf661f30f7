import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { fileNameOf, isInFile, type Settings, withoutSecrets } from './setting.js'
import { placeOf, readTomlFile } from './toml-file.js'

/** The name of the file in error messages. */
const SETTINGS = { content: 'the settings', file: 'a settings file' }

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
  const { table, source, isReadableByAll } = readTomlFile(path, SETTINGS)
  const names = new Map(
    Object.keys(known)
      .filter((name) => isInFile(known[name]))
      .map((name) => [fileNameOf(name), name]),
  )
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(table)) {
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
