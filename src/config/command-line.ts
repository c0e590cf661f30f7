import { parseArgs } from 'node:util'
import type { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import { nearest } from '../base/text/nearest.js'
import { flagOf, type Settings } from './setting.js'
import { onOff } from './value-types.js'

/** Arguments of a command line that are not settings. */
export interface ExtraArguments {
  /** Flags with their dashes and values, in the order of the command line. */
  flags: readonly (readonly [flag: string, text: string])[]
  operands: readonly string[]
}

/** The result of {@link parseCommandLine}. */
export interface CommandLine {
  /** Texts of flags by the name of the setting. `true` for a switch without a value. */
  flags: ReadonlyMap<string, string>
  extras: ExtraArguments
}

/**
 * Parses the arguments after a command's name. A flag that is given twice has the last value. Throws `usage` if a value
 * is missing, or if an argument is not a setting and `allowsExtras` is false.
 */
export function parseCommandLine(settings: Settings, args: readonly string[], allowsExtras: boolean): CommandLine {
  const names = new Map(
    Object.keys(settings).flatMap((name) => (settings[name].flag === false ? [] : [[flagOf(name), name]])),
  )
  const isSwitch = (name: string) => settings[name].type === onOff
  const flags = new Map<string, string>()
  const extras = { flags: [] as [string, string][], operands: [] as string[] }
  const switches = new Set([...names].flatMap(([flag, name]) => (isSwitch(name) ? [flag] : [])))
  for (const token of tokensOf(args, switches)) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      if (!allowsExtras) throw usageError(`unexpected argument ${JSON.stringify(token.value)}. Try: logweir --help`)
      extras.operands.push(token.value)
      continue
    }
    const name = names.get(token.rawName)
    if (name !== undefined) flags.set(name, flagText(token, isSwitch(name)))
    else if (allowsExtras && token.rawName.startsWith('--')) extras.flags.push([token.rawName, flagText(token, false)])
    else throw unknownFlag(token.rawName, [...names.keys()])
  }
  return { flags, extras }
}

/** Splits a command line into tokens. Every flag that is not a switch takes a value, unknown flags too. */
function tokensOf(args: readonly string[], switches: ReadonlySet<string>) {
  const given = args.filter((arg) => arg.startsWith('--') && arg !== '--').map((arg) => arg.split('=')[0])
  const options = Object.fromEntries(
    given.map((flag) => [flag.slice(2), { type: switches.has(flag) ? 'boolean' : 'string' } as const]),
  )
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

/** Returns the error about an unknown flag, with the nearest of the `known` flags if any is near. */
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
  if (isSwitch) return token.value ?? 'true'
  // A flag directly after another flag means that the value was left out. A negative number is a value.
  if (token.value === undefined || (!token.inlineValue && /^-(?![\d.])/.test(token.value))) {
    throw usageError(`${token.rawName} needs a value: ${token.rawName} VALUE.`)
  }
  return token.value
}
