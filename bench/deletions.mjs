/**
 * Measures the effect of deletions on others: queries of other projects in the same segments, and ingest, each with and
 * without a deletion that is being erased, in a service with a data directory on the disk.
 *
 *   LOGWEIR_BENCH_CORE=0,1 node bench/deletions.mjs 1000000 5    records that are stored before, and turns
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './process.mjs'
import { startService, TOKEN } from './service.mjs'

const [rows = 1_000_000, turns = 5] = process.argv.slice(2).map(Number)
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const PROJECTS = 40
const DAY_MS = 86_400_000
/** Queries or requests of a measurement without a deletion. */
const ASKED = 40
/** Records of a request, and how long requests are sent. */
const SENT = 2_000
const SENDING_MS = 10_000

const lineOf = (i, atMs) =>
  `{"source":"edge_logs","project":"p${i % PROJECTS}","timestamp":${Math.floor(atMs * 1000)},"id":"row-${i}",` +
  `"event_message":"GET | ${200 + (i % 7)} | /rest/v1/${i}","metadata":{"request":{"method":"GET",` +
  `"path":"/rest/v1/${i % 997}","cf":{"country":"${i % 3 ? 'DE' : 'FR'}"}},` +
  `"response":{"status_code":${200 + (i % 7)},"origin_time":${i % 400}}}}\n`

/** Writes records of a day in the order of time. */
async function writeRecords(to) {
  const startMs = Date.now() - DAY_MS / 2
  let lines = ''
  for (let i = 0; i < rows; i++) {
    lines += lineOf(i, startMs + (i / rows) * (DAY_MS / 2))
    if (lines.length < 1e6 && i < rows - 1) continue
    if (!to.write(lines)) await new Promise((resolve) => to.once('drain', resolve))
    lines = ''
  }
  to.end()
}

let token

async function post(service, path, body, type = 'application/json') {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'X-API-KEY': path.startsWith('/api/deletions') ? token : TOKEN, 'Content-Type': type },
    body,
  })
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Starts to delete a project. Returns a function that tells whether the job is done. */
async function startDeletion(service, project) {
  const { id } = await post(service, '/api/deletions', JSON.stringify({ project }))
  return async () => {
    const response = await fetch(`${service.url}/api/deletions/${id}`, { headers: { 'X-API-KEY': token } })
    return (await response.json()).state === 'erased'
  }
}

let asked = 0

/** The milliseconds of a query over all rows of a project that no cache of answers has. */
async function queryMs(service) {
  const sql = `select request.path, count(*) as n, max(response.origin_time) as most from edge_logs
    where project = 'p1' and id != 'x${asked++}' group by path order by n desc limit 10`
  const startMs = performance.now()
  const response = await service.get(`/api/endpoints/query/logs.all?${new URLSearchParams({ sql, project: 'p1' })}`)
  if (response.status !== 200) throw new Error(await response.text())
  await response.arrayBuffer()
  return performance.now() - startMs
}

async function measureQueries(service, isDone) {
  const times = []
  while (isDone === undefined ? times.length < ASKED : !(await isDone())) times.push(await queryMs(service))
  return times
}

let sent = rows

/** Sends records for a while. Returns the records a second. */
async function measureIngest(service) {
  const startMs = performance.now()
  let count = 0
  while (performance.now() - startMs < SENDING_MS) {
    let body = ''
    for (let i = 0; i < SENT; i++) body += lineOf(sent++, Date.now())
    await post(service, '/api/logs', body, 'application/x-ndjson')
    count += SENT
  }
  return count / ((performance.now() - startMs) / 1000)
}

async function measure(service) {
  let project = 2
  const next = () => `p${project++}`
  const found = { alone: [], beside: [], ingest: [], ingestBeside: [] }
  await measureQueries(service)
  for (let turn = 0; turn < turns; turn++) {
    found.alone.push(...(await measureQueries(service)))
    found.beside.push(...(await measureQueries(service, await startDeletion(service, next()))))
  }
  for (let turn = 0; turn < turns; turn++) {
    found.ingest.push(await measureIngest(service))
    const isDone = await startDeletion(service, next())
    found.ingestBeside.push(await measureIngest(service))
    while (!(await isDone())) await wait(100)
  }
  const [alone, beside] = [median(found.alone), median(found.beside)]
  console.log(JSON.stringify({ queries: found.beside.length, aloneMs: alone, besideMs: beside, ratio: beside / alone }))
  const [ingest, ingestBeside] = [median(found.ingest), median(found.ingestBeside)]
  console.log(
    JSON.stringify({ rowsPerSecond: ingest, besideRowsPerSecond: ingestBeside, ratio: ingestBeside / ingest }),
  )
}

const dataDir = mkdtempSync(join(tmpdir(), 'logweir-bench-deletions-'))
try {
  const args = ['--data-dir', dataDir]
  const first = await startService('pipe', args)
  const ended = first.waitForOutput(/standard input ended: (\d+) rows accepted/)
  await writeRecords(first.stdin)
  await ended
  await first.stop()
  token = execFileSync(process.execPath, [CLI, 'token', 'create', ...args, '--scope', 'delete'])
    .toString()
    .trim()
  const service = await startService('ignore', args)
  while ((await service.get('/health')).status !== 200) await wait(100)
  await measure(service)
  await service.stop()
} finally {
  rmSync(dataDir, { recursive: true })
}
