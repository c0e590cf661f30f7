import { describe, expect, it } from 'vitest'
import { createTokenBucket } from '../../../src/base/scheduling/token-bucket.js'
import { createFakeClock } from '../../support/clock.js'

function open(capacity: number, tokensPerMs: number) {
  const clock = createFakeClock()
  return { clock, ...createTokenBucket({ capacity, tokensPerMs }, clock) }
}

describe('take', () => {
  it('takes the capacity at once and then says how long to wait', () => {
    const { take } = open(10, 2)
    expect([take(4), take(6), take(1), take(10)]).toEqual([0, 0, 0.5, 5])
  })

  it('takes nothing if too few tokens are left', () => {
    const { take } = open(10, 2)
    expect([take(8), take(3), take(2), take(1)]).toEqual([0, 0.5, 0, 0.5])
  })

  it('succeeds after exactly the time it returned', () => {
    const { take, clock } = open(10, 2)
    take(10)
    expect(take(6)).toBe(3)
    clock.advance(2)
    expect(take(6)).toBe(1)
    clock.advance(1)
    expect([take(6), take(1)]).toEqual([0, 0.5])
  })

  it('refills up to the capacity and no further', () => {
    const { take, clock } = open(10, 2)
    take(10)
    clock.advance(3_600_000)
    expect([take(11), take(10), take(1)]).toEqual([0.5, 0, 0.5])
  })

  it('ignores a wall clock that jumps', () => {
    const { take, clock } = open(10, 2)
    take(10)
    clock.setNowUs(clock.nowUs() + 3_600e6)
    expect(take(10)).toBe(5)
  })
})

describe('overdraw', () => {
  it('takes more than is left, but not if nothing is left', () => {
    const { overdraw } = open(10, 2)
    expect([overdraw(9), overdraw(25), overdraw(1)]).toEqual([true, true, false])
  })

  it('repays the debt before it takes again', () => {
    const { overdraw, take, clock } = open(10, 2)
    overdraw(30)
    clock.advance(10)
    expect(overdraw(1)).toBe(false)
    expect(take(1)).toBe(0.5)
    clock.advance(1)
    expect([overdraw(1), take(1)]).toEqual([true, 0])
  })
})
