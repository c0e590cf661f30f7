import { describe, expect, it } from 'vitest'
import { createCoreShare, createSpending } from '../../../src/base/scheduling/core-share.js'
import { createFakeClock } from '../../support/clock.js'

describe('the share of a core', () => {
  it('is free four times as long after an evaluation as was spent on it, counted from its start', () => {
    const share = createCoreShare()
    expect(share.isFree(0)).toBe(true)
    share.used(100, 10)
    expect([share.isFree(139), share.isFree(140)]).toEqual([false, true])
    // Evaluations at the same time have one pause after the other.
    share.used(105, 5)
    expect([share.isFree(159), share.isFree(160)]).toEqual([false, true])
    // Time in which nothing was evaluated is not saved.
    share.used(1_000, 1)
    expect([share.isFree(1_003), share.isFree(1_004)]).toEqual([false, true])
  })
})

describe('the time spent on an evaluation', () => {
  function start() {
    const clock = createFakeClock()
    let processorMs = 1_000
    const work = (ms: number, share = 1) => {
      clock.advance(ms)
      processorMs += ms * share
    }
    return { clock, work, startSpending: createSpending(clock, () => processorMs) }
  }

  it('is its duration if the time of processors is not measured', () => {
    const clock = createFakeClock()
    const startSpending = createSpending(clock)
    const [one, other] = [startSpending(), startSpending()]
    clock.advance(8)
    expect(one()).toBe(8)
    clock.advance(2)
    expect(other()).toBe(10)
  })

  it('is the time of processors, and none of the time in which nothing is evaluated', () => {
    const { work, startSpending } = start()
    work(50)
    const spent = startSpending()
    work(8, 0.5)
    expect(spent()).toBe(4)
    work(50)
    const later = startSpending()
    work(3)
    expect(later()).toBe(3)
  })

  it('is no longer than the evaluation, whatever several processors have spent', () => {
    const { work, startSpending } = start()
    const spent = startSpending()
    work(10, 2)
    expect(spent()).toBe(10)
  })

  it('is divided among evaluations at the same time, whichever ends first', () => {
    const { work, startSpending } = start()
    const first = startSpending()
    work(4)
    const [second, third] = [startSpending(), startSpending()]
    work(9)
    expect(second()).toBe(3)
    work(2)
    expect([first(), third()]).toEqual([4 + 3 + 1, 3 + 1])
  })
})
