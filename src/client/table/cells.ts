import { escapeControl } from '../../base/text/escape-control.js'
import { formatIso8601 } from '../../base/time/iso8601.js'
import { type Moment, momentInRange, momentOfIso8601 } from '../../base/time/moment.js'

/** A column of a table: texts without control characters. */
export interface Column {
  heading: string
  /** A text per row. */
  cells: readonly string[]
  /** Whether all values are numbers, which are aligned on the right. */
  isNumeric: boolean
  /** Whether cells may be shortened: a shortened number or time would be wrong. */
  canBeCut: boolean
}

/** The name of the column with times in microseconds. */
export const TIMESTAMP = 'timestamp'

/**
 * Formats the values of a column, a text per row: as times if `isTime`. Null and absent values become empty cells.
 */
export function columnOf(name: string, values: readonly unknown[], isTime: boolean): Column {
  const heading = escapeControl(name)
  if (isTime) return { heading, cells: timesOf(values), isNumeric: false, canBeCut: false }
  const isNumeric = values.every((value) => typeof value === 'number' || isLongInteger(value) || isAbsent(value))
  return { heading, cells: values.map(textOf), isNumeric, canBeCut: !isNumeric }
}

/** An integer that no double holds is a text of digits. Other texts of that many digits are as hard to read cut. */
const isLongInteger = (value: unknown): value is string => typeof value === 'string' && /^-?\d{16,20}$/.test(value)

const isAbsent = (value: unknown) => value === null || value === undefined

function textOf(value: unknown): string {
  if (isAbsent(value)) return ''
  if (typeof value === 'number') return readableNumber(value)
  return escapeControl(typeof value === 'string' ? value : JSON.stringify(value))
}

const DECIMALS = 3

/** Formats a number with at most 3 decimals, below 1 with at most 3 significant digits. Integers keep all digits. */
function readableNumber(number: number): string {
  if (Number.isInteger(number)) return JSON.stringify(number)
  return String(Number(Math.abs(number) < 1 ? number.toPrecision(DECIMALS) : number.toFixed(DECIMALS)))
}

/** Formats times as ISO 8601 in UTC, all with six fractional digits if any needs six. Other values are not changed. */
function timesOf(values: readonly unknown[]): string[] {
  const times = values.map(timeOf)
  const texts = values.map((value, i) => (times[i] === undefined ? textOf(value) : formatIso8601(times[i])))
  const hasFraction = texts.some((text, i) => times[i] !== undefined && text.includes('.'))
  return texts.map((text, i) =>
    hasFraction && times[i] !== undefined && !text.includes('.') ? text.replace('Z', '.000000Z') : text,
  )
}

/** Returns microseconds since the epoch, or undefined if the value is not a time. */
function timeOf(value: unknown): Moment | undefined {
  if (isLongInteger(value)) return momentInRange(BigInt(value))
  if (typeof value === 'string') return momentOfIso8601(value)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}
