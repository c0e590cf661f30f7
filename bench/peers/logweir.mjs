/** logweir's engine in process, in memory, as in `bench/query.mjs`. */
import { createReadStream } from 'node:fs'
import { ENDPOINTS } from '../../dist/endpoints/index.js'
import { RawJson } from '../../dist/plan/values/values.js'
import { appendLines, openEngine } from '../engine.mjs'

const CHUNK_BYTES = 256 * 1024

export async function open({ nowUs }) {
  const engine = openEngine()
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
    settle: () => engine.seal(),
    async answer({ endpoint, params }) {
      const plan = ENDPOINTS.find(({ name }) => name === endpoint)
        .call(new URLSearchParams(params))
        .plan(nowUs)
      const rows = []
      for await (const row of await engine.run(plan)) rows.push(row)
      return rows
    },
    plain,
    close: () => engine.close(),
  }
}

/** Returns a row that can be written as JSON: metadata becomes text. */
function plain(row) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof RawJson ? value.text : value]),
  )
}
