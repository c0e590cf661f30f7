/** Infers the columns of an answer from the rows, if the service does not describe them. */
import { isNumber, numberOf, type Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'
import { isDay, isTimeText } from './times-in.js'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words in the name of a column with numbers that are times. */
const TIME_WORDS = words(
  'timestamp time ts date day hour minute second week month quarter year bucket at when t start end begin ' +
    'first last latest newest oldest earliest since until from to min max',
)
/** Words in the name of a column with numbers that are no times, however large. */
const NO_TIME_WORDS = words('id ids bytes size count rows requests number total sum us ms ns seconds')
/** Words in the name of a column with whole numbers that count rows. */
const COUNT_WORDS = words(
  'n num number count counts rows requests errors calls hits events users failed failures ok total',
)

/** Returns whether a name has any of the words. `f0_` names an expression, which may be anything. */
const hasWord = (name: string, ofThese: ReadonlySet<string>, isUnnamedToo: boolean) =>
  name
    .toLowerCase()
    .split('_')
    .some((word) => ofThese.has(word) || (isUnnamedToo && /^f\d+$/.test(word)))

const [FIRST_US, LAST_US] = [Date.UTC(1990, 0) * 1e3, Date.UTC(2100, 0) * 1e3]
const [FIRST_LIKELY_US, LAST_LIKELY_US] = [Date.UTC(2015, 0) * 1e3, Date.UTC(2050, 0) * 1e3]

/**
 * Returns the columns of rows, in the order of the first row. A column of `known`, the service's description, keeps its
 * kind unless the kind is `any`, or `integer` with the name and values of a count. All other kinds are inferred.
 *
 * Whole numbers are times in microseconds if the column's name says so and all years are from 1990 to 2099, or if the
 * name does not deny that and all years are from 2015 to 2049. A column without values is text.
 */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): readonly Column[] {
  if (rows.length === 0) return known
  const kinds = new Map(known.map(({ name, kind }) => [name, kind]))
  return Object.keys(rows[0]).map((name) => {
    const kind = kinds.get(name) ?? 'any'
    const isInferred = kind === 'any' || (kind === 'integer' && isCount(name, rows))
    return { name, kind: isInferred ? kindOf(name, rows) : kind }
  })
}

/** The service knows sums of counts as whole numbers. */
const isCount = (name: string, rows: readonly Row[]) => kindOf(name, rows) === 'count'

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
  const numbers = values.map((value) => numberOf(value)!)
  const areIn = (from: number, to: number) => numbers.every((value) => value >= from && value < to)
  if (hasWord(name, TIME_WORDS, true) && areIn(FIRST_US, LAST_US)) return 'microseconds'
  if (!hasWord(name, NO_TIME_WORDS, false) && areIn(FIRST_LIKELY_US, LAST_LIKELY_US)) return 'microseconds'
  return hasWord(name, COUNT_WORDS, true) && areIn(0, Number.POSITIVE_INFINITY) ? 'count' : 'integer'
}
