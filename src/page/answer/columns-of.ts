/** Infers the columns of an answer from its rows, if the service does not describe them. */
import { isNumber, type Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'
import { isDay, isTimeText } from './times-in.js'

/** A word of a name that says that its numbers are times. */
const TIME_WORD =
  /(?:^|_)(?:timestamp|time|ts|date|day|hour|minute|second|week|month|quarter|year|bucket|at|when|t|start|end|begin|first|last|latest|newest|oldest|earliest|since|until|from|to|min|max|f\d+)(?:_|$)/i
/** A word of a name that says that its numbers are no times, however large they are. */
const NO_TIME_WORD = /(?:^|_)(?:ids?|bytes|size|count|rows|requests|number|total|sum|us|ms|ns|seconds)(?:_|$)/i
/** A word of a name that says that its whole numbers count rows. */
const COUNT_WORD =
  /(?:^|_)(?:n|num|number|count|counts|rows|requests|errors|calls|hits|events|users|failed|failures|ok|total|f\d+)(?:_|$)/i

const [FIRST_US, LAST_US] = [Date.UTC(1990, 0) * 1e3, Date.UTC(2100, 0) * 1e3]
const [FIRST_LIKELY_US, LAST_LIKELY_US] = [Date.UTC(2015, 0) * 1e3, Date.UTC(2050, 0) * 1e3]

/**
 * Returns the columns of rows, in the order of the first row; `known` are those that the service describes, whose kinds
 * stay as they are, unless they allow any value. A whole number is a time in microseconds if its name says so and its
 * year is from 1990 to 2099, or if its name does not deny it and its year is from 2015 to 2049. A column without values
 * is text.
 */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): readonly Column[] {
  if (rows.length === 0) return known
  const kinds = new Map(known.map(({ name, kind }) => [name, kind]))
  return Object.keys(rows[0]!).map((name) => {
    const kind = kinds.get(name) ?? 'any'
    return { name, kind: kind === 'any' ? kindOf(name, rows) : kind }
  })
}

function kindOf(name: string, rows: readonly Row[]): string {
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null)
  if (values.length === 0) return 'text'
  if (values.every(isNumber)) return kindOfNumbers(name, values)
  if (values.every(isTimeText)) return values.every(isDay) ? 'text' : 'datetime'
  for (const [type, kind] of [
    ['string', 'text'],
    ['boolean', 'boolean'],
    ['object', 'json'],
  ] as const)
    if (values.every((value) => typeof value === type)) return kind
  return 'any'
}

function kindOfNumbers(name: string, values: readonly unknown[]): string {
  // A number that is raw JSON has another text than a whole number.
  if (!values.every((value) => /^-?\d+$/.test(JSON.stringify(value)))) return 'double'
  const numbers = values.map(Number)
  const areIn = (from: number, to: number) => numbers.every((value) => value >= from && value < to)
  if (TIME_WORD.test(name) && areIn(FIRST_US, LAST_US)) return 'microseconds'
  if (!NO_TIME_WORD.test(name) && areIn(FIRST_LIKELY_US, LAST_LIKELY_US)) return 'microseconds'
  return COUNT_WORD.test(name) && areIn(0, Number.POSITIVE_INFINITY) ? 'count' : 'integer'
}
