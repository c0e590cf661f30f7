import type { ValueType } from './value-types.js'

/** The description of a setting: the type, the default, and where it may be set. */
export interface Setting<T> {
  type: ValueType<T>
  /** As typed. Undefined if there is no default, or if the program determines the default at the start. */
  default?: string
  /** A line for `--help` and the README. */
  meaning: string
  /** False for secrets: every user of the machine can read a command line. */
  flag?: false
  /** False for settings of a single call, which belong neither to an environment nor to a file. */
  variable?: false
  /** The environment variable, if another program has named it. Default: `LOGWEIR_` and the setting's name. */
  variableName?: string
  /** False if a settings file must not contain the setting. */
  file?: false
  /** Never shown. */
  secret?: true
  /**
   * If true, a line on standard error names the value of a variable or a file: the same variable is read by the
   * service, and may have been set for the service alone.
   */
  isAnnounced?: true
}

/**
 * Settings by name in camel case: `dataDir` is `--data-dir`, `LOGWEIR_DATA_DIR` unless there is a `variableName`, and
 * `data-dir` in a file.
 */
export type Settings = Readonly<Record<string, Setting<unknown>>>

type Value<S> = S extends { type: ValueType<infer T>; default: string }
  ? T
  : S extends Setting<infer T>
    ? T | undefined
    : never

/** The values of some settings by name. Undefined only if a setting has no default. */
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: Value<S[Name]> }

const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')

/** Returns the name in a settings file: `data-dir` for `dataDir`. */
export const fileNameOf = (name: string): string => words(name).join('-')

/** Returns the flag: `--data-dir` for `dataDir`. */
export const flagOf = (name: string): string => `--${fileNameOf(name)}`

/** Returns the environment variable of a setting: `LOGWEIR_DATA_DIR` for `dataDir`, or the `variableName`. */
export const variableOf = (name: string, { variableName }: Pick<Setting<unknown>, 'variableName'>): string =>
  variableName ?? `LOGWEIR_${words(name).join('_').toUpperCase()}`

/** Whether a settings file may contain the setting. */
export const isInFile = ({ variable, file }: Setting<unknown>): boolean => variable !== false && file !== false

/** Returns the text with name and password of each contained URL replaced by `***`, for error messages. */
export const withoutSecrets = (text: string): string => text.replace(/\/\/[^/\s"]*@/g, '//***@')
