/**
 * Measures clients that follow groupings while 5,000 full records a second arrive over HTTP: the time from a line to
 * the event that has it, and the share of a core that the streams take, which is the CPU time of the service with the
 * clients less that without. Half of the groupings are over the last five minutes. Every grouping has an equal number
 * of clients. The time is measured at the last client of each.
 *
 *   node bench/subscribers.mjs 20 200 60      groupings, clients, and seconds that are measured
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { generate } from '../dist/generate/generate.js'
import { cpuSeconds } from './process.mjs'
import { metric, startService, TOKEN } from './service.mjs'

const queries = Number(process.argv[2] ?? 20)
const clients = Number(process.argv[3] ?? 200)
const measuredSeconds = Number(process.argv[4] ?? 60)
const RATE = 5_000
/** Requests of a second. */
const BATCHES = 10
const FILLED_SECONDS = 20

/** The keys of the groupings: from a few groups to a few hundred. */
const KEYS = [
  'request.method',
  'response.status_code',
  'request.cf.continent',
  'request.cf.country',
  'request.method, response.status_code',
  'request.method, request.cf.continent',
  'request.cf.continent, response.status_code',
  'request.cf.colo',
  'request.cf.asn',
  'request.method, request.cf.country',
]
const WINDOWS = ['', 'where timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)']

const folder = mkdtempSync(join(tmpdir(), 'logweir-bench-'))
const endpoints = writeEndpoints()
const without = await measure(0)
const followed = await measure(clients)
rmSync(folder, { recursive: true })
console.log(
  JSON.stringify({
    queries,
    clients,
    share: { without: without.share, followed: followed.share, streams: followed.share - without.share },
    evaluationsPerSecond: followed.evaluations / measuredSeconds,
    lineToEventMs: followed.lineToEventMs,
  }),
)
process.exit()

function writeEndpoints() {
  const directory = join(folder, 'endpoints')
  mkdirSync(directory)
  for (let query = 0; query < queries; query++) {
    const keys = KEYS[query % KEYS.length]
    const names = keys.split(', ').map((key) => key.split('.').at(-1))
    const text = `select ${keys}, count(*) as requests, countif(response.status_code >= ${400 + Math.floor(query / 20)})
as errors, max(timestamp) as newest from edge_logs ${WINDOWS[Math.floor(query / KEYS.length) % 2]}
group by ${names.join(', ')}`
    writeFileSync(join(directory, `followed-${query}.sql`), text)
  }
  return directory
}

/** Starts a service, fills it, and measures while records arrive and clients follow. `share`: of a core. */
async function measure(count) {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const service = await startService('ignore', ['--data-dir', dataDir, '--endpoints', endpoints])
  const send = async (body) => {
    const headers = { 'X-API-KEY': TOKEN, 'Content-Type': 'application/x-ndjson' }
    const response = await fetch(`${service.url}/api/logs?source=edge_logs`, { method: 'POST', headers, body })
    if (response.status !== 200) throw new Error(await response.text())
  }
  for (let second = 0; second < FILLED_SECONDS; second++)
    await send(bodyOf(RATE, Date.now() * 1000 - (FILLED_SECONDS - second) * 1e6, 1e6, second))
  const followers = []
  for (let i = 0; i < count; i++) {
    followers.push(follow(`${service.url}/api/endpoints/query/followed-${i % queries}`, i >= count - queries))
    await followers.at(-1).begun
  }
  await wait(2_000)
  const before = await counts(service)
  const startMs = Date.now() + 200
  for (let batch = 1; batch <= measuredSeconds * BATCHES; batch++) {
    const atMs = startMs + (batch * 1000) / BATCHES
    const body = bodyOf(RATE / BATCHES, atMs * 1000, 1e6 / BATCHES, batch)
    await wait(Math.max(0, atMs - Date.now()))
    // Every record of the batch is newer than the batch before.
    for (const { sent } of followers) sent.push({ afterUs: (atMs - 1000 / BATCHES) * 1000, atMs: Date.now() })
    await send(body)
  }
  await wait(1_000)
  const after = await counts(service)
  await service.stop()
  const delaysMs = followers.flatMap((follower) => follower.delaysMs).sort((a, b) => a - b)
  return {
    share: (after.cpuSeconds - before.cpuSeconds) / ((after.atMs - before.atMs) / 1000),
    evaluations: after.evaluations - before.evaluations,
    lineToEventMs: { batches: delaysMs.length, p50: at(delaysMs, 0.5), p99: at(delaysMs, 0.99), most: delaysMs.at(-1) },
  }
}

function at(sorted, share) {
  return sorted[Math.floor(sorted.length * share)]
}

function bodyOf(rows, endUs, spanUs, seed) {
  const shape = { source: 'edge_logs', slim: false, projects: 2_000, badEvery: 0 }
  return Buffer.concat([...generate({ rows, seed, endUs, spanUs, ...shape })])
}

/** Follows a query. If `isMeasured`, notes how long after each sent batch an event has records of it. */
function follow(url, isMeasured) {
  const [sent, delaysMs] = [[], []]
  const begun = new Promise((resolve, reject) => {
    const headers = { 'X-API-KEY': TOKEN, Accept: 'text/event-stream' }
    const asked = request(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answers with ${response.statusCode}`))
      response.once('data', resolve)
      response.on('data', isMeasured ? note : () => {})
      response.on('error', () => {})
    })
    asked.on('error', reject)
    asked.end()
  })
  let rest = ''
  function note(piece) {
    rest += piece.toString('latin1')
    const end = rest.lastIndexOf('\n\n')
    if (end < 0) return
    let newestUs = 0
    for (const [, us] of rest.slice(0, end).matchAll(/"newest":(\d+)/g)) newestUs = Math.max(newestUs, Number(us))
    rest = rest.slice(end)
    const nowMs = Date.now()
    while (sent.length > 0 && sent[0].afterUs < newestUs) delaysMs.push(nowMs - sent.shift().atMs)
  }
  return { sent: isMeasured ? sent : { push() {} }, delaysMs, begun }
}

async function counts(service) {
  const evaluations = await metric(service, 'logweir_subscription_evaluations_total')
  return { evaluations, cpuSeconds: cpuSeconds(service.pid), atMs: performance.now() }
}
