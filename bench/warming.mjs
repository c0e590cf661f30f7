/**
 * Measures whether cache refreshes slow down other requests. The app stores `rows` records, half from each of two
 * sources, and `entries` cache entries that all become due at once. Another process requests the newest rows of a
 * project over a connection, first without other load, then during the refreshes.
 *
 *   node bench/warming.mjs 10000000 1000
 */
import { setTimeout } from 'node:timers/promises'
import { createMetrics } from '../dist/base/metrics.js'
import { systemClock } from '../dist/base/time/clock.js'
import { ENDPOINTS } from '../dist/endpoints/index.js'
import { projectRef } from '../dist/generate/values/projects.js'
import { createApp } from '../dist/http/app.js'
import { listen } from '../dist/http/server/server.js'
import { createTokenRegistry, plainTokens } from '../dist/tokens/token-registry.js'
import { PROJECTS, records, SEED } from './data.mjs'
import { appendLines, openEngine } from './engine.mjs'
import { OTHER_CORE, runNode } from './process.mjs'

const TOKEN = 'bench-token'
const HEADERS = { 'X-API-KEY': TOKEN }
const PROJECTS_COUNT = 2_000
const QUERY = '/api/endpoints/query'
/** Longer than the 300 s after which an entry in use is due for a refresh. */
const LEAP_MS = 301_000
const LOAD = { connections: 1, warmMs: 1_000, runMs: 5_000 }

const [rows, entries] = [Number(process.argv[2] ?? 10_000_000), Number(process.argv[3] ?? 1_000)]
let leapMs = 0
const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + leapMs }
const metrics = createMetrics()
const engine = openEngine()
for (const source of ['edge_logs', 'function_edge_logs'])
  await appendLines(engine, records(source, rows / 2, true, { projects: PROJECTS_COUNT }))
await engine.seal()
const tokens = createTokenRegistry(clock)
tokens.replace(plainTokens([TOKEN]))
const parts = { engine, endpoints: ENDPOINTS, metrics, clock, accessOf: tokens.accessOf, status: () => 'ok', log() {} }
const app = createApp({ ...parts, limits: { cacheEntries: 2 * entries } })
const { url, port, close } = await listen(app, { host: '127.0.0.1', port: 0 })

const fillStartMs = performance.now()
for (let entry = 0; entry < entries; entry++) {
  const project = projectRef(SEED, 1 + Math.floor(entry / 2))
  const path =
    entry % 2 === 0 ? 'usage.api-counts?interval=daily&project=' : 'functions.invocation-stats?interval=7day&project='
  const answer = await fetch(`${url}${QUERY}/${path}${project}`, { headers: HEADERS })
  if (answer.status !== 200) throw new Error(await answer.text())
  await answer.arrayBuffer()
}
const firstMsPerEntry = (performance.now() - fillStartMs) / entries

const path = `${QUERY}/logs.all?project_tier=PRO&project=${PROJECTS.small}`
const load = (options) =>
  runNode(
    [
      new URL('load.mjs', import.meta.url).pathname,
      JSON.stringify({ ...LOAD, ...options, port, path, headers: HEADERS }),
    ],
    OTHER_CORE,
  )
await load({})
const alone = await load({})
const refreshed = async () => (await metrics.cacheRefreshes.get()).values.reduce((sum, { value }) => sum + value, 0)

// Timed from the first refresh to the last. The load starts earlier. Requests after the last refresh are undisturbed.
const before = await refreshed()
const during = load({ warmMs: 500 })
await setTimeout(500)
leapMs = LEAP_MS
while ((await refreshed()) === before) await setTimeout(1)
const startMs = performance.now()
while ((await refreshed()) < before + entries) await setTimeout(5)
const warmingMs = performance.now() - startMs
const { medianMs, p99Ms, worstMs } = await during
console.log(
  JSON.stringify({
    rows,
    entries,
    firstMsPerEntry,
    refreshMsPerEntry: warmingMs / entries,
    aloneMedianMs: alone.medianMs,
    aloneP99Ms: alone.p99Ms,
    aloneWorstMs: alone.worstMs,
    warmingMs,
    medianMs,
    p99Ms,
    worstMs,
  }),
)
app.close()
await close()
await engine.close()
