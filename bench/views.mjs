/**
 * Measures the cost of views and how fast views are read, each in new processes with a data directory on the disk.
 *
 *   node bench/views.mjs ingest 1000000 3    records of the standard input, and turns: none and ten views, in turn
 *   node bench/views.mjs read 10000000 50    records of 90 days, and requests of views by hour, and hour and method
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileOf, readOnce } from './data.mjs'
import { cpuSeconds, median } from './process.mjs'
import { startService } from './service.mjs'

const [what = 'ingest', ...numbers] = process.argv.slice(2)
const DAYS = 90
const HOUR_MS = 3_600_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Keys and aggregates of ten views without quantiles. */
const KEYS = [
  'request.path',
  'request.method',
  'response.status_code',
  'request.cf.country',
  'request.method, response.status_code',
]
const AGGREGATES = ['count(*) as n', 'count(*) as n, sum(response.origin_time) as s, max(response.origin_time) as most']
const TEN = KEYS.flatMap((keys) => AGGREGATES.map((aggregates) => viewOf(keys, aggregates)))

function viewOf(keys, aggregates = 'count(*) as n') {
  const others = keys === '' ? '' : `, ${keys}`
  return `-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour${others}, ${aggregates} from edge_logs group by hour${others}`
}

/** Runs with a data directory, and a directory of views, both new. */
async function inFolders(views, run) {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-bench-views-'))
  try {
    const endpoints = mkdtempSync(join(folder, 'endpoints-'))
    for (const [i, text] of views.entries()) writeFileSync(join(endpoints, `view${i}.sql`), text)
    return await run(['--data-dir', join(folder, 'data'), '--endpoints', endpoints])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The views of a service. Undefined while the service starts. */
const viewsOf = async (service) => (await (await service.get('/api/views')).json()).result

async function allGrouped(service) {
  while ((await viewsOf(service))?.every(({ progress }) => progress === 1) !== true) await wait(200)
}

async function ingest(views, path) {
  await readOnce(path)
  return inFolders(views, async (args) => {
    const stdin = openSync(path, 'r')
    const service = await startService(stdin, args)
    const { match, atMs } = await service.waitForOutput(/standard input ended: (\d+) rows accepted/)
    closeSync(stdin)
    const rate = Number(match[1]) / ((atMs - service.startedMs) / 1000)
    const cpu = cpuSeconds(service.pid)
    await allGrouped(service)
    const groupedMs = performance.now() - atMs
    const bytes = (await viewsOf(service)).reduce((sum, view) => sum + view.bytes, 0)
    await service.stop()
    return { views: views.length, rowsPerSecond: rate, cpuSeconds: cpu, groupedMs, bytes }
  })
}

async function compareIngest(rows = 1_000_000, turns = 3) {
  const path = await fileOf(rows)
  const found = { 0: [], 10: [] }
  for (let turn = 0; turn < turns; turn++) {
    for (const views of turn % 2 === 0 ? [[], TEN] : [TEN, []]) {
      const one = await ingest(views, path)
      console.log(JSON.stringify(one))
      found[one.views].push(one.rowsPerSecond)
    }
  }
  console.log(JSON.stringify({ ratio: median(found[10]) / median(found[0]) }))
}

/** Writes records of 90 days in the order of time. */
async function writeRecords(to, rows) {
  const end = Date.now() - HOUR_MS
  let lines = ''
  for (let i = 0; i < rows; i++) {
    const at = Math.floor(end - (1 - i / rows) * DAYS * 24 * HOUR_MS)
    const status = i % 50 === 0 ? 500 : 200
    lines +=
      `{"source":"edge_logs","project":"p","timestamp":${at * 1000},"event_message":"m","metadata":{"request":{` +
      `"method":"${METHODS[i % 5]}","path":"/${i % 100}"},` +
      `"response":{"status_code":${status},"origin_time":${i % 400}}}}\n`
    if (lines.length < 1e6 && i < rows - 1) continue
    if (!to.write(lines)) await new Promise((resolve) => to.once('drain', resolve))
    lines = ''
  }
  to.end()
}

async function readTimes(service, name, requests) {
  const times = []
  let rows = 0
  for (let i = 0; i < requests; i++) {
    const startMs = performance.now()
    const response = await service.get(`/api/endpoints/query/${name}?project=p`)
    const body = await response.arrayBuffer()
    times.push(performance.now() - startMs)
    const [, timing = ''] = /total;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '') ?? []
    rows = JSON.parse(Buffer.from(body).toString()).result.length
    if (i === 0) console.log(JSON.stringify({ name, rows, firstMs: times[0], serverMs: timing }))
  }
  const [, ...later] = times
  console.log(JSON.stringify({ name, rows, laterMs: median(later), leastMs: Math.min(...later) }))
}

async function measureReads(rows = 10_000_000, requests = 50) {
  await inFolders([viewOf(''), viewOf('request.method')], async (args) => {
    const more = [...args, '--retention-days', '400']
    const service = await startService('pipe', more)
    const ended = service.waitForOutput(/standard input ended: (\d+) rows accepted/)
    await writeRecords(service.stdin, rows)
    const { match } = await ended
    console.log(JSON.stringify({ rows: Number(match[1]), seconds: (performance.now() - service.startedMs) / 1000 }))
    await service.stop()
    // The first read of a new process.
    const second = await startService('ignore', more)
    await allGrouped(second)
    console.log(JSON.stringify(await viewsOf(second)))
    for (const name of ['view0', 'view1']) await readTimes(second, name, requests)
    await second.stop()
  })
}

await (what === 'read' ? measureReads : compareIngest)(...numbers.map(Number))
