import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { HTTP_LIMITS } from '../../../src/http/query/limits.js'
import { untilVisible, write } from './feed.js'
import { residentBytes } from './memory.js'
import { type Served, serve } from './program.js'

/**
 * Our endpoints group by buckets of time and nothing else: an answer has 301 groups at most, whoever asks. The nearest to
 * a query of very many groups is one that meets very many distinct values: of as many projects and URLs, each to be
 * asked of RE2, or of as many functions of one project.
 */

const RETURNS_MS = 30_000
const MOST_OVER = 1.1

const edge = (i: number) =>
  `{"source":"edge_logs","project":"project${i}","metadata":{"request":{"url":"https://project${i}.example.com/rest/v1","path":"/rest/v1"}}}\n`
const invocation = (i: number) =>
  `{"source":"function_edge_logs","metadata":{"project_ref":"many","function_id":"function-${i}","execution_time_ms":${i % 1000}}}\n`

const QUESTIONS = [
  ['usage.api-counts?interval=daily&project=pro.ect%5Cd%2B', 'total_rest_requests'],
  ['functions.invocation-stats?interval=1day&project=many', 'count'],
] as const

/** The answer's rows counted together, or `refused`; nothing else will do. */
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

/** Waits until the memory is back, or its time is over; gives what it is then. */
async function settledBytes(service: Served, mostBytes: number): Promise<number> {
  const endMs = performance.now() + RETURNS_MS
  while (residentBytes(service).now > mostBytes && performance.now() < endMs) await wait(100)
  return residentBytes(service).now
}

/** Asks about so many distinct values: answered in time or refused, and neither the process nor its memory is the worse for it. */
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
