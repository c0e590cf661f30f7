/**
 * Measures questions about fields of the metadata and about messages, over full edge records of a week on disk, for a
 * project with 10 % of them. In process, so that only the engine is timed. `first`: on an engine that has just opened
 * the directory, in a process that has run the question before; `later`: the same question again, without cached
 * groups but with the fields in memory.
 *
 *   node bench/fields.mjs 1000000
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../dist/base/clock.js'
import { raiseHeapGrowth } from '../dist/base/heap.js'
import { createMetrics } from '../dist/base/metrics.js'
import { createArrowEngine } from '../dist/engine/arrow/engine.js'
import { createSealingThread } from '../dist/engine/arrow/storage/sealing/thread.js'
import { openDataDirectory } from '../dist/engine/disk/directory/open.js'
import { PROJECTS, records } from './data.mjs'
import { appendLines } from './engine.mjs'
import { QUESTIONS } from './field-questions.mjs'
import { median } from './process.mjs'

const [rowsText = '1000000', given] = process.argv.slice(2)
const RUNS = 7

raiseHeapGrowth()
const endUs = Date.now() * 1000
const directory = given ?? mkdtempSync(join(tmpdir(), 'logweir-bench-fields-'))

/** Opens the directory in a new engine. */
async function open() {
  const disk = await openDataDirectory(directory)
  const sealer = createSealingThread(() => {})
  const engine = createArrowEngine({ clock: systemClock, metrics: createMetrics(), rowsLimitBytes: 4e9, sealer, disk })
  await engine.recover()
  return engine
}

/** Returns the milliseconds until the last row of a plan was read, and its rows. */
async function run(engine, plan) {
  const startMs = performance.now()
  const rows = []
  for await (const row of await engine.run(plan)) rows.push(row)
  return { ms: performance.now() - startMs, rows: rows.length }
}

const filled = await open()
if (filled.stats().every(({ rows }) => rows === 0)) {
  await appendLines(filled, records('edge_logs', Number(rowsText), false, { endUs }))
  await filled.seal()
}
await filled.close()

const questions = []
for (const [name, planOf] of Object.entries(QUESTIONS)) {
  const plan = planOf(PROJECTS.top, endUs)
  const first = []
  const later = []
  let rows = 0
  for (let i = 0; i < RUNS; i++) {
    const engine = await open()
    const answer = await run(engine, plan)
    rows = answer.rows
    first.push(answer.ms)
    for (let j = 0; j < RUNS; j++) {
      engine.clearPartialCache()
      later.push((await run(engine, plan)).ms)
    }
    await engine.close()
  }
  questions.push({ name, rows, firstMs: median(first.slice(2)), laterMs: median(later.slice(RUNS)) })
}
console.log(JSON.stringify({ questions }))
if (given === undefined) rmSync(directory, { recursive: true })
