/**
 * Runs a task on an engine and prints a line of JSON. The command line is the same for every engine:
 *
 *   node bench/peers/child.mjs duckdb query --store memory --rows 100000 --threads 1 --now 1795000000000000 \
 *     --directory /tmp/empty --file edge_logs=/tmp/edge.ndjson
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EVENT_CALLS } from '../bluesky/queries.mjs'
import { cpuSeconds, peakMb, residentMb } from '../process.mjs'
import { callsOf, fieldCallsOf } from './questions.mjs'

const TASKS = { answers, query, fieldAnswers: answers, fields, ingest, memory, loadEvents, askEvents }
const SETTLED_AFTER_MS = 20_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'memory' },
    directory: { type: 'string' },
    rows: { type: 'string' },
    threads: { type: 'string', default: '1' },
    now: { type: 'string' },
    asks: { type: 'string', default: '8' },
    file: { type: 'string', multiple: true, default: [] },
    ask: { type: 'string' },
  },
})
const [name, task] = positionals
const files = Object.fromEntries(values.file.map((text) => text.split('=')))
const sources = Object.keys(files)
const isOfFields = task.startsWith('field')
const calls = isOfFields ? fieldCallsOf(['top']) : callsOf(sources, ['top', 'small'])
const warmCalls = callsOf(sources, ['warm'])
/** Warm-up before the measurement, at most these runs and milliseconds per query: the JIT compiler needs as many. */
const WARM = { runs: 30, ms: 500 }
/** Engines per question about fields. */
const ROUNDS = { warm: 2, measured: 3 }

const { open } = await import(`./${name}.mjs`)
const { store, directory } = values
const engine = await open({ store, directory, threads: Number(values.threads), nowUs: Number(values.now) })
const loadSeconds = await engine.load(files)
await expectRows(Number(values.rows))
const result = await TASKS[task]()
console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)))
await engine.close()

/** Throws if the engine does not return `rows` rows per source: the bench would be invalid. */
async function expectRows(rows) {
  for (const source of sources) {
    const seen = await engine.count(source)
    if (seen !== rows) throw new Error(`${name}: ${seen} rows of ${source} are visible, not ${rows}`)
  }
}

/**
 * Runs each query once and returns the rows to compare: with exact percentiles if the engine has any, and in an order
 * without ties.
 */
async function answers() {
  await engine.settle()
  const results = []
  for (const call of calls) results.push({ question: call.name, size: call.size, rows: await plainRows(call) })
  return results
}

async function plainRows(call) {
  const rows = await engine.answer(call, true)
  return rows.map((row) => engine.plain?.(row) ?? row)
}

/** Runs each query several times. The first run is reported separately. The warm-up uses another project. */
async function query() {
  await engine.settle()
  for (const call of warmCalls) await warm(call)
  const times = []
  for (const call of calls) times.push(await timed(call))
  return { loadSeconds, queries: times }
}

/**
 * Runs each question about fields several times on each of several engines that have just opened the same directory, in
 * turn. The first engines warm up the process. The engines share no caches.
 */
async function fields() {
  await engine.settle()
  const times = []
  for (const call of calls) {
    const rounds = []
    for (let round = 0; round < ROUNDS.warm + ROUNDS.measured; round++) {
      await engine.reopen()
      rounds.push(await timed(call))
    }
    const measured = rounds.slice(ROUNDS.warm)
    const [firstMs, laterMs] = ['firstMs', 'laterMs'].map((name) => measured.flatMap((times) => times[name]))
    times.push({ ...rounds[0], firstMs, laterMs })
  }
  return { loadSeconds, queries: times }
}

async function warm(call) {
  const startMs = performance.now()
  for (let run = 0; run < WARM.runs && performance.now() - startMs < WARM.ms; run++) await engine.answer(call, false)
}

async function timed(call) {
  const timesMs = []
  let answered = 0
  for (let run = 0; run < Number(values.asks); run++) {
    if (call.events !== undefined) engine.forget?.()
    const startMs = performance.now()
    const rows = await engine.answer(call, false)
    timesMs.push(performance.now() - startMs)
    answered = rows.length
  }
  const [firstMs, ...laterMs] = timesMs
  return { question: call.name, size: call.size, answered, firstMs, laterMs }
}

/** Returns the seconds from the start of the process until all rows are visible, and the peak memory by then. */
async function ingest() {
  return { seconds: loadSeconds, peakMb: peakMb(engine.pid) }
}

/** Returns the resident memory after each query ran once and the process was idle for some seconds. */
async function memory() {
  for (const call of calls) await engine.answer(call, false)
  await setTimeout(SETTLED_AFTER_MS)
  return { residentMb: residentMb(engine.pid), peakMb: peakMb(engine.pid) }
}

/** Returns the time, CPU time and disk space of loading, merging and compressing events. They stay in the directory. */
async function loadEvents() {
  await engine.settle()
  await engine.compact?.()
  return { loadSeconds, cpuSeconds: cpuSeconds(engine.pid), diskMb: (await engine.diskBytes()) / 1e6 }
}

/** Asks a query of the events in the directory several times, the first time in this process, and for comparison. */
async function askEvents() {
  const call = EVENT_CALLS.find(({ name }) => name === values.ask)
  return { ...(await timed(call)), rows: await plainRows(call) }
}
