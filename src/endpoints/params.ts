import { LogweirError } from '../base/errors.js'
import { parseIso8601 } from '../base/iso8601.js'
import { compilePattern } from '../base/pattern.js'

/**
 * One parameter of an endpoint: how its text becomes a value. `read` gets undefined where the parameter is absent or
 * empty (the contract holds the two equal) and throws a LogweirError with the parameter's name, the fault and the mend.
 */
export interface Param<T> {
  read(text: string | undefined, name: string): T
  /** For the definitions: whether a caller must give it, and what it takes. */
  required: boolean
  description: string
}

export type Params = Readonly<Record<string, Param<unknown>>>
export type ArgsOf<P extends Params> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

function requireText(text: string | undefined, name: string): string {
  if (text !== undefined) return text
  throw new LogweirError(
    'missing_parameter',
    `The parameter "${name}" is missing or empty. Give it a value: ?${name}=…`,
  )
}

/** Any text, required. */
export function text(description: string): Param<string> {
  return { required: true, description, read: requireText }
}

/** Any text; undefined where absent. */
export function optionalText(description: string): Param<string | undefined> {
  return { required: false, description, read: (value) => value }
}

/** One key of a table; anything else, or absent, is `otherwise`. */
export function word<Key extends string, Other extends Key | undefined>(
  table: Readonly<Record<Key, unknown>>,
  otherwise: Other,
): Param<Key | Other> {
  const description = `one of ${Object.keys(table).join(', ')}; anything else: ${otherwise ?? 'no rows'}`
  return {
    required: false,
    description,
    read: (value) => (value !== undefined && Object.hasOwn(table, value) ? (value as Key) : otherwise),
  }
}

/** A moment in ISO 8601, in microseconds since the epoch; undefined where absent. */
export function timestamp(description: string): Param<number | undefined> {
  return {
    required: false,
    description,
    read(value, name) {
      if (value === undefined) return undefined
      const timestampUs = parseIso8601(value)
      if (timestampUs !== undefined) return timestampUs
      throw new LogweirError(
        'invalid_timestamp',
        `The parameter "${name}" is not an ISO 8601 time. Write it as 2026-11-20T10:00:00Z, with a "+" of an offset encoded as %2B.`,
      )
    },
  }
}

/** An RE2 pattern, required. */
export function pattern(description: string): Param<string> {
  return {
    required: true,
    description,
    read(value, name) {
      const source = requireText(value, name)
      compilePattern(source)
      return source
    },
  }
}
