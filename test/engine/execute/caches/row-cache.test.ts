import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import { createRowCache } from '../../../../src/engine/execute/caches/row-cache.js'
import type { ColdRow, OpenCold } from '../../../../src/engine/execute/columns/batch.js'
import { cacheMetrics } from '../../../../src/engine/execute/fields/cache-metrics.js'

const METRICS = cacheMetrics(createMetrics(), 'rows')

/** Opens readers of rows with texts that name the row. Counts the rows that are read. */
function countedRows(isOnDisk = false, filler = '') {
  const reads: number[] = []
  const open: OpenCold = (columns = ['id', 'event_message', 'metadata']) => {
    const text = (name: keyof ColdRow, row: number) =>
      Buffer.from(columns.includes(name) ? `${name} ${row}${filler}` : '')
    return (row) => {
      reads.push(row)
      const found = { id: text('id', row), event_message: text('event_message', row), metadata: text('metadata', row) }
      return isOnDisk ? Promise.resolve(found) : found
    }
  }
  return { open, reads }
}

const shown = ({ id, event_message, metadata }: ColdRow) => [`${id}`, `${event_message}`, `${metadata}`]

describe('the cache of rows of answers', () => {
  it.each([false, true])('reads a row of a part once; on disk: %s', async (isOnDisk) => {
    const cache = createRowCache(1e6, METRICS)
    const { open, reads } = countedRows(isOnDisk)
    const [one, other] = [{}, {}]
    for (const owner of [one, one, other, other]) {
      const read = cache.cachedReader(owner, open)()
      for (const row of [7, 8, 7]) {
        expect(shown(await read(row))).toEqual([`id ${row}`, `event_message ${row}`, `metadata ${row}`])
      }
    }
    expect(reads).toEqual([7, 8, 7, 8])
    expect(cache.bytes()).toBeGreaterThan(4 * 'id 7event_message 7metadata 7'.length)
  })

  it('reads a row again for a column that it has not', async () => {
    const cache = createRowCache(1e6, METRICS)
    const { open, reads } = countedRows()
    const read = (...columns: (keyof ColdRow)[]) => cache.cachedReader(reads, open)(columns)(3)
    expect(`${(await read('id')).id}`).toBe('id 3')
    expect(`${(await read('id', 'metadata')).metadata}`).toBe('metadata 3')
    expect(`${(await read('metadata')).metadata}`).toBe('metadata 3')
    expect(`${(await read('event_message')).event_message}`).toBe('event_message 3')
    expect(reads).toEqual([3, 3, 3])
  })

  it('keeps copies, not more bytes than its limit, and no long row', async () => {
    const cache = createRowCache(10_000, METRICS)
    const source = Buffer.from('abc')
    const row = { id: source, event_message: source, metadata: source }
    await cache.cachedReader(row, () => () => row)()(0)
    source.fill('x')
    expect(shown(await cache.cachedReader(row, () => () => row)()(0))).toEqual(['abc', 'abc', 'abc'])
    const { open } = countedRows(false, 'y'.repeat(500))
    for (let i = 0; i < 20; i++) await cache.cachedReader({}, open)()(i)
    expect(cache.bytes()).toBeLessThanOrEqual(10_000)
    expect(cache.bytes()).toBeGreaterThan(7_000)
    const large = createRowCache(1e9, METRICS)
    await large.cachedReader({}, countedRows(false, 'y'.repeat(30_000)).open)()(0)
    expect(large.bytes()).toBe(0)
  })
})
