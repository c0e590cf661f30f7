/** Rows of a query without gaps, newest first, each row once. No function changes the given rows. */
import type { LogRow, Place } from '../../api/explore.js'

/** Negative if `a` is newer: rows of the same time are ordered by rank. */
const compare = (a: Place, b: Place): number => b.timestampUs - a.timestampUs || b.rank - a.rank

const isSameRecord = (a: LogRow, b: LogRow) => a.timestampUs === b.timestampUs && a.id === b.id

/** Returns rows with rows that are older than all others, as long as there is room. */
export const appendRows = (rows: readonly LogRow[], older: readonly LogRow[], maxRows: number): readonly LogRow[] =>
  rows.concat(older.slice(0, Math.max(0, maxRows - rows.length)))

/** Rows after an addition. `newer`: the added rows that are newer than the newest row before. */
export interface AddedRows {
  rows: readonly LogRow[]
  newer: number
  isChanged: boolean
}

/** Adds rows that are missing, of any time, and removes the oldest rows if there are too many. */
export function addRows(before: readonly LogRow[], given: readonly LogRow[], maxRows: number): AddedRows {
  const missing: LogRow[] = []
  for (const row of given.toSorted(compare)) if (!has(before, row) && !has(missing, row)) missing.push(row)
  if (missing.length === 0) return { rows: before, newer: 0, isChanged: false }
  const newest = before[0]
  const newer = newest === undefined ? missing : missing.filter((row) => compare(row, newest) < 0)
  const rows = newer.concat(before)
  for (const row of missing.slice(newer.length)) rows.splice(placeIn(rows, row), 0, row)
  return { rows: rows.slice(0, maxRows), newer: newer.length, isChanged: true }
}

/** Returns the index of a row, or -1 if the rows lack the row. */
export function indexOfRow(rows: readonly LogRow[], row: Place): number {
  const at = placeIn(rows, row)
  return isAt(rows, at, row) ? at : -1
}

/** Returns the index of the first row that is not newer than the given row. */
function placeIn(rows: readonly LogRow[], row: Place): number {
  let [from, to] = [0, rows.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compare(rows[middle], row) < 0) from = middle + 1
    else to = middle
  }
  return from
}

const isAt = (rows: readonly LogRow[], at: number, row: Place) => at < rows.length && compare(rows[at], row) === 0

/** Returns whether a row is among others: by time and rank, or by time and id if either rank is unknown. */
function has(rows: readonly LogRow[], row: LogRow): boolean {
  const at = placeIn(rows, row)
  if (row.rank >= 1) return isAt(rows, at, row) || hasRecord(rows, at, row, 1)
  return hasRecord(rows, placeIn(rows, { ...row, rank: Number.POSITIVE_INFINITY }), row, Number.POSITIVE_INFINITY)
}

/** Returns whether the rows of a time, from `at` on, have the record of a row with a rank below `belowRank`. */
function hasRecord(rows: readonly LogRow[], at: number, row: LogRow, belowRank: number): boolean {
  for (let i = at; rows[i]?.timestampUs === row.timestampUs; i++)
    if (rows[i].rank < belowRank && isSameRecord(rows[i], row)) return true
  return false
}
