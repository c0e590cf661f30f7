/**
 * How long does an endpoint take when nothing is cached? In process, so that it is the engine that is timed: slim records of
 * one source are parsed, appended and sealed; then each query runs some times, its first run kept apart.
 *
 *   node bench/query.mjs edge_logs 1000000
 */
import { systemClock } from '../dist/base/clock.js'
import { letHeapsGrow } from '../dist/base/heap.js'
import { createMetrics } from '../dist/base/metrics.js'
import { ENDPOINTS } from '../dist/endpoints/index.js'
import { createArrowEngine } from '../dist/engine/arrow/engine.js'
import { createParser } from '../dist/ingest/parse.js'
import { PROJECTS, records } from './data.mjs'

const [source, rowsText] = process.argv.slice(2)
const rows = Number(rowsText)
const RUNS = 15
const DAY_US = 86_400e6

const QUERIES = {
  edge_logs: [
    ['logs.all', (project) => ({ project, project_tier: 'PRO' })],
    ['usage.api-counts', (project) => ({ project, interval: 'daily' })],
    ['usage.api-counts', (project) => ({ project, interval: 'minutely' })],
    [
      'usage.api-counts',
      (project) => ({ project: `https://${project.slice(0, 3)}[a-z]+\\.supabase`, interval: 'daily' }),
    ],
  ],
  function_edge_logs: [
    ['functions.invocation-stats', (project) => ({ project, interval: '7day' })],
    ['functions.invocation-stats', (project) => ({ project, interval: '1day' })],
    ['functions.invocation-stats', (project) => ({ project, interval: '1hr' })],
  ],
}

// As the service does.
letHeapsGrow()
const engine = createArrowEngine({ clock: systemClock, metrics: createMetrics(), rowsLimitBytes: 16e9 })
await fill()
const nowUs = systemClock.nowUs()
const queries = []
for (const [endpoint, params] of QUERIES[source]) {
  for (const [size, project] of Object.entries(PROJECTS)) queries.push(await measure(endpoint, size, params(project)))
}
const held = engine.stats().find((stats) => stats.source === source)
console.log(
  JSON.stringify({
    rows: held.rows,
    segments: held.segments,
    hotBytesPerRow: held.hotBytes / (held.rows || 1),
    coldBytesPerRow: held.coldBytes / (held.rows || 1),
    residentMb: Math.round(process.memoryUsage().rss / 1e6),
    queries,
  }),
)

async function fill() {
  const batches = []
  const sink = {
    batch: (batch) => batches.push(batch),
    reject: ({ reason }) => {
      throw new Error(reason)
    },
  }
  const parser = createParser({ retentionUs: 90 * DAY_US }, sink)
  const append = async () => {
    for (const batch of batches.splice(0)) await engine.append(batch)
  }
  for (const chunk of records(source, rows, true)) {
    parser.push(chunk, systemClock.nowUs())
    await append()
  }
  parser.end(systemClock.nowUs())
  await append()
  await engine.seal()
}

async function measure(name, size, params) {
  const endpoint = ENDPOINTS.find((candidate) => candidate.name === name)
  const timesMs = []
  let answered = 0
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now()
    answered = 0
    const plan = endpoint.call(new URLSearchParams(params)).plan(nowUs)
    for await (const _row of await engine.run(plan)) answered++
    timesMs.push(performance.now() - startMs)
  }
  return { endpoint: name, size, params, answered, firstMs: timesMs[0], timesMs: timesMs.slice(1) }
}
