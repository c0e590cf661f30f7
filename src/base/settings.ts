import { parseArgs } from 'node:util'
import { LogweirError } from './errors.js'
import { type Kind, onOff } from './kinds.js'

export interface Setting<T> {
  kind: Kind<T>
  /** As it would be typed; undefined where there is none, or where the program finds it at the start. */
  default?: string
  meaning: string
  /** False for what must not stand on a command line, where every user of the machine can read it. */
  flag?: false
  /** False for what belongs to one call and not to an environment. */
  variable?: false
}

/** Settings by their names, in camel case: `dataDir` is `--data-dir` and `LOGWEIR_DATA_DIR`. */
export type Settings = Readonly<Record<string, Setting<unknown>>>

type Value<S> = S extends { kind: Kind<infer T>; default: string }
  ? T
  : S extends Setting<infer T>
    ? T | undefined
    : never
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: Value<S[Name]> }

/** Where a value was found: flags win over variables, variables over defaults. */
export type Origin = 'flag' | 'variable' | 'default'

export interface Read<S extends Settings> {
  values: ValuesOf<S>
  origins: ReadonlyMap<keyof S, Origin>
}

const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')

/** `dataDir` as a flag: `--data-dir`. */
export const flagOf = (name: string): string => `--${words(name).join('-')}`

/** `dataDir` as an environment variable: `LOGWEIR_DATA_DIR`. */
export const variableOf = (name: string): string => `LOGWEIR_${words(name).join('_').toUpperCase()}`

/** What the user can mend at the command line. */
export function usageError(message: string): LogweirError<'usage'> {
  return new LogweirError('usage', message)
}

/** Reads settings from a command line and an environment. Throws `usage` with one line that names flag or variable. */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Read<S> {
  const flags = readFlags(settings, args)
  const values: Record<string, unknown> = {}
  const origins = new Map<keyof S, Origin>()
  for (const [name, setting] of Object.entries(settings)) {
    const [flag, variable] = [flags.get(name), setting.variable === false ? undefined : environment[variableOf(name)]]
    const found = flag ?? variable ?? setting.default
    if (found === undefined) continue
    const origin = flag !== undefined ? 'flag' : variable !== undefined ? 'variable' : 'default'
    values[name] = readValue(setting, found, origin === 'variable' ? variableOf(name) : flagOf(name))
    origins.set(name, origin)
  }
  return { values: values as ValuesOf<S>, origins }
}

function readValue(setting: Setting<unknown>, found: string, where: string): unknown {
  const value = setting.kind.read(found)
  if (value === undefined) throw usageError(`${where}: ${JSON.stringify(found)} is not ${setting.kind.expects}.`)
  return value
}

function readFlags(settings: Settings, args: readonly string[]): Map<string, string> {
  const names = new Map(
    Object.keys(settings).flatMap((name) => (settings[name]!.flag === false ? [] : [[flagOf(name), name]])),
  )
  const isSwitch = (name: string) => settings[name]!.kind === onOff
  const options = Object.fromEntries(
    [...names].map(([flag, name]) => [flag.slice(2), { type: isSwitch(name) ? 'boolean' : 'string' } as const]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional')
      throw usageError(`unexpected argument ${JSON.stringify(token.value)}. Try: logweir --help`)
    const name = names.get(token.rawName)
    if (name === undefined) throw usageError(`unknown flag ${token.rawName}. Try: logweir --help`)
    given.set(name, flagText(token, isSwitch(name)))
  }
  return given
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
  const rows = Object.entries(settings).map(([name, { kind, default: value, meaning, flag, variable }]) => [
    flag === false ? '' : `${flagOf(name)} ${kind.placeholder}`.trim(),
    variable === false ? '' : variableOf(name),
    kind === onOff ? '' : (value ?? ''),
    meaning,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}
