/** The rows of all sources around a row, by time. */
import { Failure, numberOf, queryRows, type Row } from '../api/api.js'
import { isoOf } from '../shared/range.js'

/** A minute each way. */
export const AROUND_US = 60e6
/** If a source has more rows than `WHOLE` in this time, the nearest `NEAREST` of each side are shown. */
const [WHOLE, NEAREST] = [100, 50]
/** Requests at the same time: a browser opens six connections to a host, and the page needs some for others. */
const AT_ONCE = 4

/** A row with its source. */
export interface SourceRow {
  source: string
  row: Row
}

/** The rows of a source, newest first. `isCut`: there are more, further away. */
export interface SourcePart {
  source: string
  rows: readonly Row[]
  isCut: boolean
  /** Why the rows could not be read. */
  failure?: Failure
}

/** Requests a part of the rows of a source, newest first. */
type Query = (params: Record<string, string>) => Promise<readonly Row[]>

/**
 * Requests the rows of each source around a row of the project. `onPart` is called for each source when the rows
 * arrive.
 */
export async function loadAround(
  center: SourceRow,
  { project, sources, signal }: { project: string; sources: readonly string[]; signal: AbortSignal },
  onPart: (part: SourcePart) => void,
): Promise<void> {
  const waiting = [...sources]
  const work = async () => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      const query: Query = async (params) =>
        (await queryRows('logs.explore', { project, source: source!, ...params }, { signal })).rows
      onPart(await loadPart(source, numberOf(center.row.timestamp)!, query))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function loadPart(source: string, us: number, query: Query): Promise<SourcePart> {
  try {
    return { source, ...(await queryPart(us, query)) }
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure
    return { source, rows: [], isCut: false, failure }
  }
}

/** Returns the rows from a minute before a time to a minute after, or only the nearest rows. */
export async function queryPart(us: number, query: Query): Promise<Pick<SourcePart, 'rows' | 'isCut'>> {
  const [start, end] = [us - AROUND_US, us + AROUND_US + 1].map(isoOf) as [string, string]
  const rows = await query({ start, end, limit: String(WHOLE + 1) })
  if (rows.length <= WHOLE) return { rows, isCut: false }
  const [middle, limit] = [isoOf(us + 1), String(NEAREST)]
  const [before, after] = await Promise.all([
    query({ start, end: middle, limit }),
    // The oldest rows after the time: no row of the range has this cursor's time.
    query({ start: middle, end, limit, after: `${us}.1` }),
  ])
  return { rows: [...after, ...before], isCut: true }
}

/**
 * Merges the rows of sources by time, oldest first. Rows of the same time are in the order of the parts, then in order
 * of arrival. Adds the row in the middle if the source has too many rows of the same time. Also returns the position of
 * the row in the middle.
 */
export function mergeAround(center: SourceRow, parts: readonly SourcePart[]): { rows: SourceRow[]; at: number } {
  const rows = parts
    .flatMap(({ source, rows }) => rows.map((row) => ({ source, row })).reverse())
    .sort((a, b) => timeOf(a) - timeOf(b))
  const key = keyOf(center)
  const at = rows.findIndex((one) => keyOf(one) === key)
  if (at >= 0) return { rows, at }
  const later = rows.findIndex((one) => timeOf(one) > timeOf(center))
  const place = later < 0 ? rows.length : later
  return { rows: rows.toSpliced(place, 0, center), at: place }
}

const timeOf = ({ row }: SourceRow) => numberOf(row.timestamp)!

/**
 * Ids need not be unique, so the key has all values of a row, except the rank, which depends on the filters of the
 * query.
 */
const keyOf = ({ source, row: { rank: _, ...row } }: SourceRow) => JSON.stringify([source, row])
