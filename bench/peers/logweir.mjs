/** logweir's engine in process, in memory, as in `bench/query.mjs`, or on disk, as in `bench/fields.mjs`. */
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_FIELD_NAMES } from '../../dist/common/field-names.js'
import { findSource } from '../../dist/common/sources.js'
import { ENDPOINTS } from '../../dist/endpoints/index.js'
import { RawJson, Timestamp } from '../../dist/plan/values/values.js'
import { compileSql } from '../../dist/sql-directory/compile.js'
import { EVENTS, eventSqlOf } from '../bluesky/queries.mjs'
import { appendLines, openDirectory, openEngine } from '../engine.mjs'
import { QUESTIONS } from '../field-questions.mjs'

const CHUNK_BYTES = 256 * 1024

const EVENT_PROJECT = 'bluesky'
/** By source: how lines are read that are no records. An event becomes the metadata of a record, without its time. */
const DEFAULTS = {
  [EVENTS]: {
    source: findSource(EVENTS),
    project: EVENT_PROJECT,
    fieldNames: { ...DEFAULT_FIELD_NAMES, time: ['time_us'] },
  },
}
const EVENT_DIALECT = {
  path: (path) => path,
  eventTime: 'timestamp',
  microseconds: (time) => `unix_micros(${time})`,
  milliseconds: (from, to) => `timestamp_diff(${to}, ${from}, millisecond)`,
}

export async function open({ store, directory, nowUs }) {
  let engine = store === 'memory' ? openEngine() : await openDirectory(directory)
  return {
    pid: process.pid,
    async load(files) {
      for (const [source, file] of Object.entries(files)) {
        await appendLines(engine, createReadStream(file, { highWaterMark: CHUNK_BYTES }), DEFAULTS[source])
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
    compact: () => engine.areCompacted(),
    diskBytes: () => directoryBytes(directory),
    /** Drops the groups and sums that the engine keeps from earlier answers. Fields that were read stay in memory. */
    forget: () => engine.clearPartialCache(),
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

function planOf(call, nowUs, exact) {
  // As `sql=` of `logs.all` compiles it.
  if (call.events !== undefined)
    return compileSql({ sql: eventSqlOf(EVENT_DIALECT, call, exact), project: EVENT_PROJECT }, nowUs)
  const { endpoint, question, params } = call
  if (question !== undefined) return QUESTIONS[question](params.project, nowUs, exact)
  return ENDPOINTS.find(({ name }) => name === endpoint)
    .call(new URLSearchParams(params))
    .plan(nowUs)
}

function directoryBytes(directory) {
  const entries = readdirSync(directory, { recursive: true }).map((name) => statSync(join(directory, name)))
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

/** Returns a row that can be written as JSON: metadata becomes text, a timestamp becomes microseconds. */
function plain(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]))
}

function plainValue(value) {
  if (value instanceof RawJson) return value.text
  return value instanceof Timestamp ? value.us : value
}
