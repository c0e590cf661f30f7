import { describe, expect, it } from 'vitest'
import { createMemoryPersistence } from '../../../../src/engine/store/persistence/persistence.js'
import { createStore } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { eventually } from '../../../support/eventually.js'
import { createGate } from '../../../support/gate.js'
import { edge } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'

const HEADS = 5

/** A store with five full heads, of which the sealer holds the first until the gate opens. */
async function waitingHeads({ isFailing = false } = {}) {
  const gate = createGate()
  const state = { nowMs: 0, sealed: 0 }
  const here = createTestSealer()
  const memory = createMemoryPersistence()
  const store = createStore({
    sealRows: 1,
    sealBytes: 1e9,
    backlogBytes: 0,
    clock: { monotonicMs: () => state.nowMs, nowUs: () => 0 },
    persistence: { ...memory, openHead: (source) => ({ ...memory.openHead(source), isFailing: () => isFailing }) },
    sealer: {
      ...here,
      async seal(head) {
        await gate.opened
        state.sealed += 1
        return here.seal(head)
      },
    },
  })
  const appended = Array.from({ length: HEADS }, (_, i) => store.append(toBatch('edge_logs', [edge({ id: `${i}` })])))
  // The appends are awaited below.
  for (const one of appended) one.catch(() => {})
  const stats = () => store.stats().find(({ source }) => source === 'edge_logs')!
  await eventually(() => expect(stats().rows).toBe(HEADS))
  return { store, gate, state, stats, appended }
}

describe('X1: heads that wait for the sealer when the store closes', () => {
  it('are sealed in the first 1.5 s', async () => {
    const { store, gate, state, stats, appended } = await waitingHeads()
    store.stopWaiting()
    state.nowMs = 1_499
    gate.open()
    await store.close()
    await Promise.all(appended)
    expect([state.sealed, stats().rows, stats().segments]).toEqual([HEADS, HEADS, HEADS])
  })

  it('stay as they are after that, also for those who append, whose rows are stored', async () => {
    const { store, gate, state, stats, appended } = await waitingHeads()
    store.stopWaiting()
    state.nowMs = 1_500
    gate.open()
    await store.close()
    await Promise.all(appended)
    expect([state.sealed, stats().rows, stats().segments]).toEqual([1, HEADS, 1])
  })

  it('count from the first call on', async () => {
    const { store, gate, state } = await waitingHeads()
    store.stopWaiting()
    state.nowMs = 1_000
    store.stopWaiting()
    const closed = store.close()
    state.nowMs = 1_600
    gate.open()
    await closed
    expect(state.sealed).toBe(1)
  })

  it('are sealed even then if their journal cannot be synced', async () => {
    const { store, gate, state, stats } = await waitingHeads({ isFailing: true })
    store.stopWaiting()
    state.nowMs = 9_999
    gate.open()
    await store.close()
    expect([state.sealed, stats().segments]).toEqual([HEADS, HEADS])
  })

  it('are all sealed without a stop, however long it takes', async () => {
    const { store, gate, state, stats } = await waitingHeads()
    state.nowMs = 60_000
    gate.open()
    await store.settled()
    expect([state.sealed, stats().segments]).toEqual([HEADS, HEADS])
  })

  it('refuse the sender without a stop if one of them cannot be sealed', async () => {
    const sealer = { ...createTestSealer(), seal: () => Promise.reject(new RangeError('no memory')) }
    const store = createStore({ sealer, sealRows: 1, sealBytes: 1e9, backlogBytes: 0 })
    const appended = [0, 1, 2].map(() => store.append(toBatch('edge_logs', [edge()])))
    const outcomes = await Promise.allSettled(appended)
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true)
    expect(store.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe(3)
  })
})
