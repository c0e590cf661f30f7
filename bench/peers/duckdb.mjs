/** DuckDB, in memory or in a file. Rows are stored in the order of the files, by time. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { EVENTS } from '../bluesky/queries.mjs'
import { INTEGER_PATHS } from './field-sql.mjs'
import { sqlOf } from './sql.mjs'

const quote = (text) => `'${text.replaceAll("'", "''")}'`

const DIALECT = {
  quote,
  moment: (timestampUs) => `make_timestamp(${timestampUs})`,
  microseconds: (timestamp) => `epoch_us(${timestamp})`,
  truncate: (bucket, timestamp) => `date_trunc('${bucket}', ${timestamp})`,
  bucketStart: (bucket) => `epoch_us(${bucket})`,
  bucketText: (bucket) => `strftime(${bucket}, '%Y-%m-%dT%H:%M:%S')`,
  countIf: (condition) => `count(*) filter (${condition})`,
  contains: (text, part) => `contains(${text}, ${quote(part)})`,
  matches: (text, pattern) => `regexp_matches(${text}, ${quote(pattern)})`,
  quantiles: (column, shares) => `approx_quantile(${column}, [${shares}])`,
  exactQuantiles: (column, shares) => `quantile_disc(${column}, [${shares}])`,
  fields,
  path: (path) => `(data->>'$.${path}')`,
  eventTime: `make_timestamp((data->>'$.time_us')::bigint)`,
  milliseconds: (from, to) => `date_sub('millisecond', ${from}, ${to})`,
}

const TABLES = {
  edge_logs: `create table edge_logs (
    id varchar, timestamp timestamp, project varchar, event_message varchar, url varchar, path varchar, metadata json)`,
  function_edge_logs: `create table function_edge_logs (
    id varchar, timestamp timestamp, project varchar, event_message varchar,
    function_id varchar, execution_time_ms double, status_code usmallint, metadata json)`,
  [EVENTS]: `create table ${EVENTS} (data json)`,
}

/**
 * Returns the fields at paths of keys, as integers or texts. The metadata of a record is an object or a list of a
 * single object, and so is each inner object. The calls for all fields are the same, so that a row's JSON is parsed
 * once.
 */
function fields(paths) {
  const texts = paths.map((path) => `'$.${path}'`)
  const listed = paths.map((path) => `'$[0].${path.replaceAll('.', '[0].')}'`)
  const all = `json_extract_string(metadata, [${[...texts, ...listed]}])`
  return paths.map((path, i) => {
    const text = `coalesce(${all}[${i + 1}], ${all}[${i + 1 + paths.length}])`
    return INTEGER_PATHS.has(path) ? `${text}::bigint` : text
  })
}

/** Timestamps in the files are ISO 8601 or microseconds. */
const TIMESTAMP = `case when timestamp[5] = '-' then timestamp::timestamp else make_timestamp(timestamp::bigint) end`

/**
 * A call with several paths parses the JSON only once. The metadata of a record is an object or an array of a single
 * object.
 */
const LOADS = {
  edge_logs: (path) => `
    insert into edge_logs
    select id, ${TIMESTAMP}, project, event_message, coalesce(hot[1], hot[3]), coalesce(hot[2], hot[4]), metadata
    from (
      select *, json_extract_string(metadata,
        ['$.request.url', '$.request.path', '$[0].request[0].url', '$[0].request[0].path']) as hot
      from read_ndjson(${quote(path)}, columns = {
        id: 'VARCHAR', timestamp: 'VARCHAR', project: 'VARCHAR', event_message: 'VARCHAR', metadata: 'JSON'})
    )`,
  function_edge_logs: (path) => `
    insert into function_edge_logs
    select id, ${TIMESTAMP}, coalesce(hot[1], hot[5]), event_message, coalesce(hot[2], hot[6]),
      coalesce(hot[3], hot[7])::double, coalesce(hot[4], hot[8])::usmallint, metadata
    from (
      select *, json_extract_string(metadata,
        ['$.project_ref', '$.function_id', '$.execution_time_ms', '$.response.status_code',
         '$[0].project_ref', '$[0].function_id', '$[0].execution_time_ms', '$[0].response[0].status_code']) as hot
      from read_ndjson(${quote(path)}, columns = {
        id: 'VARCHAR', timestamp: 'VARCHAR', event_message: 'VARCHAR', metadata: 'JSON'})
    )`,
  [EVENTS]: (path) => `insert into ${EVENTS} select json from read_ndjson_objects(${quote(path)})`,
}

export async function open({ store, directory, threads, nowUs }) {
  const path = store === 'memory' ? ':memory:' : join(directory, 'logs.duckdb')
  const create = () => DuckDBInstance.create(path, { threads: String(threads) })
  let instance = await create()
  let connection = await instance.connect()
  const run = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS()
  return {
    pid: process.pid,
    async load(files) {
      for (const [source, file] of Object.entries(files)) {
        await connection.run(TABLES[source])
        await connection.run(LOADS[source](file))
      }
      return performance.now() / 1000
    },
    async count(source) {
      return Number((await run(`select count(*) as rows from ${source}`))[0].rows)
    },
    settle: () => connection.run('checkpoint'),
    diskBytes: () => statSync(path).size,
    async reopen() {
      connection.closeSync()
      if (store !== 'memory') {
        instance.closeSync()
        instance = await create()
      }
      connection = await instance.connect()
    },
    answer: (call, exact) => run(sqlOf(DIALECT, call, nowUs, exact)),
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
