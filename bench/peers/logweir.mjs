/** logweir's engine in process, in memory, as in `bench/query.mjs`, or on disk, as in `bench/fields.mjs`. */
import { createReadStream } from 'node:fs'
import { ENDPOINTS } from '../../dist/endpoints/index.js'
import { RawJson, Timestamp } from '../../dist/plan/values/values.js'
import { appendLines, openDirectory, openEngine } from '../engine.mjs'
import { QUESTIONS } from '../field-questions.mjs'

const CHUNK_BYTES = 256 * 1024

export async function open({ store, directory, nowUs }) {
  let engine = store === 'memory' ? openEngine() : await openDirectory(directory)
  return {
    pid: process.pid,
    async load(files) {
      for (const file of Object.values(files)) {
        await appendLines(engine, createReadStream(file, { highWaterMark: CHUNK_BYTES }))
      }
      return performance.now() / 1000
    },
    async count(source) {
      return engine.stats().find((stats) => stats.source === source).rows
    },
    async settle() {
      await engine.seal()
      if (store !== 'memory') await engine.haveAllColumns()
    },
    async reopen() {
      await engine.close()
      engine = await openDirectory(directory)
    },
    async answer(call, exact) {
      const rows = []
      for await (const row of await engine.run(planOf(call, nowUs, exact))) rows.push(row)
      return rows
    },
    plain,
    close: () => engine.close(),
  }
}

function planOf({ endpoint, question, params }, nowUs, exact) {
  if (question !== undefined) return QUESTIONS[question](params.project, nowUs, exact)
  return ENDPOINTS.find(({ name }) => name === endpoint)
    .call(new URLSearchParams(params))
    .plan(nowUs)
}

/** Returns a row that can be written as JSON: metadata becomes text, a timestamp becomes microseconds. */
function plain(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]))
}

function plainValue(value) {
  if (value instanceof RawJson) return value.text
  return value instanceof Timestamp ? value.us : value
}
