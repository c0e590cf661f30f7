import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { type LogsPage, openLogsPage } from '../../support/supabase/studio-page.js'
import { type Ask, createStudioServer, type StudioServer } from '../../support/supabase/studio-server.js'
import type { TableName } from '../../support/supabase/studio-tables.js'
import { vectorEvents } from '../../support/supabase/vector-events.js'
import { residentBytes } from './memory.js'
import { type Served, temporaryFolder } from './program.js'
import { PRIVATE, PUBLIC, serveSupabase } from './studio-stack.js'
import { shipToSinks } from './vector-sinks.js'

const EVENTS_PER_SECOND = 200
const SECOND_MS = 1_000
const PAGE_MS = 3_600_000
const MOST_BYTES = 300e6
/** Five open pages. */
const TABLES: readonly TableName[] = ['edge_logs', 'postgres_logs', 'auth_logs', 'storage_logs', 'realtime_logs']

export interface StackOptions {
  forMs: number
  /** The interval at which a page counts new rows and draws the chart: a minute in Studio. */
  refreshMs: number
}

/**
 * Runs a self-hosted Supabase's stack: seven sinks that send 200 events a second together, and five open pages of
 * Studio. Expects that nothing fails, that each event is stored, and that memory stays within the limit. Resolves to
 * the milliseconds of each query.
 */
export async function runStack({ forMs, refreshMs }: StackOptions): Promise<number[]> {
  const seed = testSeed()
  console.log(`stack seed ${seed}`)
  const args = ['--data-dir', temporaryFolder(), '--memory-limit', '256M']
  const service = await serveSupabase(args, { environment: { LOGWEIR_IN_MEMORY: '0' } })
  const times: number[] = []
  const studio = createStudioServer(measured(service.url, times), PRIVATE)
  const endMs = performance.now() + forMs
  const [sent] = await Promise.all([
    send(service.url, mulberry32(seed), endMs),
    ...TABLES.map((table, i) => watch(studio, table, { endMs, refreshMs, firstMs: (i * refreshMs) / TABLES.length })),
  ])
  times.sort((a, b) => a - b)
  const { peak } = residentBytes(service)
  console.log(
    `stack: ${sent} events; ${times.length} queries, p50 ${quantile(times, 0.5)}, p95 ${quantile(times, 0.95)}, ` +
      `worst ${times.at(-1)} ms; peak ${Math.round(peak / 1e6)} MB`,
  )
  expect(await storedRows(service)).toBe(sent)
  expect(service.stderrText().trimEnd().split('\n')).toEqual([expect.stringContaining('listening on ')])
  expect(peak).toBeLessThanOrEqual(MOST_BYTES)
  return times
}

/** Returns the value below which a share of sorted values lies. */
export const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)]!

/** Sends requests, and notes the whole milliseconds until each answer was read. */
function measured(url: string, times: number[]): Ask {
  return async (path, headers) => {
    const startMs = performance.now()
    const response = await fetch(url + path, { headers })
    const body = await response.arrayBuffer()
    times.push(Math.round(performance.now() - startMs))
    return new Response(body, response)
  }
}

/**
 * Sends the events of each second when the second is over. Returns the number of events. Expects that each batch is
 * accepted.
 */
async function send(url: string, random: Random, endMs: number): Promise<number> {
  const batches: ReturnType<typeof shipToSinks>[] = []
  let sent = 0
  while (performance.now() < endMs) {
    const span = { count: EVENTS_PER_SECOND, fromMs: Date.now() - SECOND_MS, stepMs: SECOND_MS / EVENTS_PER_SECOND }
    batches.push(shipToSinks(url, vectorEvents(random, { ...span, first: sent }), { token: PUBLIC }))
    sent += EVENTS_PER_SECOND
    await wait(SECOND_MS)
  }
  for (const { statuses, dropped } of await Promise.all(batches))
    expect([Object.keys(statuses), dropped]).toEqual([['200'], 0])
  return sent
}

interface Watching {
  endMs: number
  refreshMs: number
  /** When the page is opened. */
  firstMs: number
}

/**
 * Opens a page, and refreshes the page until the end. Expects that the page counts new rows, and that the chart never
 * shrinks.
 */
async function watch(studio: StudioServer, table: TableName, { endMs, refreshMs, firstMs }: Watching): Promise<void> {
  await wait(firstMs)
  let drawn = 0
  let counted = 0
  while (performance.now() + refreshMs < endMs) {
    const openedMs = Date.now()
    const page = openLogsPage(studio, { table, ...lastHour(openedMs) })
    expect((await page.open()).error).toBe(undefined)
    drawn = await drawnEvents(page, drawn)
    await wait(refreshMs)
    counted += await page.newCount(new Date(openedMs).toISOString())
  }
  expect(drawn).toBeGreaterThan(0)
  expect(counted).toBeGreaterThan(0)
}

/** Draws the chart. Returns the number of events in the chart. Expects at least `before` events. */
async function drawnEvents(page: LogsPage, before: number): Promise<number> {
  const points = await page.chart()
  const drawn = points.reduce(
    (sum, { ok_count, warning_count, error_count }) => sum + ok_count + warning_count + error_count,
    0,
  )
  expect(drawn).toBeGreaterThanOrEqual(before)
  return drawn
}

const lastHour = (nowMs: number) => ({
  start: new Date(nowMs - PAGE_MS).toISOString(),
  end: new Date(nowMs).toISOString(),
})

async function storedRows({ url }: Served): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'x-api-key': PRIVATE } })).text()
  const counts = [...text.matchAll(/^logweir_rows\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}
