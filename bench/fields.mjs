/**
 * Measures questions about fields of the metadata and about messages, over full edge records of a week on disk, for a
 * project with 10 % of the records. In process, so that only the engine is timed. `first`: on an engine that has just
 * opened the directory, in a process that has run the question before. `later`: the same question again. `regrouped`:
 * again, without the cached groups.
 *
 *   node bench/fields.mjs 1000000
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECTS, records } from './data.mjs'
import { appendLines, openDirectory } from './engine.mjs'
import { QUESTIONS } from './field-questions.mjs'
import { median } from './process.mjs'

const [rowsText = '1000000', given] = process.argv.slice(2)
const RUNS = 7

const endUs = Date.now() * 1000
const directory = given ?? mkdtempSync(join(tmpdir(), 'logweir-bench-fields-'))

/** Returns the milliseconds until the last row of a plan was read, and the number of rows. */
async function run(engine, plan) {
  const startMs = performance.now()
  const rows = []
  for await (const row of await engine.run(plan)) rows.push(row)
  return { ms: performance.now() - startMs, rows: rows.length }
}

const filled = await openDirectory(directory)
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
  const regrouped = []
  let rows = 0
  for (let i = 0; i < RUNS; i++) {
    const engine = await openDirectory(directory)
    const answer = await run(engine, plan)
    rows = answer.rows
    first.push(answer.ms)
    for (let j = 0; j < RUNS; j++) later.push((await run(engine, plan)).ms)
    for (let j = 0; j < RUNS; j++) {
      engine.clearPartialCache()
      regrouped.push((await run(engine, plan)).ms)
    }
    await engine.close()
  }
  const [firstMs, laterMs, regroupedMs] = [first.slice(2), later.slice(RUNS), regrouped.slice(RUNS)].map(median)
  questions.push({ name, rows, firstMs, laterMs, regroupedMs })
}
console.log(JSON.stringify({ questions }))
if (given === undefined) rmSync(directory, { recursive: true })
