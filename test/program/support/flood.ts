import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { HTTP_LIMITS } from '../../../src/http/query/limits.js'
import { type Answer, dialAll } from './at-once.js'
import { feedEdges, heavyQuestion, visibleRows } from './feed.js'
import { type Served, serve, until } from './program.js'

const VISIBLE_MS = 1_000
/**
 * The share of rows that may be late: on a busy machine a process may not run in time. If rows starve, all are late.
 */
const MAY_BE_LATE = 0.1
const MARKER = '{"source":"edge_logs","project":"marker","event_message":"marker"}\n'

/** Queries until `rows` rows are visible. Returns when the query that showed the rows was sent. */
async function seenAtMs(service: Served, rows: number): Promise<number> {
  for (;;) {
    const sentMs = performance.now()
    if ((await visibleRows(service)) >= rows) return sentMs
    await wait(10)
  }
}

/**
 * Writes a row, waits until the row is visible, and repeats that. The returned function stops and returns the
 * milliseconds of each row. Excludes the time of the response to a client that shares a core with the server.
 */
function watchIngest(service: Served): () => Promise<number[]> {
  const times: number[] = []
  let isStopped = false
  const watching = (async () => {
    const before = await visibleRows(service)
    while (!isStopped) {
      const startMs = performance.now()
      service.child.stdin!.write(MARKER)
      times.push((await seenAtMs(service, before + times.length + 1)) - startMs)
      await wait(100)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    return times
  }
}

/** Occupies every place for a running query. Resolves when all are occupied, with the promise of their answers. */
async function takeAllPlaces(service: Served): Promise<{ answers: Promise<Answer[]> }> {
  const places = HTTP_LIMITS.queriesAtOnce
  const send = await dialAll(service, places)
  const answers = send(Array.from({ length: places }, (_, i) => heavyQuestion(-1 - i)))
  await until(
    () => service.metric('logweir_queries_running'),
    (running) => running === places,
  )
  return { answers }
}

/**
 * Sends all queries at once, over `rows` rows. Returns their answers, and the delays of rows written at the same
 * time.
 */
export async function flood(rows: number, paths: readonly string[], when: 'idle' | 'busy') {
  const service = await serve()
  await feedEdges(service, rows)
  const stopWatch = watchIngest(service)
  const send = await dialAll(service, paths.length)
  const before = when === 'busy' ? await takeAllPlaces(service) : { answers: [] }
  const answers = (await Promise.all([before.answers, send(paths)])).flat()
  const visibleMs = await stopWatch()
  const markers = await service.rows('logs.all?project=marker')
  return { answers, visibleMs, markers: markers.length, said: service.stderrText() }
}

const longest = (times: readonly number[]) => Math.round(Math.max(...times))

/**
 * Expects each answer to be right or a refusal with Retry-After, none to be late, and rows to become visible all the
 * time.
 */
export function expectCalm({ answers, visibleMs, markers, said }: Awaited<ReturnType<typeof flood>>): void {
  const [served, refused] = [200, 503].map((code) => answers.filter(({ status }) => status === code))
  const tookMs = longest(answers.map((answer) => answer.tookMs))
  console.log(
    `O2: ${served!.length} served, ${refused!.length} refused, the longest ${tookMs} ms; ` +
      `${visibleMs.length} rows visible after at most ${longest(visibleMs)} ms`,
  )
  expect(served!.length + refused!.length).toBe(answers.length)
  for (const { body } of served!) expect(body).toEqual({ result: expect.any(Array) })
  for (const { headers, body } of refused!) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toEqual({ error: expect.stringMatching(/Try again shortly\.$/), code: 'overloaded' })
  }
  expect(tookMs).toBeLessThanOrEqual(HTTP_LIMITS.waitMs + HTTP_LIMITS.queryMs)
  expect(visibleMs.length).toBeGreaterThan(1)
  const late = visibleMs.filter((timeMs) => timeMs > VISIBLE_MS)
  expect(late.length).toBeLessThanOrEqual(Math.ceil(visibleMs.length * MAY_BE_LATE))
  expect(markers).toBe(Math.min(visibleMs.length, 100))
  expect(said).not.toContain('error')
}
