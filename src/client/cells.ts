import { escapeControl } from '../base/escape-control.js'
import { formatIso8601, parseIso8601 } from '../base/iso8601.js'

/** One column of a table, as texts without control characters. */
export interface Column {
  heading: string
  /** One a row. */
  cells: readonly string[]
  /** Numbers are aligned on the right. */
  isNumeric: boolean
  /** Half of a number or of a time would be a wrong one. */
  canBeCut: boolean
}

export const TIMESTAMP = 'timestamp'

/** Formats the values that rows have under one name; null and absent ones are empty. */
export function columnOf(name: string, values: readonly unknown[]): Column {
  const heading = escapeControl(name)
  if (name === TIMESTAMP) return { heading, cells: timesOf(values), isNumeric: false, canBeCut: false }
  const isNumeric = values.every((value) => typeof value === 'number' || isAbsent(value))
  return { heading, cells: values.map(textOf), isNumeric, canBeCut: !isNumeric }
}

const isAbsent = (value: unknown) => value === null || value === undefined

function textOf(value: unknown): string {
  if (isAbsent(value)) return ''
  if (typeof value === 'number') return readableNumber(value)
  return escapeControl(typeof value === 'string' ? value : JSON.stringify(value))
}

const DECIMALS = 3

/** At most 3 decimals, or below 1 at most 3 significant digits; integers are left whole. */
function readableNumber(number: number): string {
  if (Number.isInteger(number)) return JSON.stringify(number)
  return String(Number(Math.abs(number) < 1 ? number.toPrecision(DECIMALS) : number.toFixed(DECIMALS)))
}

/** ISO 8601 in UTC; all with six fractional digits if one needs them. What is no time is left as it is. */
function timesOf(values: readonly unknown[]): string[] {
  const times = values.map(timeOf)
  const texts = values.map((value, i) => (times[i] === undefined ? textOf(value) : formatIso8601(times[i])))
  const hasFraction = texts.some((text, i) => times[i] !== undefined && text.includes('.'))
  return texts.map((text, i) =>
    hasFraction && times[i] !== undefined && !text.includes('.') ? text.replace('Z', '.000000Z') : text,
  )
}

/** Microseconds since the epoch; undefined if it is no time. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return parseIso8601(value)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}
