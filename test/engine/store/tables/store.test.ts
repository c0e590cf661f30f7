import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import type { SourceName } from '../../../../src/common/sources.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { createMemoryPersistence, type HeadPersistence } from '../../../../src/engine/store/persistence/persistence.js'
import { type CancellationFlag, effortOf } from '../../../../src/engine/store/sealing/cancellation.js'
import { memoryHandle } from '../../../../src/engine/store/segment/handle.js'
import { dayOf } from '../../../../src/engine/store/segment/segment.js'
import { createStore, type Store } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { eventually } from '../../../support/eventually.js'
import { createGate } from '../../../support/gate.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { atOnce, idsOf, viewOf } from '../support.js'

const DAY_US = 86_400_000_000
const MIB = 2 ** 20
/** Options of a store that seals no head by itself. Each use has a new sealer. */
const NEVER = {
  sealRows: Number.POSITIVE_INFINITY,
  sealBytes: Number.POSITIVE_INFINITY,
  get sealer() {
    return createTestSealer()
  },
}

const append = (store: Store, ...records: TestRecord[]) => store.append(toBatch(records[0]!.source, records))
const ids = (batches: readonly Batch[]) => batches.map((batch) => idsOf(batch))
/** Returns the ids in a store now, part by part. */
function idsIn(store: Store, source: SourceName = 'edge_logs'): string[][] {
  const { batches, release } = viewOf(store, source)
  const found = ids(batches)
  release()
  return found
}

const statsOf = (store: Store, source = 'edge_logs') => store.stats().find((stats) => stats.source === source)!

/** Resolves when that many edge rows are visible. */
async function untilVisible(store: Store, rows: number) {
  while (statsOf(store).rows < rows) await Promise.resolve()
}

/** Returns whether a promise is settled after all ready tasks have run. */
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
  it('are visible when append has resolved', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }), edge({ id: '1' }))
    expect(idsIn(store)).toEqual([['0', '1']])
    expect(idsIn(store, 'function_edge_logs')).toEqual([])
  })

  it('stay visible, each once and in order of arrival, while their head is being sealed', async () => {
    const store = createStore({ ...NEVER, sealRows: 2 })
    const appended = ['0', '1', '2', '3', '4'].map((id) => append(store, edge({ id, timestampUs: 10 - Number(id) })))
    await untilVisible(store, 5)
    const seen = new Set<string>()
    while (statsOf(store).segments < 2) {
      seen.add(idsIn(store).flat().sort().join())
      await new Promise(setImmediate)
    }
    await Promise.all([...appended, store.settled()])
    expect([...seen]).toEqual(['0,1,2,3,4'])
    expect(idsIn(store)).toEqual([['1', '0'], ['3', '2'], ['4']])
    expect(statsOf(store)).toMatchObject({ rows: 5, segments: 2 })
  })

  it('taken once are left alone by appends, sealing and dropping', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    await store.sealAll()
    await append(store, edge({ id: '1' }))
    const taken = viewOf(store, 'edge_logs')
    await append(store, edge({ id: '2' }))
    await store.sealAll()
    store.drop(0, 'day')
    expect(ids(taken.batches)).toEqual([['0'], ['1']])
    expect(idsIn(store)).toEqual([])
    taken.release()
  })

  it('are shown as far as their parts have some of a range of time', async () => {
    const store = createStore(NEVER)
    for (const timestampUs of [10, 20, 30]) {
      await append(
        store,
        edge({ id: `${timestampUs}`, timestampUs }),
        edge({ id: 'next', timestampUs: timestampUs + 5 }),
      )
      await store.sealAll()
    }
    await append(store, edge({ id: 'open', timestampUs: 40 }))
    const shownIn = (fromUs: number, throughUs: number) => {
      const { parts, total, release } = store.view('edge_logs', { fromUs, throughUs })
      release()
      return { times: parts.map(({ minUs }) => minUs), total }
    }
    expect(shownIn(0, 100)).toEqual({ times: [10, 20, 30, 40], total: 4 })
    expect(shownIn(15, 20)).toEqual({ times: [10, 20], total: 4 })
    expect(shownIn(26, 39)).toEqual({ times: [30], total: 4 })
    expect(shownIn(40, 40)).toEqual({ times: [40], total: 4 })
    expect(shownIn(41, 100)).toEqual({ times: [], total: 4 })
  })

  it('of each source are its own', async () => {
    const store = createStore(NEVER)
    for (const source of NINE_AND_OWN) await append(store, { ...edge({ id: source }), source })
    await store.sealAll()
    for (const source of NINE_AND_OWN) expect(idsIn(store, source)).toEqual([[source]])
  })

  it('of several days become a segment each', async () => {
    const store = createStore(NEVER)
    await append(store, ...[1, 0, 1, -1].map((day) => edge({ id: `${day}`, timestampUs: day * DAY_US })))
    await store.sealAll()
    expect(idsIn(store)).toEqual([['-1'], ['0'], ['1', '1']])
    expect(store.oldestDay()).toBe(-1)
  })

  it('that cannot be appended change nothing', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    await expect(store.append({ ...toBatch('edge_logs', [edge()]), rows: 7 })).rejects.toThrow(TypeError)
    expect(idsIn(store)).toEqual([['0']])
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
    // In addition to the message, two bytes of metadata and 32 per row.
    const store = createStore({ ...NEVER, sealBytes: 2 * (34 + 100) })
    await append(store, edge({ event_message: 'x'.repeat(100) }))
    await append(store, edge({ event_message: 'x'.repeat(65) }))
    await store.settled()
    expect(statsOf(store).segments).toBe(0)
    await append(store, edge({ event_message: 'x' }))
    await store.settled()
    expect(statsOf(store).segments).toBe(1)
  })

  it('is sealed while the one before it is written, and written behind it', async () => {
    const here = createTestSealer()
    const did: string[] = []
    const gate = createGate()
    const kept = (number: number): HeadPersistence => ({
      ...createMemoryPersistence().openHead('edge_logs'),
      async write(segments) {
        did.push(`write ${number}`)
        await gate.opened
        return segments.map(memoryHandle)
      },
      commit: async () => void did.push(`commit ${number}`),
    })
    let heads = 0
    const store = createStore({
      ...NEVER,
      sealRows: 1,
      persistence: { ...createMemoryPersistence(), openHead: () => kept(++heads) },
      sealer: {
        ...here,
        seal(head) {
          did.push(`seal ${head.minUs}`)
          return here.seal(head)
        },
      },
    })
    const appended = [1, 2].map((timestampUs) => append(store, edge({ timestampUs })))
    await eventually(() => expect(did).toContain('seal 2'))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(did).toEqual(['seal 1', 'write 1', 'seal 2'])
    gate.open()
    await Promise.all([...appended, store.settled()])
    expect(did.slice(3)).toEqual(['commit 1', 'write 2', 'commit 2'])
    expect(statsOf(store).segments).toBe(2)
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

describe('a head is sealed', () => {
  /** Returns a store that seals every second edge record, and the effort of each head so far. */
  function gatedStore() {
    const here = createTestSealer()
    const gate = createGate()
    const asked: (CancellationFlag | undefined)[] = []
    let nowMs = 0
    const store = createStore({
      ...NEVER,
      sealRows: 2,
      clock: { monotonicMs: () => nowMs, nowUs: () => 0 },
      sealer: {
        ...here,
        async seal(head, cancellation) {
          asked.push(cancellation)
          await gate.opened
          return here.seal(head)
        },
      },
    })
    /** Fills a head of a little more than 2 MiB within that many milliseconds. */
    const fillIn = async (ms: number) => {
      const record = edge({ event_message: 'x'.repeat(1024 * 1024) })
      void append(store, record)
      await untilVisible(store, ++rows)
      nowMs += ms
      void append(store, record)
      await untilVisible(store, ++rows)
      await eventually(() => expect(statsOf(store).rows).toBe(rows))
    }
    let rows = 0
    return { store, gate, fillIn, efforts: () => asked.map(effortOf) }
  }

  it('with high effort where it has filled no faster than 4 MiB a second', async () => {
    const { store, gate, fillIn, efforts } = gatedStore()
    gate.open()
    const slow: number[] = []
    for (const ms of [0, 490, 510, 100, 60_000]) {
      await fillIn(ms)
      await store.settled()
      if (efforts().at(-1) === 'high') slow.push(ms)
    }
    expect(efforts()).toHaveLength(5)
    expect(slow).toEqual([510, 60_000])
  })

  it('with high effort until another one waits, and that one with low effort', async () => {
    const { store, gate, fillIn, efforts } = gatedStore()
    await fillIn(1000)
    await eventually(() => expect(efforts()).toEqual(['high']))
    await fillIn(1000)
    expect(efforts()).toEqual(['low'])
    gate.open()
    await store.settled()
    expect(efforts()).toEqual(['low', 'low'])
    await fillIn(1000)
    await eventually(() => expect(efforts()).toEqual(['low', 'low', 'high']))
    await store.settled()
  })

  it('with low effort once the store closes', async () => {
    const { store, gate, fillIn, efforts } = gatedStore()
    await fillIn(1000)
    await eventually(() => expect(efforts()).toEqual(['high']))
    const closed = store.close()
    expect(efforts()).toEqual(['low'])
    gate.open()
    await closed
  })

  it('with low effort where the last batch fills it while the store closes', async () => {
    const { store, gate, fillIn, efforts } = gatedStore()
    gate.open()
    const closed = store.close()
    await fillIn(1000)
    await Promise.all([closed, store.settled()])
    expect(efforts()).toEqual(['low'])
  })
})

describe('what seals heads is lent', () => {
  const IDLE_MS = 10_000

  function idleStore() {
    let nowMs = 0
    const store = createStore({ ...NEVER, sealRows: 2, clock: { monotonicMs: () => nowMs, nowUs: () => 0 } })
    const lent: string[] = []
    const borrow = () => store.whenIdle(async (_, cancellation) => void lent.push(effortOf(cancellation)))
    /** Borrows the sealer until the gate is opened. */
    async function borrowLong() {
      const gate = createGate()
      const given: CancellationFlag[] = []
      const work = store.whenIdle(async (_, cancellation) => {
        given.push(cancellation)
        await gate.opened
      })
      await eventually(() => expect(given.map(effortOf)).toEqual(['high']))
      return { gate, work, effort: () => effortOf(given[0]) }
    }
    return { store, lent, borrow, borrowLong, pass: (ms: number) => void (nowMs += ms) }
  }

  it('when no head was sealed in a hurry for ten seconds, nor is being sealed', async () => {
    const { store, lent, borrow, pass } = idleStore()
    await borrow()
    pass(IDLE_MS - 1)
    await borrow()
    expect(lent).toEqual([])
    pass(1)
    await borrow()
    expect(lent).toEqual(['high'])
    await append(store, edge(), edge())
    await Promise.all([borrow(), store.settled()])
    pass(IDLE_MS - 1)
    await borrow()
    expect(lent).toHaveLength(1)
    pass(1)
    // A head that filled slowly.
    await append(store, edge())
    pass(60_000)
    await append(store, edge())
    await Promise.all([borrow(), store.settled()])
    expect(lent).toHaveLength(1)
    await borrow()
    expect(lent).toEqual(['high', 'high'])
  })

  it('until a head waits, which is sealed behind that', async () => {
    const { store, borrowLong, pass } = idleStore()
    pass(IDLE_MS)
    const { gate, work, effort } = await borrowLong()
    void append(store, edge(), edge())
    await eventually(() => expect(effort()).toBe('low'))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(statsOf(store).segments).toBe(0)
    gate.open()
    await Promise.all([work, store.settled()])
    expect(statsOf(store).segments).toBe(1)
  })

  it('until the store closes, which waits for it, and not after', async () => {
    const { store, lent, borrow, borrowLong, pass } = idleStore()
    pass(IDLE_MS)
    const { gate, work, effort } = await borrowLong()
    const closed = store.close()
    expect(effort()).toBe('low')
    await borrow()
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect([lent, await isSettled(closed)]).toEqual([[], false])
    gate.open()
    await Promise.all([work, closed])
  })
})

describe('those who append', () => {
  /** Returns a sealer that seals nothing until the gate is opened. */
  function gatedSealer() {
    const here = createTestSealer()
    const gate = createGate()
    const seal: typeof here.seal = async (...work) => {
      await gate.opened
      return here.seal(...work)
    }
    return { gate, sealer: { ...here, seal } }
  }

  it('are held back while more than one head waits to be sealed', async () => {
    const store = createStore({ ...NEVER, sealRows: 1 })
    const appended = ['0', '1', '2', '3'].map((id) => append(store, edge({ id })))
    expect(await Promise.all(appended.map(isSettled))).toEqual([true, false, false, false])
    for (const i of [1, 2, 3]) {
      await appended[i]
      expect(statsOf(store).segments).toBeGreaterThanOrEqual(i)
    }
    await store.settled()
    expect(statsOf(store).segments).toBe(4)
    expect(await isSettled(append(store, edge()))).toBe(true)
  })

  it('are held back once the waiting heads exceed their bytes', async () => {
    const { gate, sealer } = gatedSealer()
    const full = (store: Store) => append(store, edge({ event_message: 'x'.repeat(100_000) }))
    const empty = createStore({ ...NEVER })
    await full(empty)
    const { headBytes } = statsOf(empty)
    const store = createStore({ ...NEVER, sealRows: 1, sealer, backlogBytes: 3 * headBytes })
    const appended = Array.from({ length: 7 }, () => full(store))
    for (let i = 0; i < 50; i++) await Promise.resolve()
    // Three appends fit, and the newest append is not counted.
    const states = await Promise.all(appended.map(isSettled))
    expect(states).toEqual([true, true, true, true, false, false, false])
    expect(statsOf(store)).toMatchObject({ rows: 7, segments: 0 })
    expect(await isSettled(store.room())).toBe(false)
    gate.open()
    await Promise.all(appended)
    await store.settled()
    expect(statsOf(store)).toMatchObject({ rows: 7, segments: 7 })
    expect(await isSettled(store.room())).toBe(true)
  })

  it('leave room for recovered rows while the waiting heads are within their bytes', async () => {
    const { gate, sealer } = gatedSealer()
    const room = async (backlogBytes: number) => {
      const store = createStore({ ...NEVER, sealRows: 1, sealer, backlogBytes })
      await append(store, edge())
      return isSettled(store.room())
    }
    expect([await room(0), await room(1e9)]).toEqual([false, true])
    gate.open()
  })

  it('never have more than one head wait where they wait in turn', async () => {
    const store = createStore({ ...NEVER, sealRows: 1 })
    for (let i = 1; i <= 30; i++) {
      await append(store, i % 2 === 0 ? edge() : invocation())
      const sealed = statsOf(store).segments + statsOf(store, 'function_edge_logs').segments
      expect(i - sealed).toBeLessThanOrEqual(1)
    }
  })
})

describe('the memory of a batch', () => {
  /** A batch with 2 MiB of text, and the number of releases. */
  function large(...ids: string[]) {
    const records = ids.map((id) => edge({ id, event_message: 'x'.repeat((2 * MIB) / ids.length) }))
    const released: number[] = []
    const batch = toBatch('edge_logs', records)
    return { released, batch: { ...batch, release: () => void released.push(1) } }
  }

  it('is released at once if it is small', async () => {
    const store = createStore({ ...NEVER, holdsBatches: true })
    let released = 0
    await store.append({ ...toBatch('edge_logs', [edge()]), release: () => void released++ })
    expect(released).toBe(1)
  })

  it('is released at once if the store copies the rows', async () => {
    const store = createStore(NEVER)
    const { batch, released } = large('1')
    await store.append(batch)
    expect(released).toEqual([1])
    expect(idsIn(store)).toEqual([['1']])
  })

  it('is read until the head is sealed and no query reads it', async () => {
    const store = createStore({ ...NEVER, holdsBatches: true })
    const [first, second] = [large('1', '2'), large('3')]
    await store.append(first.batch)
    await append(store, edge({ id: 'small' }))
    await store.append(second.batch)
    const { batches, release } = viewOf(store, 'edge_logs')
    await store.sealAll()
    expect([first.released, second.released]).toEqual([[], []])
    expect(ids(batches)).toEqual([['1', '2', 'small', '3']])
    release()
    expect([first.released, second.released]).toEqual([[1], [1]])
    expect(idsIn(store)).toEqual([['1', '2', 'small', '3']])
  })

  it('counts as memory of the store while it is read', async () => {
    const store = createStore({ ...NEVER, holdsBatches: true })
    const { batch } = large('1')
    await store.append(batch)
    expect(store.bytes()).toBeGreaterThan(batch.ipc.buffer.byteLength)
    await store.sealAll()
    expect(store.bytes()).toBeLessThan(MIB)
  })
})

describe('the statistics', () => {
  it('add up what is held, sealed and not', async () => {
    const sealer = createTestSealer()
    const store = createStore({ ...NEVER, sealer })
    const emptyBytes = store.bytes()
    await append(store, ...Array.from({ length: 100 }, (_, i) => edge({ timestampUs: (i % 2) * DAY_US })))
    expect(statsOf(store)).toMatchObject({ rows: 100, segments: 0, hotBytes: 0, coldBytes: 0 })
    await store.sealAll()
    await append(store, edge(), edge())
    const { rows, segments, hotBytes, coldBytes, headBytes } = statsOf(store)
    const { batches, release } = viewOf(store, 'edge_logs')
    const sealed = batches.slice(0, 2) as unknown as { hotBytes: number; coldBytes: number }[]
    release()
    expect([rows, segments]).toEqual([102, 2])
    expect(hotBytes).toBe(sealed[0]!.hotBytes + sealed[1]!.hotBytes)
    expect(coldBytes).toBe(sealed[0]!.coldBytes + sealed[1]!.coldBytes)
    const others = store.stats().filter(({ source }) => source !== 'edge_logs')
    const otherBytes = others.reduce((sum, stats) => sum + stats.hotBytes + stats.coldBytes + stats.headBytes, 0)
    expect(store.bytes()).toBe(hotBytes + coldBytes + headBytes + otherBytes + sealer.bytes())
    expect(store.bytes()).toBeGreaterThan(emptyBytes)
    store.drop(0, 'day')
    store.drop(1, 'day')
    expect(statsOf(store)).toEqual({ source: 'edge_logs', rows: 2, segments: 0, hotBytes: 0, coldBytes: 0, headBytes })
  })
})

describe('the memory of a sealed head', () => {
  /** Returns rows with ids and messages that no other mark has. */
  const marked = (mark: string, count = 5) =>
    Array.from({ length: count }, (_, i) => edge({ id: `${mark}${i}`, event_message: mark.repeat(40 + i) }))

  /** Returns all cold columns of a batch, as texts. */
  const coldOf = (batch: Batch) => {
    const read = batch.openCold()
    return Array.from({ length: batch.rows }, (_, row) => Object.values(atOnce(read(row))).map(decodeUtf8))
  }
  const expectedOf = (records: readonly TestRecord[]) =>
    records.map(({ id, event_message, metadata }) => [id, event_message, metadata])

  /** Returns the memory of the cold columns of the open head. */
  function openMemory(store: Store): ArrayBufferLike[] {
    const { batches, release } = viewOf(store, 'edge_logs')
    const row = atOnce(batches.at(-1)!.openCold()(0))
    release()
    return Object.values(row).map(({ buffer }) => buffer)
  }

  /** Fills a head, calls `meanwhile`, and seals the head. Returns the cold memory, and the result of `meanwhile`. */
  async function fillAndSeal<T>(store: Store, mark: string, meanwhile: () => T): Promise<[ArrayBufferLike[], T]> {
    await append(store, ...marked(mark))
    const memory = openMemory(store)
    const result = meanwhile()
    await store.sealAll()
    return [memory, result]
  }

  const nothing = () => undefined
  const sameObjects = (a: readonly object[], b: readonly object[]) => a.map((object, i) => object === b[i])

  it('is used for the head that begins next, which shows nothing of the rows before', async () => {
    const store = createStore(NEVER)
    const memories: ArrayBufferLike[][] = []
    for (const mark of ['a', 'b', 'c', 'd', 'e']) memories.push((await fillAndSeal(store, mark, nothing))[0])
    for (const i of [1, 2, 3, 4]) expect(sameObjects(memories[i]!, memories[0]!)).toEqual([true, true, true])
    await append(store, edge({ id: 'last', metadata: '[{}]' }))
    const { batches, release } = viewOf(store, 'edge_logs')
    expect(batches.slice(0, -1).map(coldOf)).toEqual(['a', 'b', 'c', 'd', 'e'].map((mark) => expectedOf(marked(mark))))
    expect(coldOf(batches.at(-1)!)).toEqual([['last', '', '[{}]']])
    release()
  })

  it('takes turns with other memory where rows come while it is sealed, and is freed when that is spare', async () => {
    const store = createStore(NEVER)
    await append(store, ...marked('a'))
    const [first] = openMemory(store)
    const sealing = store.sealAll()
    await append(store, ...marked('b'))
    const memory = openMemory(store)
    await sealing
    expect(memory[0]).not.toBe(first)
    expect(first!.byteLength).toBeGreaterThan(0)
    await store.sealAll()
    expect(first!.byteLength).toBe(0)
    expect(sameObjects((await fillAndSeal(store, 'c', nothing))[0], memory)).toEqual([true, true, true])
    expect(idsIn(store).flat()).toHaveLength(15)
  })

  it('is not used while a view that was taken before is not released: its rows can be read late', async () => {
    const store = createStore(NEVER)
    const [memory, view] = await fillAndSeal(store, 'a', () => viewOf(store, 'edge_logs'))
    for (const mark of ['b', 'c', 'd', 'e']) {
      const [later] = await fillAndSeal(store, mark, nothing)
      expect(sameObjects(later, memory)).toEqual([false, false, false])
    }
    expect(view.batches.map(coldOf)).toEqual([expectedOf(marked('a'))])
    expect(view.batches.map(({ rows }) => rows)).toEqual([5])
    view.release()
  })

  it('is not used while it is read by a view that was taken when it was being sealed', async () => {
    const store = createStore(NEVER)
    await append(store, ...marked('a'))
    const memory = openMemory(store)
    const sealing = store.sealAll()
    const view = viewOf(store, 'edge_logs')
    expect(statsOf(store).segments).toBe(0)
    await sealing
    for (const mark of ['b', 'c', 'd']) {
      expect(sameObjects((await fillAndSeal(store, mark, nothing))[0], memory)).toEqual([false, false, false])
    }
    expect(view.batches.map(coldOf)).toEqual([expectedOf(marked('a'))])
    view.release()
  })

  it('is used once every view is released, of which each counts once however often it is', async () => {
    const store = createStore(NEVER)
    const [kept, late] = await fillAndSeal(store, 'a', () => {
      const [early, late] = [viewOf(store, 'edge_logs'), viewOf(store, 'edge_logs')]
      early.release()
      early.release()
      return late
    })
    const [released] = await fillAndSeal(store, 'b', () => {
      for (const view of [viewOf(store, 'edge_logs'), viewOf(store, 'edge_logs')]) view.release()
    })
    const [third] = await fillAndSeal(store, 'c', nothing)
    const [fourth] = await fillAndSeal(store, 'd', nothing)
    expect(sameObjects(third, kept)).toEqual([false, false, false])
    expect(sameObjects(fourth, released)).toEqual([true, true, true])
    expect(late.batches.map(coldOf)).toEqual([expectedOf(marked('a'))])
    late.release()
    expect(sameObjects((await fillAndSeal(store, 'e', nothing))[0], kept)).toEqual([true, true, true])
    expect(fourth.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0])
  })

  it(
    'belongs to the statistics of its source until it is used, ' + 'or has been idle from one trim to the next',
    async () => {
      const store = createStore(NEVER)
      const empty = statsOf(store).headBytes
      const [[memory], spare] = await fillAndSeal(store, 'a', () => statsOf(store).headBytes)
      expect(spare).toBeGreaterThan(empty)
      expect(statsOf(store).headBytes).toBe(empty + spare)
      expect(statsOf(store, 'postgrest_logs').headBytes).toBe(statsOf(store, 'pgbouncer_logs').headBytes)
      store.trim('idle')
      await fillAndSeal(store, 'b', nothing)
      store.trim('idle')
      expect(statsOf(store).headBytes).toBe(empty + spare)
      const bytes = store.bytes()
      expect(memory!.byteLength).toBeGreaterThan(0)
      store.trim('idle')
      expect(memory!.byteLength).toBe(0)
      expect(statsOf(store).headBytes).toBe(empty)
      expect(store.bytes()).toBe(bytes - spare)
      store.trim('idle')
      expect(statsOf(store).headBytes).toBe(empty)
      await append(store, ...marked('c'))
      await store.sealAll()
      expect(idsIn(store).flat()).toEqual([...marked('a'), ...marked('b'), ...marked('c')].map(({ id }) => id))
    },
  )

  it('is used by one head only, where two begin at once', async () => {
    const store = createStore(NEVER)
    await fillAndSeal(store, 'a', nothing)
    const records = (mark: string) => marked(mark).map((record) => ({ ...record, source: 'auth_logs' as const }))
    await append(store, ...marked('b'))
    await append(store, ...records('c'))
    const sealing = store.sealAll()
    await append(store, ...marked('d'))
    await append(store, ...records('e'))
    await append(store, ...marked('f'))
    await sealing
    const [edges, others] = [viewOf(store, 'edge_logs'), viewOf(store, 'auth_logs')]
    expect(edges.batches.map(coldOf)).toEqual(
      [marked('a'), marked('b'), [...marked('d'), ...marked('f')]].map(expectedOf),
    )
    expect(others.batches.map(coldOf)).toEqual([records('c'), records('e')].map(expectedOf))
    for (const view of [edges, others]) view.release()
  })

  it('is used by a head of any source', async () => {
    const store = createStore(NEVER)
    const empty = statsOf(store).headBytes
    const [memory] = await fillAndSeal(store, 'a', nothing)
    await append(store, invocation({ id: 'first' }))
    await store.sealAll()
    await append(store, invocation({ id: 'second', event_message: 'x' }))
    const { batches, release } = viewOf(store, 'function_edge_logs')
    expect(Object.values(atOnce(batches.at(-1)!.openCold()(0))).map(({ buffer }, i) => buffer === memory[i])).toEqual([
      true,
      true,
      true,
    ])
    release()
    expect(statsOf(store).headBytes).toBe(empty)
    expect(idsIn(store, 'function_edge_logs')).toEqual([['first'], ['second']])
    expect(idsIn(store)).toEqual([marked('a').map(({ id }) => id)])
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
    expect(idsIn(store)).toEqual([['old later'], ['new'], ['new later']])
    expect(store.drop(1, 'day')).toEqual([{ source: 'edge_logs', rows: 2, wholeDay: true }])
    expect(idsIn(store)).toEqual([['new']])
    expect(store.drop(7, 'day')).toEqual([])
    expect(store.drop(0, 'oldest segments')).toEqual([
      { source: 'edge_logs', rows: 1, wholeDay: true },
      { source: 'function_edge_logs', rows: 1, wholeDay: true },
    ])
    expect(store.oldestDay()).toBeUndefined()
  })

  it('leaves an open head alone', async () => {
    const store = createStore(NEVER)
    await append(store, edge({ id: '0' }))
    expect(store.drop(0, 'day')).toEqual([])
    expect(idsIn(store)).toEqual([['0']])
  })
})

it('the day of a moment is counted from the epoch, down', () => {
  expect([0, DAY_US - 1, DAY_US, -1, -DAY_US].map(dayOf)).toEqual([0, 0, 1, -1, -1])
})
