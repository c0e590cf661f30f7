/**
 * Measures the endpoints of the log explorer and the list of projects without HTTP, in milliseconds of CPU time: full
 * edge records of a single project in the last week, or slim records of many projects.
 *
 *   node bench/explore-engine.mjs 1000000 1
 *   node bench/explore-engine.mjs 1000000 10000
 *
 * `firstMs`: with an empty cache of partial results, the median of some runs. `againMs`: with the caches that these
 * runs filled, each run a second later in query time. `answered`: rows of the answer.
 */
import { systemClock } from '../dist/base/time/clock.js'
import { ENDPOINTS } from '../dist/endpoints/index.js'
import { projectsCall } from '../dist/endpoints/projects.js'
import { projectRef } from '../dist/generate/values/projects.js'
import { records, SEED } from './data.mjs'
import { appendLines, openEngine } from './engine.mjs'
import { median } from './process.mjs'

const WARM_RUNS = 3
const RUNS = 5

const [rows, projects] = process.argv.slice(2).map(Number)
const engine = openEngine()
await appendLines(engine, records('edge_logs', rows, projects > 1, { projects }))
await engine.seal()
const nowUs = systemClock.nowUs()
const start = new Date(nowUs / 1000 - 7 * 86_400_000).toISOString()
const base = { project: projectRef(SEED, 0), source: 'edge_logs', start }

const failed = '[{"field":"response.status_code","op":">=","value":500}]'
const undeclared = '[{"field":"response.origin_time","op":">","value":1000}]'
const CASES = {
  rows: ['logs.explore', {}],
  histogram: ['logs.histogram', {}],
  histogramOfHour: ['logs.histogram', { start: new Date(nowUs / 1000 - 3_600_000).toISOString() }],
  histogramOfDeclared: ['logs.histogram', { filter: failed }],
  histogramOfField: ['logs.histogram', { filter: undeclared }],
  rowsOfSearch: ['logs.explore', { search: 'no such text' }],
  histogramOfSearch: ['logs.histogram', { search: 'timeout' }],
  fields: ['logs.fields', {}],
  valuesOfField: ['logs.fields', { field: 'request.path' }],
}

const measured = {}
if (projects === 1) {
  for (const [title, [name, params]] of Object.entries(CASES)) {
    const endpoint = ENDPOINTS.find((one) => one.name === name)
    measured[title] = await measure(endpoint.call(new URLSearchParams({ ...base, ...params })))
  }
} else measured.projects = await measure(projectsCall())
console.log(JSON.stringify({ rows, projects, ...measured }))
await engine.close()

async function measure(call) {
  const firstMs = []
  let answered
  for (let run = 0; run < WARM_RUNS + RUNS; run++) {
    engine.clearPartialCache()
    const { ms, rows } = await runCall(call, nowUs)
    answered = rows
    if (run >= WARM_RUNS) firstMs.push(ms)
  }
  const againMs = []
  for (let run = 1; run <= RUNS; run++) againMs.push((await runCall(call, nowUs + run * 1e6)).ms)
  return { firstMs: median(firstMs), againMs: median(againMs), answered }
}

async function runCall(call, atUs) {
  const before = process.cpuUsage()
  const found = await engine.run(call.plan(atUs))
  let rows = 0
  for await (const _ of call.computation?.rows(found) ?? found) rows++
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, rows }
}
