/**
 * What does it cost when rows lie in thousands of small segments? Records of 90 days come in no order, as from shippers that
 * catch up, and a small memory limit makes small heads, of which each becomes a segment for every day in it.
 *
 *   node bench/segments.mjs 500000
 */
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { projectRef } from '../dist/generate/projects.js'
import { records, SEED, write } from './data.mjs'
import { cpuSeconds, median } from './process.mjs'
import { metric, startService } from './service.mjs'

const rows = Number(process.argv[2] ?? 500_000)
const SPAN = { spanUs: 90 * 86_400e6, projects: 50 }
/** As many projects are asked for, each once, so that no answer comes from a cache. */
const PROJECTS = Array.from({ length: 20 }, (_, rank) => projectRef(SEED, rank))
const QUERIES = {
  logsAll: 'logs.all?project_tier=PRO',
  apiCountsDaily: 'usage.api-counts?interval=daily',
  statsByDay: 'functions.invocation-stats?interval=7day',
}
/** Neighbours in the file are far apart in time. */
const STRIDE = 314_159

const directory = mkdtempSync(join(tmpdir(), 'logweir-bench-segments-'))
const path = join(directory, 'lines.ndjson')
await write(path, [inNoOrder()])
const stdin = openSync(path, 'r')
const service = await startService(stdin, ['--data-dir', join(directory, 'data'), '--memory-limit', '64M'])
const { atMs } = await service.said(/standard input ended/)
closeSync(stdin)
const coreSeconds = cpuSeconds(service.pid)
// Heads that are full are still being written.
await setTimeout(2_000)
const segments = await metric(service, 'logweir_segments')
const times = {}
for (const [name, query] of Object.entries(QUERIES)) {
  const tookMs = []
  for (const project of PROJECTS) tookMs.push(await ask(`${query}&project=${project}`))
  times[`${name}Ms`] = median(tookMs)
  times[`${name}WorstMs`] = Math.max(...tookMs)
}
const seconds = (atMs - service.startedMs) / 1000
console.log(JSON.stringify({ rows, segments, seconds, coreSeconds, residentMb: service.residentMb(), ...times }))
await service.stop()
rmSync(directory, { recursive: true })

/** Of both sources that queries are about. */
function* inNoOrder() {
  const lines = ['edge_logs', 'function_edge_logs'].flatMap((source) => {
    const chunks = [...records(source, rows / 2, true, SPAN)].map((chunk) => Buffer.from(chunk))
    return Buffer.concat(chunks).toString().trimEnd().split('\n')
  })
  for (let i = 0; i < lines.length; i++) yield `${lines[(i * STRIDE) % lines.length]}\n`
}

async function ask(query) {
  const startMs = performance.now()
  const response = await service.get(`/api/endpoints/query/${query}`)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${query} is answered with ${response.status}`)
  return performance.now() - startMs
}
