/** The rows of the list, newest first, each row once. */
import type { LogRow, Place } from '../api/explore.js'

/** Negative if `a` is newer: rows of the same time are ordered by rank. */
const compare = (a: Place, b: Place): number => b.timestampUs - a.timestampUs || b.rank - a.rank

const isSameRecord = (a: LogRow, b: LogRow) => a.timestampUs === b.timestampUs && a.id === b.id

/** Rows of a query, without gaps, from the newest on. */
export interface RowStore {
  readonly rows: readonly LogRow[]
  /** Whether there is no room for older rows. */
  readonly isFull: boolean
  /** Replaces all rows. The new rows must be sorted. */
  replace(rows: readonly LogRow[]): void
  /** Adds rows that are older than all others. Returns how many there was room for. */
  append(rows: readonly LogRow[]): number
  /**
   * Adds rows that are missing, of any time, and removes the oldest rows if there are too many. Returns how many added
   * rows are newer than the newest row before, and whether any row was added.
   */
  add(rows: readonly LogRow[]): { newer: number; isChanged: boolean }
  /** Returns the index of a row, or -1 if the store lacks the row. */
  indexOf(row: Place): number
}

/** Creates a store of at most `maxRows` rows. */
export function createRowStore(maxRows: number): RowStore {
  let rows: LogRow[] = []
  return {
    get rows() {
      return rows
    },
    get isFull() {
      return rows.length >= maxRows
    },
    replace(next) {
      rows = next.slice(0, maxRows)
    },
    append(older) {
      const taken = older.slice(0, maxRows - rows.length)
      // Not with spread arguments: there may be more rows than a call may have.
      for (const row of taken) rows.push(row)
      return taken.length
    },
    add(given) {
      const newest = rows[0]
      const missing: LogRow[] = []
      for (const row of given.toSorted(compare)) if (!has(rows, row) && !has(missing, row)) missing.push(row)
      const newer = newest === undefined ? missing : missing.filter((row) => compare(row, newest) < 0)
      for (const row of missing.slice(newer.length)) rows.splice(placeIn(rows, row), 0, row)
      if (newer.length > 0) rows = [...newer, ...rows]
      rows.length = Math.min(rows.length, maxRows)
      return { newer: newer.length, isChanged: missing.length > 0 }
    },
    indexOf(row) {
      const at = placeIn(rows, row)
      return isAt(rows, at, row) ? at : -1
    },
  }
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
