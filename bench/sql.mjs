/**
 * Compares queries in SQL with the same plans by hand, over full edge records of a week in memory, for a project with
 * 10 % of the records. Both are made for each run, without cached groups, in turn. The service keeps parsed texts:
 * `sqlMs` is the time with a kept text, `newTextMs` the time with a new text. Also measures how long texts take to
 * compile.
 *
 *   node bench/sql.mjs 1000000
 */
import { call, column, field, literal } from '../dist/plan/expression.js'
import { readSql } from '../dist/sql/read-sql.js'
import { PROJECTS, records } from './data.mjs'
import { appendLines, openEngine } from './engine.mjs'
import { QUESTIONS } from './field-questions.mjs'
import { median } from './process.mjs'

const rows = Number(process.argv[2] ?? 1_000_000)
const WARM_RUNS = 15
const RUNS = 31

const endUs = Date.now() * 1000
const project = PROJECTS.top
const where = (days) => `from edge_logs
  where project = '${project}' and timestamp >= timestamp_sub(current_timestamp(), interval ${days} day)
    and timestamp <= current_timestamp()`

/** The columns of the newest rows, and the conditions on these columns, as in queries of Studio's log explorer. */
const COLUMNS = ['request.method', 'request.path', 'response.status_code']
const selected = {
  op: 'select',
  columns: [
    ...['id', 'timestamp', 'event_message'].map((name) => ({ name, value: column(name) })),
    ...COLUMNS.map((path) => ({ name: path.split('.').at(-1), value: field(path) })),
  ],
}

const byHand = (name) => QUESTIONS[name](project, endUs)
const newestByHand = (...conditions) => [
  { op: 'scan', sources: ['edge_logs'], fromUs: endUs - 7 * 86_400e6, throughUs: endUs },
  ...[call('eq', column('project'), literal(project)), ...conditions].map((where) => ({ op: 'filter', where })),
  { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'desc', nulls: 'last' }] },
  { op: 'limit', rows: 100, offset: 0 },
  selected,
]

const QUERIES = {
  'status classes by hour, one day': {
    plan: () => byHand('status classes by hour, one day'),
    sql: `select timestamp_trunc(timestamp, hour) as hour, floor(response.status_code / 100) as class, count(*) as count
      ${where(1)} group by hour, class`,
  },
  'count by method, path, status, 7 days, top 100': {
    plan: () => byHand('count by method, path, status, 7 days, top 100'),
    sql: `select request.method, request.path, response.status_code, count(*) as count
      ${where(7)} group by 1, 2, 3 order by count desc limit 100`,
  },
  'newest 100': {
    plan: () => newestByHand(),
    sql: `select id, timestamp, event_message, ${COLUMNS} ${where(7)} order by timestamp desc limit 100`,
  },
  'newest 100 with status >= 500 and method POST': {
    plan: () =>
      newestByHand(
        call('ge', field('response.status_code'), literal(500)),
        call('eq', field('request.method'), literal('POST')),
      ),
    sql: `select id, timestamp, event_message, ${COLUMNS}
      ${where(7)} and response.status_code >= 500 and request.method = 'POST' order by timestamp desc limit 100`,
  },
  'chart of three counts by minute, one hour': {
    plan: () => [
      { op: 'scan', sources: ['edge_logs'], fromUs: endUs - 3600e6, throughUs: endUs },
      { op: 'filter', where: call('eq', column('project'), literal(project)) },
      {
        op: 'group',
        keys: [{ name: 'timestamp', value: call('timestamp_trunc', column('timestamp'), literal('minute')) }],
        aggregates: [
          ['ok', 200, 299],
          ['warning', 400, 499],
          ['error', 500, 599],
        ].map(([name, low, high]) => ({ name, value: { fn: 'countif', args: [between(low, high)] } })),
      },
      { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'asc', nulls: 'first' }] },
    ],
    sql: `select timestamp_trunc(t.timestamp, minute) as timestamp,
        count(case when response.status_code between 200 and 299 then 1 end) as ok,
        count(case when response.status_code between 400 and 499 then 1 end) as warning,
        count(case when response.status_code between 500 and 599 then 1 end) as error,
      from edge_logs t
      where t.project = '${project}' and t.timestamp >= timestamp_sub(current_timestamp(), interval 1 hour)
        and t.timestamp <= current_timestamp()
      group by timestamp order by timestamp`,
  },
}

function between(low, high) {
  const status = field('response.status_code')
  return call('and', call('ge', status, literal(low)), call('le', status, literal(high)))
}

/** Unnests have no plan by hand that is faster. */
const UNNESTS = {
  'count(*) with three unnests, 7 days': `select count(*) as count from edge_logs as t
    cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response
    where t.project = '${project}'`,
  'newest 100 with three unnests': `select id, timestamp, event_message, request.method, response.status_code
    from edge_logs as t
    cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response
    where t.project = '${project}' and response.status_code between 500 and 599 order by timestamp desc limit 100`,
}

/** Returns the milliseconds until the last row was read. */
async function run(engine, planOf) {
  engine.clearPartialCache()
  const startMs = performance.now()
  let count = 0
  for await (const _row of await engine.run(planOf())) count++
  return { ms: performance.now() - startMs, count }
}

const compiled = (sql) => readSql(sql).plan({}, endUs)

function compileMs(sql) {
  for (let i = 0; i < 300; i++) compiled(sql)
  const samples = []
  for (let i = 0; i < RUNS; i++) {
    const startMs = performance.now()
    for (let j = 0; j < 10; j++) compiled(sql)
    samples.push((performance.now() - startMs) / 10)
  }
  return median(samples)
}

const engine = openEngine()
await appendLines(engine, records('edge_logs', rows, false, { endUs }))
await engine.seal()
const queries = []
for (const [name, { plan, sql }] of Object.entries(QUERIES)) {
  const [hand, text, parsed] = [[], [], []]
  const query = readSql(sql)
  let counts = []
  for (let i = 0; i < WARM_RUNS + RUNS; i++) {
    const one = await run(engine, plan)
    const other = await run(engine, () => compiled(sql))
    const again = await run(engine, () => query.plan({}, endUs))
    counts = [one.count, other.count]
    if (i < WARM_RUNS) continue
    hand.push(one.ms)
    text.push(other.ms)
    parsed.push(again.ms)
  }
  const [handMs, newTextMs, sqlMs] = [hand, text, parsed].map(median)
  const perKb = (compileMs(sql) * 1024) / sql.length
  queries.push({ name, rows: counts, handMs, sqlMs, newTextMs, ratio: sqlMs / handMs, compileMsPerKb: perKb })
}
const unnests = []
for (const [name, sql] of Object.entries(UNNESTS)) {
  const first = await run(engine, () => compiled(sql))
  const later = []
  for (let i = 0; i < 5; i++) later.push((await run(engine, () => compiled(sql))).ms)
  unnests.push({ name, rows: first.count, firstMs: first.ms, laterMs: median(later) })
}
console.log(JSON.stringify({ queries, unnests }, null, 1))
await engine.close()
