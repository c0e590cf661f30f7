import { beforeEach, describe, expect, it } from 'vitest'
import { createMetrics, type Metrics } from '../../../../src/base/metrics.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { dropBeyondDisk, dropBeyondMemory, enforceRetention } from '../../../../src/engine/store/tables/retention.js'
import { createStore, type Store } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { createFakeClock } from '../../../support/clock.js'
import { openEngine } from '../../../support/engine.js'
import { createModelFiles } from '../../../support/model-files.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { uniform } from '../../execute/accumulators/distributions.js'
import { openPersistence, rowOf } from '../persistence/open-persistence.js'
import { viewOf } from '../support.js'

const DAY_US = 86_400_000_000
const MINUTE_MS = 60_000
const RETENTION_US = 90 * DAY_US

/** Appends and seals rows of one day, about 1 KiB each. */
async function addDay(store: Store, day: number, rows = 20, source: SourceName = 'edge_logs') {
  const next = uniform(day)
  const noise = () => Array.from({ length: 100 }, () => next().toString(36)).join('')
  const records = Array.from({ length: rows }, (): TestRecord => {
    return { ...edge({ timestampUs: day * DAY_US, event_message: noise() }), source }
  })
  await store.append(toBatch(source, records))
  await store.sealAll()
}

function batchesOf(store: Store, source: SourceName = 'edge_logs') {
  const { batches, release } = viewOf(store, source)
  release()
  return batches
}

const daysOf = (store: Store, source: SourceName = 'edge_logs') =>
  batchesOf(store, source).map(({ minUs }) => Math.floor(minUs / DAY_US))

/** Returns the counters of a source and a limit. */
async function evicted(metrics: Metrics, limit: 'retention' | 'memory' | 'disk', source: SourceName = 'edge_logs') {
  const read = async (counter: Metrics['evictedRows']) => {
    const { values } = await counter.get()
    return values.find(({ labels }) => labels.limit === limit && labels.source === source)?.value ?? 0
  }
  return { rows: await read(metrics.evictedRows), partitions: await read(metrics.evictedPartitions) }
}

let store: Store
let metrics: Metrics

beforeEach(() => {
  store = createStore({ sealer: createTestSealer(), sealRows: 1e6, sealBytes: 1e9 })
  metrics = createMetrics()
})

describe('the retention', () => {
  const enforceAt = (nowUs: number) => enforceRetention(store, nowUs, RETENTION_US, metrics)

  it('drops a day once the whole of it lies before the retention', async () => {
    await addDay(store, 10, 3)
    await addDay(store, 11)
    enforceAt(101 * DAY_US - 1)
    expect(daysOf(store)).toEqual([10, 11])
    enforceAt(101 * DAY_US)
    expect(daysOf(store)).toEqual([11])
    expect(await evicted(metrics, 'retention')).toEqual({ rows: 3, partitions: 1 })
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 0, partitions: 0 })
  })

  it('drops one day a call, the oldest, of every source', async () => {
    for (const day of [2, 0, 1]) await addDay(store, day)
    await addDay(store, 0, 5, 'auth_logs')
    const far = 1000 * DAY_US
    const left = [0, 1, 2, 3].map(() => {
      enforceAt(far)
      return [daysOf(store), daysOf(store, 'auth_logs')]
    })
    expect(left).toEqual([
      [[2, 1], []],
      [[2], []],
      [[], []],
      [[], []],
    ])
    expect(await evicted(metrics, 'retention', 'auth_logs')).toEqual({ rows: 5, partitions: 1 })
    expect(await evicted(metrics, 'retention')).toEqual({ rows: 60, partitions: 3 })
  })

  it('K1: keeps everything when the clock has jumped back', async () => {
    await addDay(store, 200)
    enforceAt(0)
    enforceAt(-1000 * DAY_US)
    expect(daysOf(store)).toEqual([200])
  })

  it('I7: is not moved by a row of the far future', async () => {
    await addDay(store, 100)
    await addDay(store, 5000)
    enforceAt(101 * DAY_US)
    expect(daysOf(store)).toEqual([100, 5000])
  })

  it('K1: runs in an engine once a minute: a clock that jumped ahead costs one day a minute', async () => {
    const clock = createFakeClock(10 * DAY_US)
    const engine = openEngine({ clock, metrics, retentionUs: 2 * DAY_US })
    for (const day of [5, 6, 7, 10]) await engine.append(toBatch('edge_logs', [edge({ timestampUs: day * DAY_US })]))
    await engine.seal()
    const rowsLeft = () => engine.stats().find(({ source }) => source === 'edge_logs')!.rows
    clock.setNowUs(100 * DAY_US)
    expect(rowsLeft()).toBe(4)
    clock.advance(MINUTE_MS)
    expect(rowsLeft()).toBe(3)
    clock.setNowUs(10 * DAY_US)
    clock.advance(MINUTE_MS * 10)
    expect(rowsLeft()).toBe(1)
    await engine.close()
    expect(clock.timers).toBe(0)
  })

  const HOUR_US = DAY_US / 24
  const [TODAY, OLD_DAYS, NEW_DAYS] = [100, [85, 86, 87], [91, 92, 95, 99, 100]]

  it.each([
    ['jumps an hour ahead', [HOUR_US]],
    ['jumps an hour back', [-HOUR_US]],
    ['jumps a day ahead', [DAY_US]],
    ['jumps a day back', [-DAY_US]],
    ['jumps 10 s back', [-10e6]],
    ['stands still', Array(5).fill(-MINUTE_MS * 1000)],
    ['jumps a day ahead and back, again and again', [DAY_US, -DAY_US, DAY_US, -DAY_US]],
  ])('K1: loses no row of its time, and drops a day a minute at most, where the clock %s', async (_, jumpsUs) => {
    const clock = createFakeClock((TODAY + 0.5) * DAY_US)
    const engine = openEngine({ clock, metrics, retentionUs: 10 * DAY_US })
    for (const day of [...OLD_DAYS, ...NEW_DAYS]) {
      await engine.append(toBatch('edge_logs', [edge({ timestampUs: day * DAY_US })]))
    }
    await engine.seal()
    const timers = clock.timers
    const held = () => engine.stats().find(({ source }) => source === 'edge_logs')!.rows
    let before = held()
    for (let minute = 0; minute < 6; minute++) {
      clock.setNowUs(clock.nowUs() + (jumpsUs[minute] ?? 0))
      expect(held()).toBe(before)
      clock.advance(MINUTE_MS)
      expect(before - held()).toBeLessThanOrEqual(1)
      before = held()
    }
    expect(held()).toBe(NEW_DAYS.length)
    expect(await evicted(metrics, 'retention')).toEqual({ rows: OLD_DAYS.length, partitions: OLD_DAYS.length })
    expect(clock.timers).toBe(timers)
    await engine.close()
  })
})

describe('the memory limit', () => {
  const sealedBytes = () => store.stats().reduce((sum, { hotBytes, coldBytes }) => sum + hotBytes + coldBytes, 0)

  /** Returns the bytes of a day's segment. */
  async function sizeOfDay(day: number) {
    const before = sealedBytes()
    await addDay(store, day)
    return sealedBytes() - before
  }

  it('M1: drops the oldest rows, of every source, until what is left fits', async () => {
    const sizes = []
    for (const day of [3, 1, 2]) sizes.push(await sizeOfDay(day))
    await addDay(store, 1, 7, 'auth_logs')
    store.trim('all')
    const total = store.bytes()
    dropBeyondMemory(store, total, metrics)
    expect(daysOf(store)).toEqual([3, 1, 2])
    dropBeyondMemory(store, total - 1, metrics)
    expect([daysOf(store), daysOf(store, 'auth_logs')]).toEqual([[3, 2], []])
    dropBeyondMemory(store, store.bytes() - sizes[2]! + 1, metrics)
    expect(daysOf(store)).toEqual([3])
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 40, partitions: 2 })
    expect(await evicted(metrics, 'memory', 'auth_logs')).toEqual({ rows: 7, partitions: 1 })
    expect(await evicted(metrics, 'retention')).toEqual({ rows: 0, partitions: 0 })
  })

  it('drops of a day its oldest segments first, and no more than must go', async () => {
    for (const rows of [1, 2, 3, 4]) await addDay(store, 9, rows)
    store.trim('all')
    const newest = batchesOf(store).slice(2) as unknown as { hotBytes: number; coldBytes: number }[]
    const fits =
      store.bytes() - sealedBytes() + newest.reduce((sum, { hotBytes, coldBytes }) => sum + hotBytes + coldBytes, 0)
    dropBeyondMemory(store, fits, metrics)
    expect(batchesOf(store).map(({ rows }) => rows)).toEqual([3, 4])
    expect((await evicted(metrics, 'memory')).rows).toBe(3)
  })

  it('I7: drops no more of a day because of a row that is dated later', async () => {
    for (const rows of [1, 2, 3]) await addDay(store, 9, rows)
    await addDay(store, 10, 1)
    store.trim('all')
    dropBeyondMemory(store, store.bytes() - 1, metrics)
    expect(batchesOf(store).map(({ rows }) => rows)).toEqual([2, 3, 1])
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 1, partitions: 0 })
  })

  it('counts a day as dropped once its last segment is', async () => {
    for (const rows of [1, 2, 3]) await addDay(store, 9, rows)
    store.trim('all')
    dropBeyondMemory(store, store.bytes() - 1, metrics)
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 1, partitions: 0 })
    dropBeyondMemory(store, 0, metrics)
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 6, partitions: 1 })
  })

  it('lets memory that waits for the next head go before any row', async () => {
    await addDay(store, 9)
    const withSpare = store.bytes()
    dropBeyondMemory(store, withSpare - 1, metrics)
    expect([batchesOf(store).length, store.bytes() < withSpare]).toEqual([1, true])
    expect(await evicted(metrics, 'memory')).toEqual({ rows: 0, partitions: 0 })
  })

  it('leaves open heads alone, and ends where nothing sealed is left', async () => {
    await addDay(store, 1)
    await store.append(toBatch('edge_logs', [edge({ timestampUs: DAY_US })]))
    dropBeyondMemory(store, 0, metrics)
    expect(batchesOf(store).map(({ rows }) => rows)).toEqual([1])
  })

  it('M1: holds in an engine that takes ten times as much', async () => {
    const rowsLimitBytes = 2_400_000
    const engine = openEngine({ rowsLimitBytes, metrics, sealRows: 4 })
    const next = uniform(1)
    let greatest = 0
    for (let i = 0; i < 900; i++) {
      const event_message = Array.from({ length: 2600 }, () => next().toString(36).slice(2)).join('')
      await engine.append(toBatch('edge_logs', [edge({ timestampUs: (i >> 5) * DAY_US, event_message })]))
      const held = engine.stats().reduce((sum, stats) => sum + stats.hotBytes + stats.coldBytes + stats.headBytes, 0)
      greatest = Math.max(greatest, held)
    }
    expect(greatest).toBeLessThan(rowsLimitBytes * 1.25)
    const { rows } = engine.stats().find(({ source }) => source === 'edge_logs')!
    expect((await evicted(metrics, 'memory')).rows).toBe(900 - rows)
    expect(rows).toBeGreaterThan(20)
    await engine.close()
  })
})

describe('the disk limit', () => {
  it('drops the oldest rows, of every source, until the files that are left fit', async () => {
    const files = createModelFiles()
    const opened = await openPersistence(files)
    const bytes = () => opened.persistence.bytes()
    const records = [
      edge({ timestampUs: 3 * DAY_US }),
      invocation({ timestampUs: DAY_US }),
      edge({ timestampUs: DAY_US }),
    ]
    for (const record of records) await opened.append(record)
    await opened.store.sealAll()
    const sealed = bytes()
    await opened.append(edge({ timestampUs: DAY_US, event_message: 'open' }))
    const drop = (limitBytes: number) => dropBeyondDisk(opened.store, bytes, limitBytes, metrics)
    expect(bytes() - sealed).toBe(files.peek('journal/edge_logs-00000002.log')!.length)
    drop(bytes())
    expect(await opened.rows()).toHaveLength(4)
    drop(bytes() - 1)
    expect(await evicted(metrics, 'disk')).toEqual({ rows: 1, partitions: 1 })
    expect(await evicted(metrics, 'disk', 'function_edge_logs')).toEqual({ rows: 1, partitions: 1 })
    expect(await opened.rows()).toEqual([rowOf(records[0]!), rowOf(edge({ event_message: 'open' }))].sort())
    drop(0)
    expect(await opened.rows()).toHaveLength(1)
    await opened.close()
    const next = await openPersistence(files.restart())
    expect([await next.rows().then((rows) => rows.length), next.damages]).toEqual([1, []])
    await next.close()
  })
})
