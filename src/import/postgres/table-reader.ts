import { formatIso8601 } from '../../base/time/iso8601.js'
import type { Connection } from './connection.js'
import { type LogTable, quoted } from './logflare-tables.js'

/** The numbers of rows of a table. */
interface TableStatistics {
  rows: number
  /** Rows before the range, and rows after the range. */
  before: number
  after: number
  /** Rows with a time that is NULL or not before 9999-12-31, such as infinity. */
  untimed: number
  /** The first and the last time in the range, in microseconds since the epoch. Undefined if the range has no rows. */
  range: { fromUs: number; throughUs: number } | undefined
}

/** A row without its content. */
export interface RowKey {
  id: string
  timestampUs: number
  /** The stored size of the body, which may be compressed. */
  bytes: number
  /** The place of the row in the table (ctid), by which it is found without an index. */
  place: string
}

/** A row with its content. */
export interface LogRow {
  id: string
  timestampUs: number
  message: string | null
  /** The record as JSON. */
  body: string | null
  /** The text of the record's own field `source`. */
  bodySource: string | null
}

/** Rows of a table from a time on, before another time. With `afterId`, rows at `fromUs` only behind this id. */
export interface KeyRange {
  fromUs: number
  beforeUs: number
  afterId: string | undefined
}

const timestampOf = (us: number) => formatIso8601(us).replace('Z', '')
const MICROSECONDS = '(extract(epoch FROM timestamp) * 1000000)::bigint'
const HAS_TIME = "timestamp < '9999-12-31'"
/** The order of bytes: the same in every database, and faster than that of a language. */
const ID = 'id COLLATE "C"'

/** Reads a table. Times are in microseconds since the epoch. */
export interface TableReader {
  /** Counts rows. The range is from `fromUs`, before `untilUs`. Reads the whole table. */
  statistics(fromUs: number, untilUs: number | undefined): Promise<TableStatistics>
  /** Returns the keys of at most `limit` rows, by time and id. */
  keys(range: KeyRange, limit: number): Promise<RowKey[]>
  /** Returns the rows of `keys`, in any order. Deleted rows are missing. */
  rows(keys: readonly RowKey[]): Promise<LogRow[]>
}

/** Returns a reader of a table that `listTables` has listed. */
export function createTableReader({ read }: Connection, schema: string, { name }: LogTable): TableReader {
  const table = `${quoted(schema)}.${quoted(name)}`

  async function rowsWhere(condition: string, values: readonly string[]): Promise<LogRow[]> {
    const found = await read(
      `SELECT id, ${MICROSECONDS}, event_message, body::text, body->>'source' FROM ${table} WHERE ${condition}`,
      [values],
    )
    return (found as RowColumns[]).map(([id, us, message, body, bodySource]) => ({
      ...{ id, timestampUs: Number(us), message, body, bodySource },
    }))
  }

  return {
    async statistics(fromUs, untilUs) {
      const until = untilUs === undefined ? 'infinity' : timestampOf(untilUs)
      const [row] = await read(statisticsOf(table), [timestampOf(fromUs), until])
      const [rows, before, after, untimed, firstUs, lastUs] = row!.map(Number) as Statistics
      const range = row!.at(-1) === null ? undefined : { fromUs: firstUs, throughUs: lastUs }
      return { rows, before, after, untimed, range }
    },
    async keys({ fromUs, beforeUs, afterId }, limit) {
      const found = await read(keysOf(table), [timestampOf(fromUs), timestampOf(beforeUs), afterId ?? null, limit])
      return (found as KeyColumns[]).map(([id, us, bytes, place]) => ({
        ...{ id, timestampUs: Number(us), bytes: bytes ?? 0, place },
      }))
    },
    async rows(keys) {
      const missing = new Set(keys.map(({ id }) => id))
      const rows: LogRow[] = []
      const take = (found: readonly LogRow[]) => {
        for (const row of found) if (missing.delete(row.id)) rows.push(row)
      }
      take(
        await rowsWhere(
          'ctid = ANY($1::tid[])',
          keys.map(({ place }) => place),
        ),
      )
      // Another row is in the place of a row that was deleted or moved.
      if (missing.size > 0) take(await rowsWhere('id = ANY($1)', [...missing]))
      return rows
    },
  }
}

type RowColumns = [id: string, us: string, message: string | null, body: string | null, bodySource: string | null]
type KeyColumns = [id: string, us: string, bytes: number | null, place: string]
type Statistics = [rows: number, before: number, after: number, untimed: number, firstUs: number, lastUs: number]

/** Counts rows for the parameters `from` and `until`. */
function statisticsOf(table: string): string {
  const inRange = `${HAS_TIME} AND timestamp >= $1::timestamp AND timestamp < $2::timestamp`
  return `SELECT count(*), count(*) FILTER (WHERE timestamp < $1::timestamp),
    count(*) FILTER (WHERE ${HAS_TIME} AND timestamp >= greatest($1::timestamp, $2::timestamp)),
    count(*) FILTER (WHERE (${HAS_TIME}) IS NOT TRUE),
    min(${MICROSECONDS}) FILTER (WHERE ${inRange}), max(${MICROSECONDS}) FILTER (WHERE ${inRange})
  FROM ${table}`
}

/** Selects keys for the parameters `from`, `before`, the id to continue after or null, and the limit. */
const keysOf = (table: string) =>
  `SELECT id, ${MICROSECONDS}, pg_column_size(body), ctid::text FROM ${table}
  WHERE timestamp >= $1::timestamp AND timestamp < $2::timestamp
    AND ($3::text IS NULL OR timestamp > $1::timestamp OR ${ID} > $3)
  ORDER BY timestamp, ${ID} LIMIT $4`
