/** ClickHouse in process, as chdb: MergeTree tables on disk, sorted by project and time. */
import { Session } from 'chdb'
import { sqlOf } from './sql.mjs'

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const START_OF = { minute: 'toStartOfMinute', hour: 'toStartOfHour', day: 'toStartOfDay' }

const DIALECT = {
  quote,
  moment: (timestampUs) => `fromUnixTimestamp64Micro(${timestampUs}, 'UTC')`,
  microseconds: (timestamp) => `toUnixTimestamp64Micro(${timestamp})`,
  truncate: (bucket, timestamp) => `${START_OF[bucket]}(${timestamp})`,
  bucketStart: (bucket) => `toUnixTimestamp(${bucket}) * 1000000`,
  bucketText: (bucket) => `formatDateTime(${bucket}, '%Y-%m-%dT%H:%i:%S')`,
  countIf: (condition) => `countIf(${condition})`,
  contains: (text, part) => `position(${text}, ${quote(part)}) > 0`,
  matches: (text, pattern) => `match(${text}, ${quote(pattern)})`,
  quantiles: (column, shares) => `quantilesTDigest(${shares})(${column})`,
  exactQuantiles: (column, shares) => `quantilesExact(${shares})(${column})`,
}

const TABLES = {
  edge_logs: `create table edge_logs (
    id String, timestamp DateTime64(6, 'UTC') codec(Delta, ZSTD), project LowCardinality(String),
    event_message String codec(ZSTD), url String, path String, metadata String codec(ZSTD)
  ) engine = MergeTree order by (project, timestamp)`,
  function_edge_logs: `create table function_edge_logs (
    id String, timestamp DateTime64(6, 'UTC') codec(Delta, ZSTD), project LowCardinality(String),
    event_message String codec(ZSTD), function_id LowCardinality(String), execution_time_ms Nullable(Float64),
    status_code UInt16, metadata String codec(ZSTD)
  ) engine = MergeTree order by (project, timestamp)`,
}

/** Timestamps in the files are ISO 8601 or microseconds. */
const TIMESTAMP = `if(substring(line.timestamp, 5, 1) = '-',
  parseDateTime64BestEffort(line.timestamp, 6, 'UTC'), fromUnixTimestamp64Micro(toInt64OrZero(line.timestamp), 'UTC'))`

const EDGE = 'Tuple(url String, path String)'
const EDGE_HOT = `if(startsWith(metadata, '['),
  arrayMap(m -> m.1[1], JSONExtract(metadata, 'Array(Tuple(request Array(${EDGE})))'))[1],
  tupleElement(JSONExtract(metadata, 'Tuple(request ${EDGE})'), 1))`

const RELAY = 'project_ref String, function_id String, execution_time_ms Nullable(Float64)'
const STATUS = 'Tuple(status_code UInt16)'
const RELAY_HOT = `if(startsWith(metadata, '['),
  arrayMap(m -> (m.1, m.2, m.3, m.4[1]), JSONExtract(metadata, 'Array(Tuple(${RELAY}, response Array(${STATUS})))'))[1],
  JSONExtract(metadata, 'Tuple(${RELAY}, response ${STATUS})'))`

/** A single extraction parses the JSON only once. The metadata of a record is an object or an array of one object. */
const LOADS = {
  edge_logs: (path) => `
    insert into edge_logs
    select id, ${TIMESTAMP}, project, event_message, hot.1, hot.2, metadata
    from (
      select *, ${EDGE_HOT} as hot
      from file(${quote(path)}, 'JSONEachRow',
        'id String, timestamp String, project String, event_message String, metadata String')
    ) as line`,
  function_edge_logs: (path) => `
    insert into function_edge_logs
    select id, ${TIMESTAMP}, hot.1, event_message, hot.2, hot.3, tupleElement(hot.4, 1), metadata
    from (
      select *, ${RELAY_HOT} as hot
      from file(${quote(path)}, 'JSONEachRow', 'id String, timestamp String, event_message String, metadata String')
    ) as line`,
}

export async function open({ directory, threads, nowUs }) {
  const session = new Session(directory)
  session.query(`set max_threads = ${threads}, max_insert_threads = ${threads}`)
  session.query('set output_format_json_quote_64bit_integers = 0, input_format_skip_unknown_fields = 1')
  // The default reads through mmap, and mapped pages would count as resident memory.
  session.query("set storage_file_read_method = 'pread'")
  const run = (sql) => rowsOf(session.query(sql, 'JSONEachRow'))
  return {
    pid: process.pid,
    async load(files) {
      for (const [source, file] of Object.entries(files)) {
        session.query(TABLES[source])
        session.query(LOADS[source](file))
      }
      return performance.now() / 1000
    },
    async count(source) {
      return run(`select count() as rows from ${source}`)[0].rows
    },
    async settle() {
      for (const { name } of run('show tables')) session.query(`optimize table ${name} final`)
    },
    async answer(call, exact) {
      return run(sqlOf(DIALECT, call, nowUs, exact))
    },
    async close() {
      session.close()
    },
  }
}

function rowsOf(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
