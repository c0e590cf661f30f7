/**
 * Measures the cost of many segments with columns that do not fit into memory. A small memory limit makes heads small.
 * Records of 90 days in random order, as from shippers that catch up, make thousands of small segments: each head
 * becomes a segment per day. Records of 7 days in order make about ninety large segments.
 *
 *   node bench/segments.mjs 500000 none
 *   node bench/segments.mjs 1000000 time
 */
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { projectRef } from '../dist/generate/values/projects.js'
import { records, SEED, write } from './data.mjs'
import { cpuSeconds, median } from './process.mjs'
import { metric, startService } from './service.mjs'

/** Neighbours in the file are `stride` lines apart in time order. */
const ORDERS = { none: { days: 90, stride: 314_159 }, time: { days: 7, stride: 1 } }
const rows = Number(process.argv[2] ?? 500_000)
const { days, stride } = ORDERS[process.argv[3] ?? 'none']
const SPAN = { spanUs: days * 86_400e6, projects: 50 }
/** Each query runs once per project, so that no answer comes from a cache. */
const PROJECTS = Array.from({ length: 20 }, (_, rank) => projectRef(SEED, rank))
const QUERIES = {
  logsAll: 'logs.all?project_tier=PRO',
  apiCountsDaily: 'usage.api-counts?interval=daily',
  statsByDay: 'functions.invocation-stats?interval=7day',
}

const directory = mkdtempSync(join(tmpdir(), 'logweir-bench-segments-'))
const path = join(directory, 'lines.ndjson')
await write(path, [inOrder()])
const stdin = openSync(path, 'r')
const service = await startService(stdin, ['--data-dir', join(directory, 'data'), '--memory-limit', '64M'])
const { atMs } = await service.waitForOutput(/standard input ended/)
closeSync(stdin)
const coreSeconds = cpuSeconds(service.pid)
// Waits until full heads have been written.
await setTimeout(2_000)
const segments = await metric(service, 'logweir_segments')
const times = {}
const beforeQueries = cpuSeconds(service.pid)
for (const [name, query] of Object.entries(QUERIES)) {
  const tookMs = []
  for (const project of PROJECTS) tookMs.push(await runQuery(`${query}&project=${project}`))
  times[`${name}Ms`] = median(tookMs)
  times[`${name}WorstMs`] = Math.max(...tookMs)
}
const queryCoreSeconds = cpuSeconds(service.pid) - beforeQueries
const seconds = (atMs - service.startedMs) / 1000
const residentMb = service.residentMb()
console.log(JSON.stringify({ rows, segments, seconds, coreSeconds, queryCoreSeconds, residentMb, ...times }))
await service.stop()
rmSync(directory, { recursive: true })

/** Yields the lines of both sources in the chosen order. */
function* inOrder() {
  const lines = ['edge_logs', 'function_edge_logs'].flatMap((source) => {
    const chunks = [...records(source, rows / 2, true, SPAN)].map((chunk) => Buffer.from(chunk))
    return Buffer.concat(chunks).toString().trimEnd().split('\n')
  })
  for (let i = 0; i < lines.length; i++) yield `${lines[(i * stride) % lines.length]}\n`
}

async function runQuery(query) {
  const startMs = performance.now()
  const response = await service.get(`/api/endpoints/query/${query}`)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${query}: the service answered ${response.status}`)
  return performance.now() - startMs
}
