/** ClickHouse as in `clickhouse.mjs`, with the metadata of edge records, or events, in a column of the JSON type. */
import { EVENTS } from '../bluesky/queries.mjs'
import { DIALECT, openWith, quote, TIMESTAMP } from './clickhouse.mjs'
import { INTEGER_PATHS } from './field-sql.mjs'

const TABLES = {
  edge_logs: `create table edge_logs (
    id String, timestamp DateTime64(6, 'UTC') codec(Delta, ZSTD), project LowCardinality(String),
    event_message String codec(ZSTD), metadata JSON
  ) engine = MergeTree order by (project, timestamp)`,
  [EVENTS]: `create table ${EVENTS} (data JSON) engine = MergeTree order by tuple()`,
}

/** The type stores objects only, so a list of a single object is stored as that object. No text contains `[{`. */
const OBJECTS = `if(startsWith(metadata, '['), replaceAll(replaceAll(metadata, '[{', '{'), '}]', '}'), metadata)`

const LOADS = {
  edge_logs: (path) => `
    insert into edge_logs
    select id, ${TIMESTAMP}, project, event_message, ${OBJECTS}
    from file(${quote(path)}, 'JSONEachRow',
      'id String, timestamp String, project String, event_message String, metadata String') as line`,
  [EVENTS]: eventLoad,
}

/** Returns the statement that inserts the events of a file. */
export function eventLoad(path) {
  return `insert into ${EVENTS} select * from file(${quote(path)}, 'JSONAsObject', 'data JSON')`
}

const typeOf = (path) => (INTEGER_PATHS.has(path) ? 'Int64' : 'String')

/** Returns the fields at paths of keys, as integers or texts. A value of another type becomes null. */
const fields = (paths) => paths.map((path) => `metadata.${path}.:${typeOf(path)}`)

/** The expressions of the queries of events, see `bench/bluesky/queries.mjs`. */
export const EVENT_DIALECT = {
  path: (path) => `data.${path}.:String`,
  eventTime: `fromUnixTimestamp64Micro(data.time_us.:Int64, 'UTC')`,
  milliseconds: (from, to) => `age('millisecond', ${from}, ${to})`,
}

export const open = (settings) =>
  openWith(settings, { tables: TABLES, loads: LOADS, dialect: { ...DIALECT, ...EVENT_DIALECT, fields } })
