import type { SampleLine } from '../sample.js'

/** Queries over the lines of the sample, most with the rows as plain JavaScript finds the rows. */

/** A line: the columns, and the result of JSON.parse. */
export interface Line extends SampleLine {
  us: number | null
  line: string
}

type Rows = readonly Record<string, unknown>[]

/** A query. Without `rows`, the service is the only oracle. */
export interface LineQuery {
  sql: string
  rows?: (lines: readonly Line[]) => Rows
  /** False: the service returns JSON in another form, or has no such name. */
  isOfService?: boolean
}

/** Returns the lines as oracles read the lines. */
export const linesOf = (texts: readonly string[]): Line[] =>
  texts.map((line) => {
    const fields = JSON.parse(line) as SampleLine
    const ms = typeof fields.timestamp === 'string' ? Date.parse(fields.timestamp) : Number.NaN
    return { ...fields, us: Number.isNaN(ms) ? null : ms * 1000, line }
  })

/** An hour in microseconds. */
export const HOUR_US = 3_600_000_000
/** A minute in microseconds. */
export const MINUTE_US = 60_000_000
/** 10:30 of the day of the sample. */
export const T1030 = Date.UTC(2026, 10, 20, 10, 30) * 1000

/** Returns keys and their lines, in the order in which the keys come first. */
export function groups<K>(lines: readonly Line[], keyOf: (line: Line) => K): [K, Line[]][] {
  const found = new Map<string, [K, Line[]]>()
  for (const line of lines) {
    const key = keyOf(line)
    const text = JSON.stringify(key)
    if (!found.has(text)) found.set(text, [key, []])
    found.get(text)![1].push(line)
  }
  return [...found.values()]
}

/** Returns the values that are not null. */
export const present = <T>(values: readonly (T | null | undefined)[]): T[] =>
  values.filter((value): value is T => value !== null && value !== undefined)
/** Returns null if there is no value. */
export const sum = (values: readonly number[]) => (values.length === 0 ? null : values.reduce((a, b) => a + b, 0))
/** Returns null if there is no value. */
export const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values)! / values.length)
/** Returns the number of different values that are not null. */
export const distinct = (values: readonly unknown[]) => new Set(present(values)).size
/** Compares as JavaScript does. */
export const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
/** Ascending as SQL sorts: null first. */
export const ascending = (a: string | number | null, b: string | number | null) =>
  a === b ? 0 : a === null ? -1 : b === null ? 1 : compare(a, b)
/** Returns null if there is no value. */
export const smallest = <T extends string | number>(values: readonly T[]) => values.toSorted(ascending)[0] ?? null
/** Returns null if there is no value. */
export const largest = <T extends string | number>(values: readonly T[]) => values.toSorted(ascending).at(-1) ?? null
/** Returns the start of the bucket of a time. */
export const startOf = (us: number | null, unit: number) => (us === null ? null : us - (us % unit))
/** Returns null for a field that is absent. */
export const orNull = <T>(value: T | undefined | null) => value ?? null
/** Returns the lines that pass a test. */
export const truths = (lines: readonly Line[], test: (line: Line) => boolean | null | undefined) => lines.filter(test)
