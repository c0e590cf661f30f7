import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { type CacheJob, createCache } from '../../../src/http/query/cache.js'
import { createEncodedForms } from '../../../src/http/query/encoded-forms.js'
import { CLOCK_JUMPS_US, createFakeClock } from '../../support/clock.js'

const POLICY = { ttlS: 900, warmS: 300 }
const job = (key: string): CacheJob => ({ endpoint: ENDPOINTS[1]!, policy: POLICY, call: { key, plan: () => [] } })
const limits = { cacheEntries: 8, cacheBytes: 20_000, cacheEntryBytes: 4_000 }

function setup(changed: Partial<typeof limits> = {}) {
  const clock = createFakeClock()
  const metrics = createMetrics()
  const cache = createCache({ ...limits, ...changed }, clock, metrics)
  const put = (key: string, bytes = 1, asked: 'now' | 'before' = 'now') =>
    cache.put(job(key), { forms: createEncodedForms(new Uint8Array(bytes), []), atMs: clock.monotonicMs() }, asked)
  const held = async () => ({
    entries: (await metrics.cacheEntries.get()).values[0]!.value,
    bytes: (await metrics.cacheBytes.get()).values[0]!.value,
  })
  return { clock, cache, put, held }
}

const keysOf = (entries: { job: CacheJob }[]) => entries.map((entry) => entry.job.call.key)

describe('C3: bounds', () => {
  test('hold at every step, whatever the sizes of keys and answers', async () => {
    const step = fc.record({ key: fc.integer({ min: 1, max: 900 }), body: fc.integer({ min: 0, max: 6_000 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { put, cache, held } = setup()
        for (const { key, body } of steps) {
          const name = `${key}`.padEnd(key, 'x')
          const kept = put(name, body)
          const { entries, bytes } = await held()
          expect(entries).toBeLessThanOrEqual(limits.cacheEntries)
          expect(bytes).toBeLessThanOrEqual(limits.cacheBytes)
          expect(bytes).toBeGreaterThanOrEqual(kept ? body + 4 * name.length : 0)
          expect(kept).toBe(body + 4 * name.length + 512 <= limits.cacheEntryBytes)
          expect(cache.get(name) !== undefined).toBe(kept)
        }
      }),
    )
  })

  test('the least recently used goes first', () => {
    const { put, cache } = setup({ cacheEntries: 3 })
    for (const key of ['a', 'b', 'c']) put(key)
    cache.get('a')
    put('d')
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd'])
  })
})

test('an entry lives 900 s from the moment of its answer', () => {
  const { put, cache, clock } = setup()
  put('a')
  clock.advance(899_999)
  expect(cache.get('a')).toBeDefined()
  clock.advance(1)
  expect(cache.get('a')).toBeUndefined()
})

test.each(
  CLOCK_JUMPS_US,
)('K1: an entry lives 900 s, and is due after 300 s, whatever the clock jumps meanwhile: %i µs', (jumpUs) => {
  const { put, cache, clock } = setup()
  const jump = () => clock.setNowUs(clock.nowUs() + jumpUs)
  put('a')
  clock.advance(299_999)
  jump()
  expect(keysOf(cache.due())).toEqual([])
  clock.advance(1)
  jump()
  expect(keysOf(cache.due())).toEqual(['a'])
  clock.advance(599_999)
  jump()
  expect(cache.get('a')).toBeDefined()
  clock.advance(1)
  expect(cache.get('a')).toBeUndefined()
})

test('a later answer is not replaced by one that began before it', () => {
  const { cache, clock } = setup()
  const answer = (byte: number, atMs: number) =>
    cache.put(job('a'), { forms: createEncodedForms(Uint8Array.of(byte), []), atMs }, 'now')
  clock.advance(10_000)
  answer(2, 10_000)
  expect(answer(1, 4_000)).toBe(true)
  expect(cache.get('a')!.forms.json.plain).toEqual(new Uint8Array([2]))
})

describe('what is due', () => {
  test('after 300 s, the oldest first', () => {
    const { put, cache, clock } = setup()
    put('a')
    clock.advance(1_000)
    put('b')
    clock.advance(298_999)
    expect(keysOf(cache.due())).toEqual([])
    clock.advance(1)
    expect(keysOf(cache.due())).toEqual(['a'])
    clock.advance(1_000)
    expect(keysOf(cache.due())).toEqual(['a', 'b'])
  })

  test('an entry that is computed anew in the background is not thereby asked for', () => {
    const { put, cache, clock } = setup()
    put('a')
    for (let i = 0; i < 2; i++) {
      clock.advance(300_000)
      put('a', 1, 'before')
    }
    clock.advance(299_999)
    expect(cache.get('a')).toBeDefined()
    clock.advance(300_001)
    put('a', 1, 'before')
    expect(keysOf(cache.due())).toEqual([])
    clock.advance(599_999)
    expect(cache.due()).toEqual([])
    expect(cache.get('a')).toBeUndefined()
  })

  test('an entry that was last asked for 900 s ago is forgotten', async () => {
    const { put, cache, clock, held } = setup()
    put('a')
    clock.advance(300_000)
    put('b')
    clock.advance(600_000)
    expect(keysOf(cache.due())).toEqual(['b'])
    expect((await held()).entries).toBe(1)
  })
})
