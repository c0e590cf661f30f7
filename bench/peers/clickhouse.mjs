/** ClickHouse in process, as chdb: MergeTree tables on disk, sorted by project and time, metadata as text. */
import { Session } from 'chdb'
import { INTEGER_PATHS } from './field-sql.mjs'
import { sqlOf } from './sql.mjs'

export const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const START_OF = { minute: 'toStartOfMinute', hour: 'toStartOfHour', day: 'toStartOfDay' }

export const DIALECT = {
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
  fields,
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
export const TIMESTAMP = `if(substring(line.timestamp, 5, 1) = '-',
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

/** A single extraction parses the JSON once. The metadata of a record is an object or an array of a single object. */
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

/**
 * Returns the fields at paths of keys, as integers or texts. The metadata of a record is an object or a list of a
 * single object, and so is each inner object. Several fields are elements of a tuple, so that a row's JSON is parsed
 * once. For a single field a tuple takes longer.
 */
function fields(paths) {
  if (paths.length === 1) return [field(paths[0])]
  const [type, listedType] = [(type) => type, (type) => `Array(${type})`].map((wrapped) => typeOf(paths, wrapped))
  const object = tupleOf(paths, `JSONExtract(metadata, '${type}')`, '')
  const listed = tupleOf(paths, `JSONExtract(metadata, 1, '${listedType}')`, '[1]')
  const all = `if(startsWith(metadata, '['), ${listed}, ${object})`
  return paths.map((_path, i) => `tupleElement(${all}, ${i + 1})`)
}

function field(path) {
  const keys = path.split('.').map(quote)
  const type = quote(fieldTypeOf(path))
  return `if(startsWith(metadata, '['),
    JSONExtract(metadata, 1, ${keys.join(', 1, ')}, ${type}), JSONExtract(metadata, ${keys}, ${type}))`
}

const fieldTypeOf = (path) => (INTEGER_PATHS.has(path) ? 'Nullable(Int64)' : 'Nullable(String)')

/** Returns the tuple of the fields in an extracted object. Each inner object is followed by `one`. */
function tupleOf(paths, extracted, one) {
  const elements = paths.map((path) =>
    path.split('.').reduce((value, key, i) => `tupleElement(${value}${i === 0 ? '' : one}, '${key}')`, 'm'),
  )
  return `arrayMap(m -> tuple(${elements}), [${extracted}])[1]`
}

/** Returns the type of an object with these paths. `wrapped` changes the types of inner objects. */
function typeOf(paths, wrapped) {
  const root = {}
  for (const path of paths) {
    const keys = path.split('.')
    const last = keys.pop()
    const parent = keys.reduce((node, key) => (node[key] ??= {}), root)
    parent[last] = fieldTypeOf(path)
  }
  const tuple = (node) => `Tuple(${Object.entries(node).map(([key, child]) => `${key} ${member(child)}`)})`
  const member = (child) => (typeof child === 'string' ? child : wrapped(tuple(child)))
  return tuple(root)
}

export const open = (settings) => openWith(settings, { tables: TABLES, loads: LOADS, dialect: DIALECT })

/** Opens ClickHouse with tables of a form, the expressions that read the tables, and a conversion of rows, if given. */
export async function openWith({ directory, threads, nowUs }, { tables, loads, dialect, plain }) {
  const connect = () => {
    const session = new Session(directory)
    session.query(`set max_threads = ${threads}, max_insert_threads = ${threads}`)
    session.query('set output_format_json_quote_64bit_integers = 0, input_format_skip_unknown_fields = 1')
    // Texts that spell dates stay texts if metadata is stored as JSON.
    session.query('set input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0')
    // The default reads through mmap, and mapped pages would count as resident memory.
    session.query("set storage_file_read_method = 'pread'")
    return session
  }
  let session = connect()
  const run = (sql) => rowsOf(session.query(sql, 'JSONEachRow'))
  return {
    pid: process.pid,
    async load(files) {
      for (const [source, file] of Object.entries(files)) {
        session.query(tables[source])
        session.query(loads[source](file))
      }
      return performance.now() / 1000
    },
    async count(source) {
      return run(`select count() as rows from ${source}`)[0].rows
    },
    async settle() {
      for (const { name } of run('show tables')) session.query(`optimize table ${name} final`)
    },
    /** The bytes of the merged rows: the parts before the merge are deleted some minutes later. */
    diskBytes: () =>
      run('select sum(bytes_on_disk) as bytes from system.parts where active and database = currentDatabase()')[0]
        .bytes,
    async reopen() {
      session.close()
      session = connect()
    },
    async answer(call, exact) {
      return run(sqlOf(dialect, call, nowUs, exact))
    },
    plain,
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
