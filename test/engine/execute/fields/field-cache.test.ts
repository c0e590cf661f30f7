import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'
import { createFieldCache } from '../../../../src/engine/execute/fields/field-cache.js'
import { createFakeClock } from '../../../support/clock.js'

async function metricOf(metrics: ReturnType<typeof createMetrics>, name: string, label?: string): Promise<number> {
  const { values } = await metrics.registry.getSingleMetric(`logweir_${name}`)!.get()
  return values.filter(({ labels }) => label === undefined || Object.values(labels).includes(label))[0]?.value ?? 0
}

const valueAt = (keys: readonly string[]) => ({ keys, isCount: false })

describe('the cache of fields', () => {
  it('has one column for each part and path, whatever the keys contain', () => {
    const cache = createFieldCache(1e6, cacheMetrics(createMetrics(), 'fields'), createFakeClock())
    const [part, other] = [{}, {}]
    const column = cache.columnOf(part, valueAt(['a', 'b']), 10)
    expect(cache.columnOf(part, valueAt(['a', 'b']), 10)).toBe(column)
    for (const [owner, keys] of [
      [part, ['a.b']],
      [part, ['a","b']],
      [part, ['__proto__']],
      [other, ['a', 'b']],
    ] as const) {
      expect(cache.columnOf(owner, valueAt(keys), 10)).not.toBe(column)
    }
  })

  it('makes room for the rows that a head has received since', () => {
    const cache = createFieldCache(1e6, cacheMetrics(createMetrics(), 'fields'), createFakeClock())
    const head = {}
    cache.columnOf(head, valueAt(['a']), 10).setNone(3)
    const column = cache.columnOf(head, valueAt(['a']), 1_000)
    column.setNone(999)
    expect([column.isRead(3), column.isRead(999), column.isRead(500)]).toEqual([true, true, false])
  })

  it('evicts the least recently used column, and counts bytes and lookups', async () => {
    const metrics = createMetrics()
    const cache = createFieldCache(10_000, cacheMetrics(metrics, 'fields'), createFakeClock())
    const part = {}
    const rows = 1_000
    const first = cache.columnOf(part, valueAt(['1']), rows)
    const second = cache.columnOf(part, valueAt(['2']), rows)
    cache.columnOf(part, valueAt(['1']), rows)
    cache.columnOf(part, valueAt(['3']), rows)
    expect(cache.columnOf(part, valueAt(['1']), rows)).toBe(first)
    expect(cache.columnOf(part, valueAt(['2']), rows)).not.toBe(second)
    expect(cache.bytes()).toBeLessThanOrEqual(10_000)
    expect(await metricOf(metrics, 'engine_cache_lookups_total', 'hit')).toBe(2)
    expect(await metricOf(metrics, 'engine_cache_lookups_total', 'miss')).toBe(4)
    cache.resize(first)
    expect(await metricOf(metrics, 'engine_cached_bytes', 'fields')).toBe(cache.bytes())
  })

  it('counts a column again that has grown, and evicts it if it is too large', () => {
    const cache = createFieldCache(20_000, cacheMetrics(createMetrics(), 'fields'), createFakeClock())
    const part = {}
    const column = cache.columnOf(part, valueAt(['a']), 10)
    const before = cache.bytes()
    for (let row = 0; row < 10; row++) {
      const bytes = Buffer.from(`"${row}${'x'.repeat(150)}`)
      column.set(row, bytes, 0, bytes.length)
    }
    expect(cache.bytes()).toBe(before)
    cache.resize(column)
    expect(cache.bytes()).toBeGreaterThan(before)
    column.reserve(100_000)
    cache.resize(column)
    expect(cache.bytes()).toBe(0)
    expect(cache.columnOf(part, valueAt(['a']), 10)).not.toBe(column)
  })

  it('removes columns of many distinct values some seconds after their last use, and no others', () => {
    const clock = createFakeClock()
    const cache = createFieldCache(1e9, cacheMetrics(createMetrics(), 'fields'), clock)
    const part = {}
    const columnOf = (key: string, values: number) => {
      const column = cache.columnOf(part, valueAt([key]), values)
      for (let row = 0; row < values && !column.isRead(row); row++) {
        const bytes = Buffer.from(`"${row} ${'x'.repeat(100)}`)
        column.set(row, bytes, 0, bytes.length)
      }
      cache.resize(column)
      return column
    }
    const large = columnOf('large', 20_000)
    const small = columnOf('small', 20)
    clock.advance(9_000)
    cache.dropIdle()
    expect(columnOf('large', 20_000)).toBe(large)
    clock.advance(9_000)
    cache.dropIdle()
    expect(columnOf('large', 20_000)).toBe(large)
    clock.advance(11_000)
    cache.dropIdle()
    expect(cache.bytes()).toBeLessThan(10_000)
    expect([columnOf('large', 20_000) === large, columnOf('small', 20) === small]).toEqual([false, true])
  })

  it('removes the columns of deleted parts', () => {
    const cache = createFieldCache(1e6, cacheMetrics(createMetrics(), 'fields'), createFakeClock())
    const part = {}
    const column = cache.columnOf(part, valueAt(['a']), 10)
    cache.drop([part, {}])
    expect(cache.bytes()).toBe(0)
    cache.resize(column)
    expect(cache.bytes()).toBe(0)
    expect(cache.columnOf(part, valueAt(['a']), 10)).not.toBe(column)
  })
})
