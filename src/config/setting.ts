import { parseArgs } from 'node:util'
import type { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import { nearest } from '../base/nearest.js'
import { onOff, type ValueType } from './value-types.js'

export interface Setting<T> {
  type: ValueType<T>
  /** As it would be typed; undefined where there is none, or where the program finds it at the start. */
  default?: string
  meaning: string
  /** False for what must not stand on a command line, where every user of the machine can read it. */
  flag?: false
  /** False for what belongs to one call and not to an environment, nor to a file. */
  variable?: false
  /** False for what a file of settings cannot say. */
  file?: false
  /** Never shown. */
  secret?: true
}

/** Settings by their names, in camel case: `dataDir` is `--data-dir`, `LOGWEIR_DATA_DIR`, and `data-dir` in a file. */
export type Settings = Readonly<Record<string, Setting<unknown>>>

type Value<S> = S extends { type: ValueType<infer T>; default: string }
  ? T
  : S extends Setting<infer T>
    ? T | undefined
    : never
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: Value<S[Name]> }

/** Where a value may be found, the strongest first. */
export const ORIGINS = ['flag', 'variable', 'file', 'default'] as const
export type Origin = (typeof ORIGINS)[number]

/** A value as it was found. */
export interface Found {
  /** As it was typed. */
  text: string
  origin: Origin
  /** The flag, the variable, or the place in the file. */
  where: string
}

/** What a file of settings says. */
export interface SettingsFile {
  /** By the names of settings. */
  texts: ReadonlyMap<string, string>
  /** The file, and the line where it can be told. */
  placeOf(name: string): string
  /** What its owner should hear. */
  warning: string | undefined
}

export interface Read<S extends Settings> {
  values: ValuesOf<S>
  found: ReadonlyMap<string, Found>
  /** What the command line holds besides, where that is wanted. */
  others: Others
}

/** Arguments that are no settings. */
export interface Others {
  /** Names with their dashes, in the order in which they stand. */
  flags: readonly (readonly [flag: string, text: string])[]
  operands: readonly string[]
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface ReadOptions {
  /** Without it arguments that are no settings are errors. */
  allowsExtras?: boolean
  /** Reads the file that the setting `config` names, where there is one. */
  readFile?: (path: string) => SettingsFile
}

const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')

/** `dataDir` in a file of settings: `data-dir`. */
export const fileNameOf = (name: string): string => words(name).join('-')

/** `dataDir` as a flag: `--data-dir`. */
export const flagOf = (name: string): string => `--${fileNameOf(name)}`

/** `dataDir` as an environment variable: `LOGWEIR_DATA_DIR`. */
export const variableOf = (name: string): string => `LOGWEIR_${words(name).join('_').toUpperCase()}`

/** Whether a file of settings may say it. */
export const isInFile = ({ variable, file }: Setting<unknown>): boolean => variable !== false && file !== false

/** A text to show, without the name and password that a URL in it may hold. */
export const withoutSecrets = (text: string): string => text.replace(/\/\/[^/\s"]*@/g, '//***@')

/**
 * Reads settings: flags win over variables, variables over the file, the file over defaults. Throws `usage` with one line
 * that names flag, variable, or place in the file.
 */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  environment: Environment,
  { allowsExtras = false, readFile }: ReadOptions = {},
): Read<S> {
  const { flags, others } = readFlags(settings, args, allowsExtras)
  const file = settings.config && readNamedFile(settings.config, { flags, environment }, readFile)
  const values: Record<string, unknown> = {}
  const found = new Map<string, Found>()
  for (const [name, setting] of Object.entries(settings)) {
    const one = find(name, setting, { flags, environment, file })
    if (one === undefined) continue
    values[name] = readValue(setting, one, name)
    found.set(name, one)
  }
  return { values: values as ValuesOf<S>, found, others }
}

interface Places {
  flags: ReadonlyMap<string, string>
  environment: Environment
  file?: SettingsFile | undefined
}

function readNamedFile(setting: Setting<unknown>, places: Places, readFile: ReadOptions['readFile']) {
  const named = find('config', setting, places)
  return named && readFile?.(readValue(setting, named, 'config') as string)
}

function find(name: string, setting: Setting<unknown>, { flags, environment, file }: Places): Found | undefined {
  const flag = flags.get(name)
  if (flag !== undefined) return { text: flag, origin: 'flag', where: flagOf(name) }
  const variable = setting.variable === false ? undefined : variableIn(environment, variableOf(name))
  if (variable !== undefined) return { text: variable, origin: 'variable', where: variableOf(name) }
  const inFile = isInFile(setting) ? file?.texts.get(name) : undefined
  if (inFile !== undefined) return { text: inFile, origin: 'file', where: file!.placeOf(name) }
  return setting.default === undefined ? undefined : { text: setting.default, origin: 'default', where: 'default' }
}

/** For a Service of this program's name Kubernetes sets a variable like that of the port: `LOGWEIR_PORT=tcp://10.96.12.7:4000`. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\/.+:\d+$/

/**
 * A variable's text, without the byte order mark and the line ends of a file that it was made from. An empty variable counts
 * as absent, and so does one that Kubernetes, or a link of Docker, has set.
 */
function variableIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '')
  const isLink = name.endsWith('_PORT') && SERVICE_LINK.test(text ?? '')
  return isLink ? undefined : text || undefined
}

function readValue({ type, secret }: Setting<unknown>, { text, origin, where }: Found, name: string): unknown {
  const value = type.read(text)
  if (value !== undefined) return value
  const shown = secret ? '***' : withoutSecrets(JSON.stringify(text))
  throw usageError(`${origin === 'file' ? `${where}: ${fileNameOf(name)}` : where}: ${shown} is not ${type.expects}.`)
}

interface Given {
  flags: Map<string, string>
  others: Others
}

function readFlags(settings: Settings, args: readonly string[], allowsExtras: boolean): Given {
  const names = new Map(
    Object.keys(settings).flatMap((name) => (settings[name]!.flag === false ? [] : [[flagOf(name), name]])),
  )
  const isSwitch = (name: string) => settings[name]!.type === onOff
  const flags = new Map<string, string>()
  const others = { flags: [] as [string, string][], operands: [] as string[] }
  const switches = new Set([...names].flatMap(([flag, name]) => (isSwitch(name) ? [flag] : [])))
  for (const token of tokensOf(args, switches)) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      if (!allowsExtras) throw usageError(`unexpected argument ${JSON.stringify(token.value)}. Try: logweir --help`)
      others.operands.push(token.value)
      continue
    }
    const name = names.get(token.rawName)
    if (name !== undefined) flags.set(name, flagText(token, isSwitch(name)))
    else if (allowsExtras && token.rawName.startsWith('--')) others.flags.push([token.rawName, flagText(token, false)])
    else throw unknownFlag(token.rawName, [...names.keys()])
  }
  return { flags, others }
}

/** The parts of a command line. What is no switch takes a value, also where nobody knows the flag. */
function tokensOf(args: readonly string[], switches: ReadonlySet<string>) {
  const given = args.filter((arg) => arg.startsWith('--') && arg !== '--').map((arg) => arg.split('=')[0]!)
  const options = Object.fromEntries(
    given.map((flag) => [flag.slice(2), { type: switches.has(flag) ? 'boolean' : 'string' } as const]),
  )
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

/** Throws nothing: gives the error about a flag that is none. */
export function unknownFlag(flag: string, known: readonly string[]): LogweirError<'usage'> {
  const meant = nearest(flag, known)
  return usageError(`unknown flag ${flag}. ${meant === undefined ? 'Try: logweir --help' : `Did you mean ${meant}?`}`)
}

interface FlagToken {
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function flagText(token: FlagToken, isSwitch: boolean): string {
  if (isSwitch && token.value !== undefined) throw usageError(`${token.rawName} takes no value.`)
  if (isSwitch) return 'true'
  // A flag behind a flag is a value left out, not the value.
  if (token.value === undefined || (!token.inlineValue && token.value.startsWith('-'))) {
    throw usageError(`${token.rawName} needs a value: ${token.rawName} VALUE.`)
  }
  return token.value
}

/** The lines of `--help` for some settings: flag, variable, default, meaning. */
export function describeSettings(settings: Settings): string[] {
  const rows = Object.entries(settings).map(([name, { type, default: value, meaning, flag, variable }]) => [
    flag === false ? '' : `${flagOf(name)} ${type.placeholder}`.trim(),
    variable === false ? '' : variableOf(name),
    type === onOff ? '' : (value ?? ''),
    meaning,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}
