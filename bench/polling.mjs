/**
 * Measures dashboards that poll while rows arrive: ten queries every two seconds over 5,000 full records a second, half
 * of the queries over the last five minutes. In process, so that only the engine is timed: time of the records is set,
 * so that a minute of records takes seconds. Prints the milliseconds that a poll of each query took, for each query.
 *
 *   node bench/polling.mjs 150
 */
import { generate } from '../dist/generate/generate.js'
import { readSql } from '../dist/sql/read-sql.js'
import { PROJECTS, SEED } from './data.mjs'
import { appendLines, openEngine } from './engine.mjs'
import { median } from './process.mjs'

const polls = Number(process.argv[2] ?? 150)
/** Polls before the windows of five minutes are full, which are not measured. */
const FILLING_POLLS = 150
const POLL_US = 2e6
/** Records of a poll, by source. */
const RECORDS = { edge_logs: 7_000, function_edge_logs: 3_000 }

const last5 = `timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)`
const last15 = `timestamp >= timestamp_sub(current_timestamp(), interval 15 minute)`
const day = `timestamp >= timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), day)`
const of = (project) => `project = '${project}' and`

const QUERIES = {
  'errors by project, 5 minutes': `select project, count(*) as requests, countif(response.status_code >= 500) as errors
    from edge_logs where ${last5} group by project having requests >= 20`,
  'status classes by minute, 5 minutes, a project': `select timestamp_trunc(timestamp, minute) as minute,
      floor(response.status_code / 100) as class, count(*) as count from edge_logs
    where ${of(PROJECTS.top)} ${last5} group by minute, class`,
  'executions by function, 5 minutes': `select function_id, count(*) as count, avg(execution_time_ms) as average,
      approx_quantiles(execution_time_ms, 100)[offset(95)] as p95 from function_edge_logs where ${last5}
    group by function_id order by count desc limit 100`,
  'count of errors, 5 minutes': `select count(*) as errors from edge_logs
    where ${last5} and response.status_code >= 500`,
  'countries by minute, 5 minutes': `select timestamp_trunc(timestamp, minute) as minute,
      request.cf.country, count(*) as count from edge_logs where ${last5} group by minute, country`,
  'requests by minute, 15 minutes': `select timestamp_trunc(timestamp, minute) as minute, count(*) as count
    from edge_logs where ${last15} group by minute`,
  'requests by method and status, today': `select request.method, response.status_code, count(*) as count
    from edge_logs where ${day} group by method, status_code`,
  'requests by hour, today, a project': `select timestamp_trunc(timestamp, hour) as hour, count(*) as count
    from edge_logs where ${of(PROJECTS.top)} ${day} group by hour`,
  'executions by minute, today': `select timestamp_trunc(timestamp, minute) as minute, count(*) as count,
      avg(execution_time_ms) as average, max(execution_time_ms) as most from function_edge_logs
    where ${day} group by minute`,
  'top paths, today': `select request.path, count(*) as count from edge_logs where ${of(PROJECTS.top)} ${day}
    group by path order by count desc limit 20`,
}

const startUs = Math.floor(Date.now() / 86_400e3) * 86_400e6
const engine = openEngine()
const sources = Object.entries(RECORDS).map(([source, rows]) => {
  const all = (FILLING_POLLS + polls) * rows
  const spanUs = (FILLING_POLLS + polls) * POLL_US
  const chunks = generate({
    rows: all,
    seed: SEED,
    source,
    endUs: startUs + spanUs,
    spanUs,
    slim: false,
    projects: 2_000,
    badEvery: 0,
  })
  return { rows, lines: linesOf(chunks) }
})
const queries = Object.entries(QUERIES).map(([name, sql]) => ({ name, query: readSql(sql), ms: [], answered: 0 }))
const cpu = { us: 0 }

for (let poll = 1; poll <= FILLING_POLLS + polls; poll++) {
  for (const { rows, lines } of sources) await appendLines(engine, [await take(lines, rows)])
  const nowUs = startUs + poll * POLL_US
  const before = process.cpuUsage()
  for (const one of queries) {
    const startMs = performance.now()
    one.answered = 0
    for await (const _row of await engine.run(one.query.plan({}, nowUs))) one.answered++
    if (poll > FILLING_POLLS) one.ms.push(performance.now() - startMs)
  }
  const { user, system } = process.cpuUsage(before)
  if (poll > FILLING_POLLS) cpu.us += user + system
}
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const shown = queries.map(({ name, ms, answered }) => ({ name, answered, meanMs: mean(ms), medianMs: median(ms) }))
console.log(
  JSON.stringify(
    { polls, meanMs: shown.reduce((sum, { meanMs }) => sum + meanMs, 0), cpuMs: cpu.us / 1e3 / polls, queries: shown },
    null,
    1,
  ),
)
await engine.close()
process.exit()

async function* linesOf(chunks) {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk)])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield bytes.subarray(from, end + 1)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
}

async function take(lines, rows) {
  const taken = []
  while (taken.length < rows) {
    const { done, value } = await lines.next()
    if (done) break
    taken.push(value)
  }
  return Buffer.concat(taken)
}
