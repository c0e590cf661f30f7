import { MIB } from '../base/units.js'
import type { Expression } from './expression.js'
import type { FunctionName } from './functions/table.js'
import { textOf } from './functions/text-of.js'
import { type Schema, typeOf } from './schema.js'
import { isTimeType } from './values/values.js'

type Call = Expression & { kind: 'call' }

/** The longest text of a stored value, in UTF-16 code units: no line of ingest has more bytes. */
const MOST_STORED = MIB
/** The longest text of a number, a boolean or a time. */
const MOST_OF_SCALAR = 64
/** The longest text that an element of a time's format becomes. */
const MOST_OF_ELEMENT = 12
/** The units of a character. */
const UNITS = 2
/** The most units that a unit becomes in upper case. */
const UPPER_GROWTH = 3

/** Returns the most UTF-16 code units of the text of an expression. Infinity if unknown. */
export function mostUnits(expression: Expression, schema: Schema): number {
  if (expression.kind === 'literal') return expression.value === null ? 0 : textOf(expression.value).length
  const type = typeOf(expression, schema)
  if (type === 'integer' || type === 'count' || type === 'number' || type === 'boolean' || isTimeType(type))
    return MOST_OF_SCALAR
  if (expression.kind === 'column') return MOST_STORED
  return LENGTHS[expression.fn]?.(expression, (arg) => mostUnits(arg, schema)) ?? Number.POSITIVE_INFINITY
}

type Length = (call: Call, of: (arg: Expression) => number) => number

const ofFirst: Length = ({ args }, of) => of(args[0])
const longest = (args: readonly Expression[], of: (arg: Expression) => number) => Math.max(0, ...args.map(of))
const stored: Length = () => MOST_STORED

/** The length of a literal whole number of characters, or undefined for any other expression. */
export function literalCount(arg: Expression | undefined): number | undefined {
  const value = arg?.kind === 'literal' ? arg.value : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

/** The functions that return texts of a known length. A text that is a part of another is at most as long. */
const LENGTHS: Partial<Record<FunctionName, Length>> = {
  field: stored,
  field_text: stored,
  json_value: ofFirst,
  json_query: ofFirst,
  lower: ofFirst,
  upper: ({ args }, of) => UPPER_GROWTH * of(args[0]),
  trim: ofFirst,
  url_path: ofFirst,
  regexp_extract: ofFirst,
  cast_string: ofFirst,
  safe_cast_string: ofFirst,
  substr({ args: [value, , length] }, of) {
    const count = literalCount(length)
    return Math.min(of(value), count === undefined ? Number.POSITIVE_INFINITY : Math.max(0, UNITS * count))
  },
  replace: ({ args: [value, , by] }, of) => of(value) * Math.max(1, of(by)),
  concat: ({ args }, of) => args.reduce((sum, arg) => sum + of(arg), 0),
  format_timestamp: ({ args }, of) => MOST_OF_ELEMENT * of(args[0]),
  safe_offset: ({ args: [list] }, of) => (list.kind === 'call' && list.fn === 'split' ? of(list.args[0]) : MOST_STORED),
  coalesce: ({ args }, of) => longest(args, of),
  greatest: ({ args }, of) => longest(args, of),
  least: ({ args }, of) => longest(args, of),
  nullif: ofFirst,
  if: ({ args }, of) => longest(args.slice(1), of),
  case: ({ args }, of) =>
    longest(
      args.filter((_, i) => i % 2 === 1 || i === args.length - 1),
      of,
    ),
}
