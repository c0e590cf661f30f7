import { UNLIMITED_SHARE } from '../../src/base/memory/memory-budget.js'
import { createMetrics } from '../../src/base/metrics.js'
import { GIB } from '../../src/base/units.js'
import type { UsageQuery } from '../../src/common/usage.js'
import type { Call } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS, endpointsOf } from '../../src/endpoints/index.js'
import type { Engine } from '../../src/engine/engine.js'
import { type ArrowEngine, type ArrowEngineOptions, createArrowEngine } from '../../src/engine/store/engine.js'
import type { Row } from '../../src/plan/answer.js'
import { RawJson } from '../../src/plan/values/values.js'
import type { Params, PlainRow } from '../oracle/oracle.js'
import { toBatch } from './batch.js'
import { createFakeClock } from './clock.js'
import { GROUP_ENDPOINTS } from './groups.js'
import type { TestRecord } from './records.js'
import { createTestSealer } from './sealer.js'

/** So few that tests with some rows have slices. */
const SLICE_ROWS = 8

/** Opens an embedded engine with defaults for every option that a test does not give. */
export function openEngine(options: Partial<ArrowEngineOptions> = {}): ArrowEngine {
  return createArrowEngine({
    clock: createFakeClock(),
    metrics: createMetrics(),
    rowsLimitBytes: GIB,
    sliceRows: SLICE_ROWS,
    sealer: createTestSealer(),
    ...options,
  })
}

/** Appends records in their order, in batches of at most `batchRows`. A batch ends where the source changes. */
export async function appendAll(
  engine: Engine,
  records: readonly TestRecord[],
  batchRows = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let start = 0; start < records.length; ) {
    const { source } = records[start]!
    let end = start + 1
    while (end < records.length && end - start < batchRows && records[end]!.source === source) end += 1
    await engine.append(toBatch(source, records.slice(start, end)))
    start = end
  }
}

/** Calls an endpoint the way the service does, and reads the whole answer. */
export async function ask(engine: Engine, endpoint: string, params: Params, nowUs: number): Promise<PlainRow[]> {
  const read = await askLater(engine, endpoint, params, nowUs)
  return read()
}

/** The stored queries that `--supabase` changes, with a prefix to the name. */
export const SUPABASE_ENDPOINTS = endpointsOf({ supabase: true })
  .filter((endpoint) => !ENDPOINTS.includes(endpoint))
  .map((endpoint) => ({ ...endpoint, name: `supabase: ${endpoint.name}` }))

const ALL = [...ENDPOINTS, ...SUPABASE_ENDPOINTS, ...GROUP_ENDPOINTS]

/** Calls an endpoint. Returns a function that reads the answer. */
export async function askLater(engine: Engine, endpoint: string, params: Params, nowUs: number) {
  const { call } = ALL.find(({ name }) => name === endpoint)!
  const answer = await answerOf(engine, call(new URLSearchParams(params)), nowUs)
  return () => readAll(answer)
}

/** Runs a call, and computes the rows of the answer if the call has a computation. */
async function answerOf(
  { run, columnPaths, ...engine }: Pick<Engine, 'run' | 'columnPaths' | 'usage'>,
  call: Call,
  nowUs: number,
): Promise<AsyncIterable<Row>> {
  const plan = call.plan(nowUs)
  const rows = await run(plan)
  const { signal } = new AbortController()
  const usage = (query: UsageQuery) => engine.usage(query, { signal, memory: UNLIMITED_SHARE })
  return call.computation?.rows(rows, signal, { plan, run, columnPaths, usage }) ?? rows
}

/** Like {@link ask}, for a caller with a token bound to the project in the parameters. */
export async function askBound(engine: Engine, endpoint: string, params: Params, nowUs: number): Promise<PlainRow[]> {
  const { callBound } = ALL.find(({ name }) => name === endpoint)!
  return readAll(await answerOf(engine, callBound(new URLSearchParams(params)), nowUs))
}

/** The rows of an answer, JSON texts as plain data. */
export async function readAll(answer: AsyncIterable<Row>): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  for await (const row of answer) rows.push(plain(row))
  return rows
}

function plain(row: Row): PlainRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof RawJson ? { json: value.text } : value]),
  )
}
