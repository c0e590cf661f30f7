import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/arrow/columns/batch.js'
import { createStore, dayOf, type Store } from '../../../../src/engine/arrow/storage/store.js'
import { SOURCE_NAMES } from '../../../../src/sources.js'
import { toBatch } from '../../../support/batch.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { idsOf } from '../support.js'

const DAY_US = 86_400_000_000
const NEVER = { sealRows: Number.POSITIVE_INFINITY, sealBytes: Number.POSITIVE_INFINITY }

const append = (store: Store, ...records: TestRecord[]) => store.append(toBatch(records[0]!.source, records))
const ids = (batches: readonly Batch[]) => batches.map((batch) => idsOf(batch))
const statsOf = (store: Store, source = 'edge_logs') => store.stats().find((stats) => stats.source === source)!

/** Whether a promise is settled once all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  for (let i = 0; i < 5; i++) await Promise.resolve()
  return settled
}

describe('the rows of a store', () => {
  it('are visible when append returns, before its promise resolves', async () => {
    const store = createStore(NEVER)
    const room = append(store, edge({ id: '0' }), edge({ id: '1' }))
    expect(ids(store.batches('edge_logs'))).toEqual([['0', '1']])
    await room
    expect(store.batches('function_edge_logs')).toEqual([])
  })

  it('stay visible, each once and in order of arrival, while their head is being sealed', async () => {
    const store = createStore({ ...NEVER, sealRows: 2 })
    const appended = ['0', '1', '2', '3', '4'].map((id) => append(store, edge({ id, timestampUs: 10 - Number(id) })))
    expect(ids(store.batches('edge_logs'))).toEqual([['0', '1'], ['2', '3'], ['4']])
    expect(statsOf(store)).toMatchObject({ rows: 5, segments: 0 })
    const seen = new Set<string>()
    while (statsOf(store).segments < 2) {
      seen.add(ids(store.batches('edge_logs')).flat().sort().join())
      await new Promise(setImmediate)
    }
    await Promise.all([...appended, store.settled()])
    expect([...seen]).toEqual(['0,1,2,3,4'])
    expect(ids(store.batches('edge_logs'))).toEqual([['1', '0'], ['3', '2'], ['4']])
    expect(statsOf(store)).toMatchObject({ rows: 5, segments: 2 })
  })

  it('taken once are left alone by appends, sealing and dropping', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    await store.sealAll()
    await append(store, edge({ id: '1' }))
    const taken = store.batches('edge_logs')
    await append(store, edge({ id: '2' }))
    await store.sealAll()
    store.drop(0, 'day')
    expect(ids(taken)).toEqual([['0'], ['1']])
    expect(store.batches('edge_logs')).toEqual([])
  })

  it('of each source are its own', async () => {
    const store = createStore(NEVER)
    for (const source of SOURCE_NAMES) await append(store, { ...edge({ id: source }), source })
    await store.sealAll()
    for (const source of SOURCE_NAMES) expect(ids(store.batches(source))).toEqual([[source]])
  })

  it('of several days become a segment each', async () => {
    const store = createStore(NEVER)
    await append(store, ...[1, 0, 1, -1].map((day) => edge({ id: `${day}`, timestampUs: day * DAY_US })))
    await store.sealAll()
    expect(ids(store.batches('edge_logs'))).toEqual([['-1'], ['0'], ['1', '1']])
    expect([store.oldestDay(), store.newestDay()]).toEqual([-1, 1])
  })

  it('that cannot be appended change nothing', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    await expect(store.append({ ...toBatch('edge_logs', [edge()]), rows: 7 })).rejects.toThrow(TypeError)
    expect(ids(store.batches('edge_logs'))).toEqual([['0']])
  })
})

describe('a head', () => {
  it('is sealed once it is full of rows, and not before', async () => {
    const store = createStore({ ...NEVER, sealRows: 3 })
    await append(store, edge(), edge())
    await store.settled()
    expect(statsOf(store).segments).toBe(0)
    await append(store, edge())
    await store.settled()
    expect(statsOf(store)).toMatchObject({ rows: 3, segments: 1 })
  })

  it('is sealed once it is full of bytes, and not before', async () => {
    // Two bytes of metadata and 32 a row besides.
    const store = createStore({ ...NEVER, sealBytes: 2 * (34 + 100) })
    await append(store, edge({ event_message: 'x'.repeat(100) }))
    await append(store, edge({ event_message: 'x'.repeat(65) }))
    await store.settled()
    expect(statsOf(store).segments).toBe(0)
    await append(store, edge({ event_message: 'x' }))
    await store.settled()
    expect(statsOf(store).segments).toBe(1)
  })

  it('without a row is not sealed', async () => {
    const store = createStore(NEVER)
    await store.sealAll()
    await append(store, edge())
    await store.sealAll()
    await store.sealAll()
    expect(statsOf(store)).toMatchObject({ rows: 1, segments: 1 })
  })
})

describe('those who append', () => {
  it('are held back while more than two heads wait to be sealed', async () => {
    const store = createStore({ ...NEVER, sealRows: 1 })
    const appended = ['0', '1', '2', '3'].map((id) => append(store, edge({ id })))
    expect(await Promise.all(appended.map(isSettled))).toEqual([true, true, false, false])
    await appended[2]
    expect(statsOf(store).segments).toBeGreaterThanOrEqual(1)
    await appended[3]
    expect(statsOf(store).segments).toBeGreaterThanOrEqual(2)
    await store.settled()
    expect(statsOf(store).segments).toBe(4)
    expect(await isSettled(append(store, edge()))).toBe(true)
  })

  it('never have more than two heads wait where they wait in turn', async () => {
    const store = createStore({ ...NEVER, sealRows: 1 })
    for (let i = 1; i <= 30; i++) {
      await append(store, i % 2 === 0 ? edge() : invocation())
      const sealed = statsOf(store).segments + statsOf(store, 'function_edge_logs').segments
      expect(i - sealed).toBeLessThanOrEqual(2)
    }
  })
})

describe('the statistics', () => {
  it('add up what is held, sealed and not', async () => {
    const store = createStore(NEVER)
    const emptyBytes = store.bytes()
    await append(store, ...Array.from({ length: 100 }, (_, i) => edge({ timestampUs: (i % 2) * DAY_US })))
    expect(statsOf(store)).toMatchObject({ rows: 100, segments: 0, hotBytes: 0, coldBytes: 0 })
    await store.sealAll()
    await append(store, edge(), edge())
    const { rows, segments, hotBytes, coldBytes, headBytes } = statsOf(store)
    const sealed = store.batches('edge_logs').slice(0, 2) as unknown as { hotBytes: number; coldBytes: number }[]
    expect([rows, segments]).toEqual([102, 2])
    expect(hotBytes).toBe(sealed[0]!.hotBytes + sealed[1]!.hotBytes)
    expect(coldBytes).toBe(sealed[0]!.coldBytes + sealed[1]!.coldBytes)
    const others = store.stats().filter(({ source }) => source !== 'edge_logs')
    const otherBytes = others.reduce((sum, stats) => sum + stats.hotBytes + stats.coldBytes + stats.headBytes, 0)
    expect(store.bytes()).toBe(hotBytes + coldBytes + headBytes + otherBytes)
    expect(store.bytes()).toBeGreaterThan(emptyBytes)
    store.drop(0, 'day')
    store.drop(1, 'day')
    expect(statsOf(store)).toEqual({ source: 'edge_logs', rows: 2, segments: 0, hotBytes: 0, coldBytes: 0, headBytes })
  })
})

describe('dropping', () => {
  it('takes a day of every source, or the oldest segment of each, and says which', async () => {
    const store = createStore(NEVER)
    for (const id of ['old', 'new']) {
      await append(store, edge({ id }), edge({ id: `${id} later`, timestampUs: DAY_US }))
      await append(store, invocation({ id }))
      await store.sealAll()
    }
    expect(store.drop(0, 'oldest segments')).toEqual([
      { source: 'edge_logs', rows: 1, wholeDay: false },
      { source: 'function_edge_logs', rows: 1, wholeDay: false },
    ])
    expect(ids(store.batches('edge_logs'))).toEqual([['old later'], ['new'], ['new later']])
    expect(store.drop(1, 'day')).toEqual([{ source: 'edge_logs', rows: 2, wholeDay: true }])
    expect(ids(store.batches('edge_logs'))).toEqual([['new']])
    expect(store.drop(7, 'day')).toEqual([])
    expect(store.drop(0, 'oldest segments')).toEqual([
      { source: 'edge_logs', rows: 1, wholeDay: true },
      { source: 'function_edge_logs', rows: 1, wholeDay: true },
    ])
    expect([store.oldestDay(), store.newestDay()]).toEqual([undefined, undefined])
  })

  it('leaves an open head alone', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    expect(store.drop(0, 'day')).toEqual([])
    expect(ids(store.batches('edge_logs'))).toEqual([['0']])
  })
})

it('the day of a moment is counted from the epoch, down', () => {
  expect([0, DAY_US - 1, DAY_US, -1, -DAY_US].map(dayOf)).toEqual([0, 0, 1, -1, -1])
})
