import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../../../src/base/log.js'
import { createMetrics } from '../../../../src/base/metrics.js'
import { compactWhenIdle } from '../../../../src/engine/store/compaction/compaction.js'
import { createCancellationFlag } from '../../../../src/engine/store/sealing/cancellation.js'
import { createFakeClock } from '../../../support/clock.js'
import { createGate } from '../../../support/gate.js'
import { createTestSealer } from '../../../support/sealer.js'

/** Starts compaction of a store that is idle if `state.isIdle`. Each segment takes `takesMs`, or fails if `fails()`. */
function begin(takesMs: number, fails: () => boolean = () => false) {
  const clock = createFakeClock()
  const metrics = createMetrics()
  const columns = { add: async () => false }
  const addedMs: number[] = []
  const logged: (LogFields | undefined)[] = []
  const startedMs: number[] = []
  const state = { isIdle: true, gate: createGate() }
  state.gate.open()
  const stop = compactWhenIdle(
    clock,
    {
      async whenIdle(work) {
        if (state.isIdle) await work(createTestSealer(), createCancellationFlag())
      },
    },
    {
      waiting: () => ({ pathColumns: 2, compaction: 3 }),
      addNextPathColumns: () => columns.add(),
      async compactNext() {
        startedMs.push(clock.monotonicMs())
        if (fails()) throw new Error('ENOSPC')
        await state.gate.opened
        clock.advance(takesMs)
        return true
      },
    },
    metrics,
    (_, facts) => void logged.push(facts),
  )
  /** Advances the clock second by second, and lets the work of each start. */
  async function pass(seconds: number) {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000)
      await new Promise(setImmediate)
    }
  }
  return { clock, metrics, columns, addedMs, logged, startedMs, state, stop, pass }
}

describe('segments are made anew', () => {
  it('one a second at most, and in an eighth of the time at most', async () => {
    const quick = begin(0)
    await quick.pass(4)
    expect(quick.startedMs).toEqual([1000, 2000, 3000, 4000])
    const slow = begin(1000)
    await slow.pass(15)
    expect(slow.startedMs).toEqual([1000, 9000, 17_000])
  })

  it('and counted while they wait', async () => {
    const { metrics, pass } = begin(0)
    await pass(1)
    expect((await metrics.waitingSegments.get()).values).toEqual([
      { labels: { work: 'path_columns' }, value: 2 },
      { labels: { work: 'compaction' }, value: 3 },
    ])
  })

  it('after path columns were added, which take half of the time at most', async () => {
    let left = 2
    const work = begin(1000)
    work.columns.add = async () => {
      if (left === 0) return false
      left--
      work.addedMs.push(work.clock.monotonicMs())
      await work.state.gate.opened
      work.clock.advance(1000)
      return true
    }
    await work.pass(6)
    expect(work.addedMs).toEqual([1000, 3000])
    expect(work.startedMs).toEqual([5000])
  })

  it('only where it is quiet', async () => {
    const { state, startedMs, pass } = begin(0)
    state.isIdle = false
    await pass(5)
    expect(startedMs).toEqual([])
    state.isIdle = true
    await pass(1)
    expect(startedMs).toEqual([6000])
  })

  it('one after the other', async () => {
    const { state, startedMs, pass } = begin(0)
    state.gate = createGate()
    await pass(5)
    expect(startedMs).toEqual([1000])
    state.gate.open()
    // The pass has taken five seconds.
    await pass(36)
    expect(startedMs).toEqual([1000, 41_000])
  })

  it('again a minute after it has failed, which is said', async () => {
    const { startedMs, logged, pass } = begin(0, () => startedMs.length === 1)
    await pass(62)
    expect(startedMs).toEqual([1000, 61_000, 62_000])
    expect(logged).toEqual([{ level: 'warn', code: 'recompressing_failed' }])
  })

  it('until that is stopped, which waits for the one under way', async () => {
    const { clock, state, startedMs, stop, pass } = begin(0)
    state.gate = createGate()
    await pass(1)
    let hasStopped = false
    const stopped = stop().then(() => {
      hasStopped = true
    })
    await pass(3)
    expect([hasStopped, clock.timers]).toEqual([false, 0])
    state.gate.open()
    await stopped
    expect(startedMs).toEqual([1000])
  })
})
