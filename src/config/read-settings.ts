import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { type ExtraArguments, parseCommandLine } from './command-line.js'
import { type Environment, readVariable } from './environment.js'
import {
  fileNameOf,
  flagOf,
  isInFile,
  type Setting,
  type Settings,
  type ValuesOf,
  variableOf,
  withoutSecrets,
} from './setting.js'
import { FILE_SETTINGS, VARIABLES } from './settings.js'
import { readSettingsFile, type SettingsFile } from './settings-file.js'
import { warnOfVariables } from './unknown-variables.js'

/** The places where a value may be set, in descending order of precedence. */
export const ORIGINS = ['flag', 'variable', 'file', 'default'] as const

/** The place where a value was set. */
type Origin = (typeof ORIGINS)[number]

/** The text of a setting before validation, and its origin. */
export interface FoundValue {
  text: string
  origin: Origin
  /** The flag, the variable, or the place in the file, for messages. */
  where: string
}

/** The result of {@link readSettings}. */
export interface SettingsResult<S extends Settings> {
  values: ValuesOf<S>
  /** By name. Settings without a value are absent. */
  found: ReadonlyMap<string, FoundValue>
  /** Empty unless extra arguments are allowed. */
  extras: ExtraArguments
}

/** Options of {@link readSettings}. */
export interface ReadOptions {
  /** Called with a line for each problem that does not prevent the call, as of a file or of an unknown variable. */
  warn?: Log | undefined
  /** If true, arguments that are not settings are returned instead of refused. */
  allowsExtras?: boolean
}

/**
 * Reads settings from the command line, the environment, the file that `--config` names, and the defaults, in this
 * order of precedence. Throws `usage` with a line that names the flag, the variable, or the line of the file, if a
 * value is invalid. Throws `failed` if the file cannot be read.
 */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  environment: Environment,
  { warn, allowsExtras = false }: ReadOptions = {},
): SettingsResult<S> {
  const { flags, extras } = parseCommandLine(settings, args, allowsExtras)
  if (warn !== undefined) warnOfVariables(environment, VARIABLES, warn)
  const file = readNamedFile(settings.config, { flags, environment }, warn)
  const values: Record<string, unknown> = {}
  const found = new Map<string, FoundValue>()
  for (const [name, setting] of Object.entries(settings)) {
    const one = findValue(name, setting, { flags, environment, file })
    if (one === undefined) continue
    values[name] = validate(setting, one, name)
    found.set(name, one)
    if (setting.isAnnounced && (one.origin === 'variable' || one.origin === 'file')) {
      warn?.(`${flagOf(name)} is ${JSON.stringify(one.text)}, from ${one.where}.`, { code: 'setting_of_variable' })
    }
  }
  return { values: values as ValuesOf<S>, found, extras }
}

interface Inputs {
  flags: ReadonlyMap<string, string>
  environment: Environment
  file?: SettingsFile | undefined
}

/**
 * Reads the file that a flag or a variable names. Returns undefined if none does, or if the command has no `config`
 * setting.
 */
function readNamedFile(setting: Setting<unknown> | undefined, inputs: Inputs, warn: Log | undefined) {
  const named = setting && findValue('config', setting, inputs)
  if (named === undefined) return undefined
  const file = readSettingsFile(validate(setting!, named, 'config') as string, FILE_SETTINGS)
  if (file.warning !== undefined) warn?.(file.warning)
  return file
}

function findValue(
  name: string,
  setting: Setting<unknown>,
  { flags, environment, file }: Inputs,
): FoundValue | undefined {
  const flag = flags.get(name)
  if (flag !== undefined) return { text: flag, origin: 'flag', where: flagOf(name) }
  const where = variableOf(name, setting)
  const variable = setting.variable === false ? undefined : readVariable(environment, where)
  if (variable !== undefined) return { text: variable, origin: 'variable', where }
  const inFile = isInFile(setting) ? file?.texts.get(name) : undefined
  if (inFile !== undefined) return { text: inFile, origin: 'file', where: file!.placeOf(name) }
  return setting.default === undefined ? undefined : { text: setting.default, origin: 'default', where: 'default' }
}

/** Converts a text to the setting's type. Throws `usage` if the text is not valid. A secret is not shown. */
function validate({ type, secret }: Setting<unknown>, { text, origin, where }: FoundValue, name: string): unknown {
  const value = type.read(text)
  if (value !== undefined) return value
  const shown = secret ? '***' : withoutSecrets(JSON.stringify(text))
  const place = origin === 'file' ? `${where}: ${fileNameOf(name)}` : where
  throw usageError(`${place}: ${type.faultOf?.(text) ?? `${shown} is not ${type.expects}`}.`)
}
