import type { KeyRange, RowKey } from './postgres/table-reader.js'

/** A window of time, for a query of keys. All times are in microseconds since the epoch. */
export interface Window extends KeyRange {
  /** The width that the window would have without the end. */
  widthUs: number
  /** Where the last window ends. */
  endUs: number
}

/** A window with fewer rows than this share of the limit makes the next window wider. */
const FEW = 1 / 4
const WIDER = 4

/**
 * Divides a range of time, both ends included, into windows of about as many rows as a query returns at most. The
 * tables have a BRIN index on the time, which finds the rows of a window, but would sort the whole table for the first
 * rows. Returns the first window. `rows` is the number of rows in the range.
 */
export function firstWindow(range: { fromUs: number; throughUs: number }, rows: number, limit: number): Window {
  const endUs = range.throughUs + 1
  const widthUs = Math.ceil(((endUs - range.fromUs) * limit) / (2 * Math.max(rows, 1)))
  return windowAt(range.fromUs, undefined, widthUs, endUs)
}

/**
 * Returns the window after a window with the rows `keys`: if more rows may follow in the window, a narrower window
 * behind the last key, else the next window, wider if there were few keys. Returns undefined after the last window.
 */
export function nextWindow(window: Window, keys: readonly RowKey[], limit: number): Window | undefined {
  const { beforeUs, widthUs, endUs } = window
  const last = keys.at(-1)
  if (last !== undefined && keys.length >= limit) {
    return windowAt(last.timestampUs, last.id, Math.max(1, Math.floor(widthUs / 2)), endUs)
  }
  if (beforeUs >= endUs) return undefined
  return windowAt(beforeUs, undefined, keys.length < limit * FEW ? widthUs * WIDER : widthUs, endUs)
}

const windowAt = (fromUs: number, afterId: string | undefined, widthUs: number, endUs: number): Window => ({
  fromUs,
  beforeUs: Math.min(fromUs + widthUs, endUs),
  afterId,
  widthUs: Math.min(widthUs, endUs),
  endUs,
})
