/**
 * Runs the embedded engine in this process: fills the engine with slim records through the real parser and runs
 * endpoint plans.
 */

import { setTimeout } from 'node:timers/promises'
import { createMetrics } from '../dist/base/metrics.js'
import { raiseHeapGrowth } from '../dist/base/process/heap.js'
import { systemClock } from '../dist/base/time/clock.js'
import { ENDPOINTS } from '../dist/endpoints/index.js'
import { openDataDirectory } from '../dist/engine/disk/directory/open.js'
import { createArrowEngine } from '../dist/engine/store/engine.js'
import { createSealingThread } from '../dist/engine/store/sealing/thread.js'
import { createParser } from '../dist/ingest/stream/parse.js'
import { records } from './data.mjs'

const DAY_US = 86_400e6

/** Returns an empty engine, with the heap settings of the service. */
export function openEngine() {
  raiseHeapGrowth()
  const sealer = createSealingThread(() => {})
  const engine = createArrowEngine({ clock: systemClock, metrics: createMetrics(), rowsLimitBytes: 64e9, sealer })
  return {
    ...engine,
    /** Seals all heads, then ends the sealing thread, which would keep the process alive. */
    async seal() {
      await engine.seal()
      await sealer.close()
    },
  }
}

/**
 * Opens a data directory in a new engine, with the heap settings of the service. Closing the engine releases the
 * directory.
 */
export async function openDirectory(directory) {
  raiseHeapGrowth()
  const disk = await openDataDirectory(directory)
  const sealer = createSealingThread(() => {})
  const metrics = createMetrics()
  const engine = createArrowEngine({ clock: systemClock, metrics, rowsLimitBytes: 4e9, sealer, disk })
  await engine.recover()
  return {
    ...engine,
    haveAllColumns: () => isDone(metrics, ['path_columns']),
    areCompacted: () => isDone(metrics, ['path_columns', 'compaction']),
  }
}

/** How long the process is watched, and the CPU time that it may use during that time if it works on no segment. */
const WATCHED_MS = 2_500
const QUIET_US = 100_000

/**
 * Resolves when each segment has had these works, which the engine does from ten seconds after the last rows on. Each
 * second the engine tells how many segments wait, without the one in work, for which the CPU time is read.
 */
async function isDone({ waitingSegments }, works) {
  for (;;) {
    const before = process.cpuUsage()
    await setTimeout(WATCHED_MS)
    const { user, system } = process.cpuUsage(before)
    const { values } = await waitingSegments.get()
    const isOver = (work) => values.find(({ labels }) => labels.work === work)?.value === 0
    if (works.every(isOver) && user + system < QUIET_US) return
  }
}

/**
 * Parses lines with the real parser and appends the batches. `defaults` has the source, project and field names of
 * lines that are no records. Throws if a line is rejected.
 */
export async function appendLines(engine, chunks, defaults = {}) {
  const batches = []
  const sink = {
    batch: (batch) => batches.push(batch),
    reject: (_line, reason) => {
      throw new Error(reason)
    },
  }
  const parser = createParser({ retentionUs: 90 * DAY_US, defaults }, sink)
  const append = async () => {
    for (const batch of batches.splice(0)) await engine.append(batch)
  }
  for await (const chunk of chunks) {
    parser.push(chunk, systemClock.nowUs())
    await append()
  }
  parser.end(systemClock.nowUs())
  await append()
}

/** Returns an engine with `rows` slim records of a source, all sealed. */
export async function openFilled(source, rows, projects) {
  const engine = openEngine()
  await appendLines(engine, records(source, rows, true, { projects }))
  await engine.seal()
  return engine
}

/** Returns the storage figures of a source: rows, segments, bytes per row, and the resident memory of this process. */
export function storageFigures(engine, source) {
  const { rows, segments, hotBytes, coldBytes } = engine.stats().find((stats) => stats.source === source)
  return {
    rows,
    segments,
    hotBytesPerRow: hotBytes / (rows || 1),
    coldBytesPerRow: coldBytes / (rows || 1),
    residentMb: Math.round(process.memoryUsage().rss / 1e6),
  }
}

/** Runs an endpoint's plan. Returns the milliseconds until the last row was read, and the number of rows. */
export async function runQuery(engine, name, params, nowUs) {
  const endpoint = ENDPOINTS.find((candidate) => candidate.name === name)
  const startMs = performance.now()
  let rows = 0
  for await (const _row of await engine.run(endpoint.call(new URLSearchParams(params)).plan(nowUs))) rows++
  return { ms: performance.now() - startMs, rows }
}

/** Uncounted runs of a query before the measurement, until the JIT has compiled all code of the query. */
const WARM_RUNS = 30

/**
 * Measures a query in milliseconds. `firstMs`: the first run. `computedMs`: after the warm-up, runs without the partial
 * cache. `refreshedMs`: runs with the partial cache, each a second later in query time, as when a cached answer is
 * refreshed. `answered`: rows of the first run.
 */
export async function measure(engine, name, params, { computed = 7, refreshed = 15 } = {}) {
  const nowUs = systemClock.nowUs()
  const first = await runQuery(engine, name, params, nowUs)
  for (let run = 0; run < WARM_RUNS; run++) {
    engine.clearPartialCache()
    await runQuery(engine, name, params, nowUs)
  }
  const computedMs = []
  for (let run = 0; run < computed; run++) {
    engine.clearPartialCache()
    computedMs.push((await runQuery(engine, name, params, nowUs)).ms)
  }
  const refreshedMs = []
  for (let run = 1; run <= refreshed; run++)
    refreshedMs.push((await runQuery(engine, name, params, nowUs + run * 1e6)).ms)
  return { answered: first.rows, firstMs: first.ms, computedMs, refreshedMs }
}
