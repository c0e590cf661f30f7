import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { BAD_PATTERNS } from '../cases/bad-patterns.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { bestMs, PATTERN_MS, randomNonsense, subjectOf } from '../support/patterns.js'
import { mulberry32 } from '../support/random.js'
import { edge } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { API_COUNTS, createTestApp } from './support.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
/** A few seconds on a busy machine. */
const PATIENCE_MS = 60_000
const seed = testSeed()

/** An engine with one row, a request of this URL. */
async function engineWith(url: string): Promise<ArrowEngine> {
  const engine = openEngine({ clock: createFakeClock(NOW_US) })
  await appendAll(engine, [edge({ timestampUs: NOW_US, metadata: { request: { url, path: '/rest' } } })])
  return engine
}

/** Sends a query that bypasses the cache. */
async function answerOf(engine: ArrowEngine, pattern: string): Promise<{ status: number; body: { code?: string } }> {
  const { app, get } = createTestApp({ engine, clock: createFakeClock(NOW_US) })
  const query = new URLSearchParams({ project: pattern, interval: 'minutely' })
  const response = await get(`${API_COUNTS}?${query}`, { headers: { 'Cache-Control': 'no-cache' } })
  const body = (await response.json()) as { code?: string }
  app.close()
  return { status: response.status, body }
}

describe('S1: patterns of callers', () => {
  it(
    `S1: a hundred known bad ones are answered within ${PATTERN_MS} ms each over a URL of 100 KiB`,
    async () => {
      for (const bad of BAD_PATTERNS) {
        const engine = await engineWith(subjectOf(bad))
        let status: number | undefined
        const ms = await bestMs(async () => {
          status = (await answerOf(engine, bad.pattern)).status
        })
        expect([bad.pattern, status]).toEqual([bad.pattern, 200])
        expect(ms, bad.pattern).toBeLessThanOrEqual(PATTERN_MS)
        await engine.close()
      }
    },
    PATIENCE_MS,
  )

  describe('that may be none', () => {
    let engine: ArrowEngine
    beforeAll(async () => {
      engine = await engineWith('https://a.co/rest')
    })
    afterAll(() => engine.close())

    const REFUSED = [
      '(',
      '(?=a)',
      '(?<!a)b',
      '(a)\\1',
      'a{1001}',
      '(a{1000}){1000}',
      '\\u0041',
      '[[:nope:]]',
      'a'.repeat(1001),
    ]
    it.each(
      REFUSED.map((pattern) => ({ begin: pattern.slice(0, 20), pattern })),
    )('S1: $begin is answered with 400 and the reason', async ({ pattern }) => {
      expect(await answerOf(engine, pattern)).toEqual({
        status: 400,
        body: { error: expect.stringMatching(/^The pattern is not valid RE2: .+\.$/s), code: 'invalid_pattern' },
      })
    })

    it(
      `S1: nonsense is answered with 200 or 400, never 500, seed ${seed}`,
      async () => {
        const random = mulberry32(seed)
        const counts = new Map<number, number>()
        for (let i = 0; i < 200; i++) {
          const pattern = randomNonsense(random)
          const { status, body } = await answerOf(engine, pattern)
          const code = pattern === '' ? 'missing_parameter' : 'invalid_pattern'
          expect([200, 400], JSON.stringify(pattern)).toContain(status)
          if (status === 400) expect([pattern, body.code]).toEqual([pattern, code])
          counts.set(status, (counts.get(status) ?? 0) + 1)
        }
        expect(Math.min(counts.get(200)!, counts.get(400)!)).toBeGreaterThan(20)
      },
      PATIENCE_MS,
    )
  })
})
