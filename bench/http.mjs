/**
 * Measures requests per second and latency of a single core, with and without records streaming in. The service stores
 * 1,000,000 slim edge and 1,000,000 slim relay records. A process on another core sends requests over 16 connections.
 *
 *   node bench/http.mjs cached | logs | stats alone | ingest
 */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { PROJECTS, records } from './data.mjs'
import { cpuSeconds, OTHER_CORE, runNode } from './process.mjs'
import { metric, startService, TOKEN } from './service.mjs'

const ROWS = 1_000_000
const STREAMED_PER_SECOND = 5_000
/** The timestamps of the records generated every 100 ms cover the last 100 ms. */
const STREAM_US = 100_000
const LOAD = { connections: 16, warmMs: 2_000, runMs: 10_000 }
const QUERY = '/api/endpoints/query'
const project = PROJECTS.top

/** The requests: an answer from the cache, the newest rows, and an aggregate that is computed each time. */
const REQUESTS = {
  cached: { path: `${QUERY}/usage.api-counts?interval=daily&project=${project}` },
  logs: { path: `${QUERY}/logs.all?project_tier=PRO&project=${project}` },
  stats: {
    path: `${QUERY}/functions.invocation-stats?interval=1hr&project=${project}`,
    headers: { 'Cache-Control': 'no-cache' },
  },
}

const [requestName = 'cached', mode = 'alone'] = process.argv.slice(2)
const { path, headers } = REQUESTS[requestName]
const service = await startService('pipe')
for (const source of ['edge_logs', 'function_edge_logs']) await write(records(source, ROWS, true))
while ((await metric(service, 'logweir_rows')) < 2 * ROWS) await setTimeout(100)

const bodyBytes = (await (await service.get(path)).arrayBuffer()).byteLength
const streaming = new AbortController()
const streamed = mode === 'ingest' ? stream(streaming.signal) : 0
const startSeconds = cpuSeconds(service.pid)
const load = { ...LOAD, port: Number(new URL(service.url).port), path, headers: { 'X-API-KEY': TOKEN, ...headers } }
const { answered, ...answers } = await runNode(
  [new URL('load.mjs', import.meta.url).pathname, JSON.stringify(load)],
  OTHER_CORE,
)
const coreMsPerRequest = ((cpuSeconds(service.pid) - startSeconds) * 1000) / answered
streaming.abort()
console.log(JSON.stringify({ ...answers, coreMsPerRequest, bodyBytes, streamed: await streamed }))
await service.stop()

async function write(chunks) {
  for (const chunk of chunks) if (!service.stdin.write(chunk)) await once(service.stdin, 'drain')
}

/**
 * Writes `STREAMED_PER_SECOND` new records per second, a tenth every 100 ms, until aborted. Returns the number of rows.
 */
async function stream(signal) {
  let rows = 0
  for (const startMs = performance.now(); !signal.aborted; rows += STREAMED_PER_SECOND / 10) {
    await write(records('edge_logs', STREAMED_PER_SECOND / 10, true, { spanUs: STREAM_US }))
    await setTimeout(Math.max(0, startMs + (rows / STREAMED_PER_SECOND) * 1000 - performance.now()))
  }
  return rows
}
