import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { HTTP_LIMITS } from '../../../src/http/query/limits.js'
import { untilVisible, write } from './feed.js'
import { residentBytes } from './memory.js'
import { type Served, serve } from './program.js'
import { type WorstPlan, worstPlansFolder, worstQuery } from './worst-plans.js'

/**
 * The built-in endpoints group by time buckets only, so an answer has at most 301 groups. The query closest to very
 * many groups reads very many distinct values: projects and URLs that RE2 must match, or functions of a single project.
 */

const RETURNS_MS = 30_000
const MOST_OVER = 1.1
/** Four times the memory of a single query. */
const MOST_OF_PLANS_BYTES = 512 * MIB

const edge = (i: number) =>
  `{"source":"edge_logs","project":"project${i}","metadata":` +
  `{"request":{"url":"https://project${i}.example.com/rest/v1","path":"/rest/v1"}}}\n`
const invocation = (i: number) =>
  `{"source":"function_edge_logs","metadata":` +
  `{"project_ref":"many","function_id":"function-${i}","execution_time_ms":${i % 1000}}}\n`

const QUESTIONS = [
  ['usage.api-counts?interval=daily&project=pro.ect%5Cd%2B', 'total_rest_requests'],
  ['functions.invocation-stats?interval=1day&project=many', 'count'],
] as const

/** Returns the sum of a column of the answer, or `refused`. Fails on any other answer. */
async function countOf(service: Served, question: string, column: string): Promise<number | 'refused'> {
  const startMs = performance.now()
  const response = await service.get(`/api/endpoints/query/${question}`, { headers: { 'Cache-Control': 'no-cache' } })
  // biome-ignore lint/suspicious/noExplicitAny: rows are any JSON
  const body = (await response.json()) as any
  const tookMs = performance.now() - startMs
  console.log(`M2 ${column}: ${response.status} in ${Math.round(tookMs)} ms`)
  expect(tookMs).toBeLessThanOrEqual(HTTP_LIMITS.queryMs + 1_000)
  if (response.status === 503) {
    expect([body.code, response.headers.get('retry-after')]).toEqual(['overloaded', expect.stringMatching(/^\d+$/)])
    return 'refused'
  }
  expect(response.status).toBe(200)
  return body.result.reduce((sum: number, row: Record<string, number>) => sum + row[column]!, 0)
}

/** Waits until the memory shrank to `mostBytes`, or for 30 s. Returns the resident bytes then. */
async function settledBytes(service: Served, mostBytes: number): Promise<number> {
  const endMs = performance.now() + RETURNS_MS
  while (residentBytes(service).now > mostBytes && performance.now() < endMs) await wait(100)
  return residentBytes(service).now
}

const FIRST_KEYS = 1_000
/** Plans over columns, and over fields of the metadata. */
const HEAVY_PLANS = { columns: ['keys', 'distincts', 'lists', 'sort'], fields: ['fields', 'texts', 'newest'] } as const

/**
 * Runs plans with `keys` distinct combinations of keys, distinct values, and long lists. Expects an answer in time or a
 * clear refusal, a peak within the limits of a query and its garbage, and afterwards a healthy process and the old
 * memory.
 */
export async function expectPlansBounded(keys: number, over: keyof typeof HEAVY_PLANS): Promise<void> {
  const service = await serve(['--endpoints', worstPlansFolder()])
  // The code of the plans is in memory before the memory is measured.
  await write(service, FIRST_KEYS, edge)
  await untilVisible(service, FIRST_KEYS)
  for (const plan of HEAVY_PLANS[over]) await runHeavy(service, plan)
  await write(service, keys - FIRST_KEYS, edge)
  await untilVisible(service, keys)
  const before = residentBytes(service).now
  for (const plan of HEAVY_PLANS[over]) await runHeavy(service, plan)
  const after = await settledBytes(service, before * MOST_OVER)
  const { peak } = residentBytes(service)
  const inMib = [before, peak, after].map((bytes) => (bytes / MIB).toFixed(0))
  console.log(`M2 plans: memory ${inMib.join(', ')} MiB before, at most, after`)
  expect(peak).toBeLessThanOrEqual(before + MOST_OF_PLANS_BYTES)
  expect(after).toBeLessThanOrEqual(before * MOST_OVER)
  expect((await service.get('/health')).status).toBe(200)
  expect(await service.metric('logweir_queries_running')).toBe(0)
}

async function runHeavy(service: Served, plan: WorstPlan): Promise<void> {
  const startMs = performance.now()
  const response = await service.get(worstQuery(plan))
  const { code = 'rows' } = (await response.json()) as { code?: string }
  const tookMs = performance.now() - startMs
  console.log(`M2 ${plan}: ${response.status} ${code} in ${Math.round(tookMs)} ms`)
  expect(tookMs).toBeLessThanOrEqual(HTTP_LIMITS.queryMs + 1_000)
  expect(`${response.status} ${code}`).toMatch(/^(200 rows|400 too_many_groups|400 too_much_memory|503 overloaded)$/)
}

/**
 * Queries `keys` distinct values. Expects an answer in time or a refusal, and afterwards a healthy process and the old
 * memory.
 */
export async function expectUnmoved(keys: number): Promise<void> {
  const service = await serve()
  await write(service, keys, edge)
  await write(service, keys, invocation)
  await untilVisible(service, keys)
  await untilVisible(service, keys, 'function_edge_logs')
  for (const [question, column] of QUESTIONS) {
    const before = residentBytes(service).now
    expect([keys, 'refused']).toContain(await countOf(service, question, column))
    const { peak } = residentBytes(service)
    const after = await settledBytes(service, before * MOST_OVER)
    const inMib = [before, peak, after].map((bytes) => (bytes / MIB).toFixed(0))
    console.log(`M2 ${column}: memory ${inMib.join(', ')} MiB before, at the answer, after`)
    expect(after).toBeLessThanOrEqual(before * MOST_OVER)
  }
  expect((await service.get('/health')).status).toBe(200)
  expect(await service.metric('logweir_queries_running')).toBe(0)
}
