import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { Moment } from '../../../base/time/moment.js'
import type { SortKey } from '../../../plan/plan.js'
import type { Scalar, Timestamp } from '../../../plan/values/values.js'

/** A row of an order by time. */
export interface TimedRow {
  /** The timestamp of the row. */
  keys: readonly Scalar[]
  values: readonly Scalar[]
}

/**
 * Counts the rows that an order by descending time leaves out although the rows have the timestamp of the last row
 * kept. The counted rows arrived before the kept rows of that time.
 */
export interface LeftOut {
  /** The rows counted so far. */
  readonly rows: number
  /** Counts a row that is left out, given the keys, if the row has the timestamp of the last row kept. */
  add(keys: readonly Scalar[]): void
  /** Sets the last row kept, undefined if no row is left out, and counts the dropped rows of that time. */
  cutTo(last: TimedRow | undefined, dropped: readonly TimedRow[]): void
}

/** Creates a count without rows. */
export function createLeftOut(): LeftOut {
  let rows = 0
  let lastUs: Moment | undefined
  function add(keys: readonly Scalar[]): void {
    if (timeOf(keys) === lastUs) rows++
  }
  return {
    get rows() {
      return rows
    },
    add,
    cutTo(last, dropped) {
      const us = last && timeOf(last.keys)
      if (us !== lastUs) rows = 0
      lastUs = us
      for (const { keys } of dropped) add(keys)
    },
  }
}

const timeOf = ([timestamp]: readonly Scalar[]) => (timestamp as Timestamp).us

/** Rows that are ranked without a look at the clock. */
const RANKED_ROWS = 4096

/**
 * Appends to the values of each row the row's place among all rows of that timestamp, in order of arrival, from 1.
 * Replaces the rows in place. The rows are sorted by time and, in the same direction, by arrival. If the order is
 * descending, `leftOut` other rows of the last time arrived before.
 */
export async function rankRows<Row extends TimedRow>(
  rows: Row[],
  direction: SortKey['direction'],
  leftOut: number,
  yieldIfDue: Yielder,
): Promise<void> {
  let us: Moment | undefined
  let rank = direction === 'desc' ? leftOut : 0
  for (let i = 0; i < rows.length; i++) {
    if (i % RANKED_ROWS === 0) await yieldIfDue()
    const place = direction === 'desc' ? rows.length - 1 - i : i
    const row = rows[place]
    const ownUs = timeOf(row.keys)
    rank = us === undefined || us === ownUs ? rank + 1 : 1
    us = ownUs
    rows[place] = { ...row, values: [...row.values, rank] }
  }
}
