import { LogweirError } from '../base/errors.js'
import { compilePattern, MAX_PATTERN_LENGTH, quotePattern } from '../base/pattern/pattern.js'
import { parseIso8601 } from '../base/time/iso8601.js'
import { type Moment, momentOfIso8601 } from '../base/time/moment.js'
import { numberOfText } from '../plan/values/values.js'

/**
 * A parameter of an endpoint: how the text becomes a value. `read` gets undefined if the parameter is absent or empty
 * (the contract treats both alike) and throws a LogweirError with the parameter's name, the fault and the remedy.
 */
export interface Param<T> {
  read(text: string | undefined, name: string): T
  /**
   * Reads the name of a project, which is no pattern: of a caller that may read some projects only, and the default
   * project. Default: `read`.
   */
  readBound?(text: string | undefined, name: string): T
  /** For the listing of the queries: whether the parameter must be given. */
  required: boolean
  /** For the listing of the queries: the accepted values. */
  description: string
  /** The error codes that `read` throws. Default: `invalid_parameter`. */
  codes?: readonly string[]
  /** The accepted values as JSON Schema, for the OpenAPI document. Default: any text. */
  schema?: Readonly<Record<string, unknown>>
}

/** The parameters of an endpoint, by name. */
export type Params = Readonly<Record<string, Param<unknown>>>
/** The values that a plan gets, by parameter name. */
export type ArgsOf<P extends Params> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

/** Returns the error `invalid_parameter`. The message names the parameter, the fault and the remedy. */
export const invalidParameter = (message: string): LogweirError => new LogweirError('invalid_parameter', message)

/** Returns the error of a required parameter that is absent or empty. */
export const missingParameter = (name: string): LogweirError =>
  new LogweirError('missing_parameter', `The parameter "${name}" is missing or empty. Give it a value: ?${name}=…`)

function requireText(text: string | undefined, name: string): string {
  if (text !== undefined) return text
  throw missingParameter(name)
}

const NOT_EMPTY = { type: 'string', minLength: 1 } as const

/** Any text, required. Throws `missing_parameter` if the text is absent or empty. */
export function text(description: string): Param<string> {
  return { required: true, description, codes: ['missing_parameter'], schema: NOT_EMPTY, read: requireText }
}

/** Any text, or undefined if absent. */
export function optionalText(description: string): Param<string | undefined> {
  return { required: false, description, codes: [], read: (value) => value }
}

/** A text of at most `maxCharacters` code points, or undefined if absent. Throws `invalid_parameter`. */
export function shortText(description: string, maxCharacters: number): Param<string | undefined> {
  return {
    required: false,
    description,
    schema: { type: 'string', maxLength: maxCharacters },
    read(value, name) {
      if (value === undefined || [...value].length <= maxCharacters) return value
      throw invalidParameter(`The parameter "${name}" has over ${maxCharacters} characters. Give it a shorter text.`)
    },
  }
}

/** A key of a table. If the text is no key, or absent, the value is `otherwise`. */
export function word<Key extends string, Other extends Key | undefined>(
  table: Readonly<Record<Key, unknown>>,
  otherwise: Other,
): Param<Key | Other> {
  const description = `one of ${Object.keys(table).join(', ')}; anything else: ${otherwise ?? 'no rows'}`
  return {
    required: false,
    description,
    codes: [],
    schema: { type: 'string', examples: Object.keys(table) },
    read: (value) => (value !== undefined && Object.hasOwn(table, value) ? (value as Key) : otherwise),
  }
}

/** A word of a list, required. Throws `missing_parameter`, or `invalid_parameter` for another text. */
export function requiredWord<Word extends string>(words: readonly Word[]): Param<Word> {
  const word = wordAmong(words)
  return {
    ...word,
    required: true,
    description: `one of ${words.join(', ')}`,
    schema: { type: 'string', enum: words },
    codes: ['missing_parameter', 'invalid_parameter'],
    read: (value, name) => word.read(requireText(value, name), name),
  }
}

/** A word of a list. If absent, the value is the first word. Throws `invalid_parameter` for another text. */
export function wordAmong<Word extends string>(words: readonly Word[]): Param<Word> {
  return {
    required: false,
    description: `one of ${words.join(', ')}; by default ${words[0]}`,
    schema: { type: 'string', enum: words, default: words[0] },
    read(value, name) {
      const given = (value ?? words[0]) as Word
      if (words.includes(given)) return given
      throw invalidParameter(`The parameter "${name}" is none of its words. Give it one of ${words.join(', ')}.`)
    },
  }
}

/** A decimal number, or undefined if absent. Throws `invalid_parameter`, also for an integer beyond 2^53. */
export function number(description: string): Param<number | undefined> {
  return {
    required: false,
    description,
    schema: { type: 'number' },
    read(value, name) {
      if (value === undefined) return undefined
      const given = numberOfText(value)
      if (typeof given === 'number') return given
      throw invalidParameter(
        `The parameter "${name}" is not a number. Write it as 12, -0.5 or 1e6; an integer may have up to 2^53.`,
      )
    },
  }
}

/**
 * An ISO 8601 time, in microseconds since the epoch, beyond the year 2255 the nearest double. Undefined if absent.
 * Throws `invalid_timestamp`.
 */
export const timestamp = (description: string): Param<number | undefined> => timeParam(description, parseIso8601)

/** The same of the years 1 to 9999, exact to the microsecond. */
export const exactTimestamp = (description: string): Param<Moment | undefined> =>
  timeParam(description, momentOfIso8601)

function timeParam<T extends Moment>(
  description: string,
  parse: (text: string) => T | undefined,
): Param<T | undefined> {
  return {
    required: false,
    description,
    codes: ['invalid_timestamp'],
    schema: { type: 'string', examples: ['2026-11-20T10:00:00Z'], 'x-kind': 'timestamp' },
    read(value, name) {
      if (value === undefined) return undefined
      const timestampUs = parse(value)
      if (timestampUs !== undefined) return timestampUs
      throw new LogweirError(
        'invalid_timestamp',
        `The parameter "${name}" is not an ISO 8601 time. ` +
          'Write it as 2026-11-20T10:00:00Z, with a "+" of an offset encoded as %2B.',
      )
    },
  }
}

/**
 * An RE2 pattern, required. The name of a project is literal: see `readBound` of {@link Param}. Throws
 * `missing_parameter` or `invalid_pattern`.
 */
export function pattern(description: string): Param<string> {
  return {
    required: true,
    description,
    codes: ['missing_parameter', 'invalid_pattern'],
    schema: { ...NOT_EMPTY, maxLength: MAX_PATTERN_LENGTH },
    read(value, name) {
      const source = requireText(value, name)
      compilePattern(source)
      return source
    },
    readBound: (value, name) => quotePattern(requireText(value, name)),
  }
}

/** An RE2 pattern, or undefined if absent. Throws `invalid_pattern`. */
export function optionalPattern(description: string): Param<string | undefined> {
  return {
    required: false,
    description,
    codes: ['invalid_pattern'],
    schema: { type: 'string', maxLength: MAX_PATTERN_LENGTH },
    read(value) {
      if (value !== undefined) compilePattern(value)
      return value
    },
  }
}

/** Returns the parameter as required. Throws `missing_parameter` if the parameter is absent or empty. */
export function required<T>(param: Param<T>): Param<T> {
  const { codes = ['invalid_parameter'], schema = { type: 'string' }, read } = param
  return {
    ...param,
    required: true,
    codes: ['missing_parameter', ...codes],
    schema: schema.type === 'string' ? { ...schema, minLength: 1 } : schema,
    read: (value, name) => read(requireText(value, name), name),
  }
}

/** Returns the parameter with a default: the value of `text` if the parameter is absent or empty. */
export function withDefault<T>(param: Param<T>, text: string): Param<T> {
  return { ...param, read: (value, name) => param.read(value ?? text, name) }
}
