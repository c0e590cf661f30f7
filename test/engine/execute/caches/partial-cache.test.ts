import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import { createPartialCache, extendKey, Key } from '../../../../src/engine/execute/caches/partial-cache.js'
import type { Part } from '../../../../src/engine/execute/columns/batch.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'
import { cachedBytes } from '../../store/support.js'

const part = { isSealed: true, rows: 1, minUs: 0, maxUs: 0 } as Part
const other = { ...part }
const value = { n: 1 }

async function cacheOf(limitBytes: number) {
  const metrics = createMetrics()
  const recalls = async () =>
    Object.fromEntries(
      (await metrics.engineCacheLookups.get()).values.map(({ labels, value }) => [labels.outcome, value]),
    )
  return {
    partialCache: createPartialCache(limitBytes, cacheMetrics(metrics, 'partials')),
    recalls,
    bytes: () => cachedBytes(metrics, 'partials'),
  }
}

describe('what is kept of sealed parts', () => {
  it('is had again by part and key', async () => {
    const { partialCache, recalls } = await cacheOf(10_000)
    expect(partialCache.get(part, 'k')).toBeUndefined()
    partialCache.put(part, 'k', value, 100)
    expect(partialCache.get(part, 'k')).toBe(value)
    expect(partialCache.get(part, 'l')).toBeUndefined()
    expect(partialCache.get(other, 'k')).toBeUndefined()
    expect(await recalls()).toEqual({ hit: 1, miss: 3 })
  })

  it('is replaced', async () => {
    const { partialCache } = await cacheOf(10_000)
    partialCache.put(part, 'k', value, 100)
    const bytes = partialCache.bytes()
    partialCache.put(part, 'k', { n: 2 }, 200)
    expect([partialCache.get(part, 'k'), partialCache.bytes()]).toEqual([{ n: 2 }, bytes + 100])
  })

  it('takes no more bytes than it may: what was not asked for the longest goes', async () => {
    const { partialCache, bytes } = await cacheOf(10_000)
    for (const key of ['a', 'b', 'c']) partialCache.put(part, key, value, 2_000)
    partialCache.get(part, 'a')
    for (const key of ['d', 'e']) partialCache.put(part, key, value, 2_000)
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => partialCache.get(part, key) !== undefined)).toEqual([
      'a',
      'c',
      'd',
      'e',
    ])
    expect(partialCache.bytes()).toBeLessThanOrEqual(10_000)
    expect(await bytes()).toBe(partialCache.bytes())
    partialCache.put(part, 'b', value, 10)
    expect(partialCache.get(part, 'b')).toBe(value)
  })

  it('is nothing that would take more than all of it', async () => {
    const { partialCache } = await cacheOf(10_000)
    partialCache.put(part, 'a', value, 20)
    partialCache.put(part, 'k', value, 20_000)
    expect([partialCache.get(part, 'a'), partialCache.get(part, 'k')]).toEqual([value, undefined])
    const none = createPartialCache(0, cacheMetrics(createMetrics(), 'partials'))
    none.put(part, 'k', value, 0)
    expect([none.get(part, 'k'), none.bytes()]).toEqual([undefined, 0])
  })

  it('has a key that equal values have in common alone, and that is short however long they are', () => {
    const predicates = [{ test: 'matches', column: 'url', pattern: 'x'.repeat(5_000) }]
    const keyOf = (...values: readonly unknown[]) => new Key(() => values).hash
    const key = keyOf(predicates, 'day')
    expect(key).toHaveLength(43)
    expect(keyOf(structuredClone(predicates), 'day')).toBe(key)
    for (const other of [keyOf(predicates, 'hour'), keyOf(predicates), keyOf([...predicates, 'day'])]) {
      expect(other).not.toBe(key)
    }
  })

  it('has a key for each operator behind another, made only if it is read', () => {
    let made = 0
    const before = new Key(() => ++made)
    const filtered = extendKey(() => ['filter', ++made])
    const grouped = extendKey(() => ['group'])
    const key = filtered(before)
    expect([filtered(before) === key, made]).toEqual([true, 0])
    const hashes = [before, key, grouped(before), grouped(key), filtered(new Key(() => 'other'))].map(
      ({ hash }) => hash,
    )
    expect(new Set(hashes).size).toBe(5)
    expect([key.hash, made]).toEqual([hashes[1], 3])
  })

  it('has keys that grow with the operators, however many are behind each other', () => {
    const [one, other] = ['"', '\\'].map((text) => {
      const operator = extendKey(() => ['unnest', text])
      return Array.from({ length: 200 }).reduce<Key>(operator, new Key(() => 'rows'))
    })
    expect(one!.text.length).toBeLessThan(200 * 20)
    expect(one!.hash).not.toBe(other!.hash)
    expect(new Key(() => ['a', 'b']).text).not.toBe(new Key(() => 'b', new Key(() => 'a')).text)
  })

  it('goes with its part', async () => {
    const { partialCache, bytes } = await cacheOf(10_000)
    for (const key of ['a', 'b']) partialCache.put(part, key, value, 100)
    const ofOnePart = partialCache.bytes()
    for (const key of ['a', 'b']) partialCache.put(other, key, value, 100)
    partialCache.drop([part])
    expect(['a', 'b'].map((key) => partialCache.get(part, key))).toEqual([undefined, undefined])
    expect(['a', 'b'].map((key) => partialCache.get(other, key))).toEqual([value, value])
    expect([partialCache.bytes(), await bytes()]).toEqual([ofOnePart, ofOnePart])
    partialCache.put(part, 'late', value, 100)
    expect([partialCache.get(part, 'late'), partialCache.bytes()]).toEqual([undefined, ofOnePart])
    partialCache.clear()
    expect([partialCache.bytes(), await bytes(), partialCache.get(other, 'a')]).toEqual([0, 0, undefined])
  })
})
