/**
 * Measures the latency of `/health` while the most expensive queries run. The service stores two million full records.
 * This process repeats four pattern queries that no prefilter speeds up, and requests `/health` every 2 ms.
 */
import { closeSync, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileOf } from './data.mjs'
import { startService } from './service.mjs'

const rows = Number(process.argv[2] ?? 1_000_000)
const RUN_MS = 5_000
const PATTERNS = ['[^x]*(a|b|c)+[^y]*z9$', '(?i)(x+x+)+y', '(?s).*storage.*webp.*q', '\\A(.*/){9}never']
const stdin = openSync(await fileOf(rows), 'r')
const service = await startService(stdin)
await service.waitForOutput(/standard input ended/)
closeSync(stdin)

let running = true
let queries = 0
const runQueries = async (pattern) => {
  for (let run = 0; running; run++) {
    const project = encodeURIComponent(`${pattern}|never${run}`)
    await (await service.get(`/api/endpoints/query/usage.api-counts?interval=daily&project=${project}`)).text()
    queries++
  }
}
const loops = PATTERNS.map(runQueries)
const waitsMs = []
const endMs = performance.now() + RUN_MS
while (performance.now() < endMs) {
  const startMs = performance.now()
  await (await service.get('/health')).text()
  waitsMs.push(performance.now() - startMs)
  await setTimeout(2)
}
running = false
await Promise.all(loops)
waitsMs.sort((a, b) => a - b)
const percentile = (share) => waitsMs[Math.min(waitsMs.length - 1, Math.ceil(share * waitsMs.length) - 1)]
console.log(
  JSON.stringify({
    answered: queries,
    probes: waitsMs.length,
    medianMs: percentile(0.5),
    p99Ms: percentile(0.99),
    worstMs: waitsMs.at(-1),
  }),
)
await service.stop()
