import { describe, expect, it } from 'vitest'
import { rate } from '../../src/config/value-types.js'
import { createLimit } from '../../src/tokens/limit.js'
import { createFakeClock } from '../support/clock.js'
import { below, mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'

function open(text: string) {
  const clock = createFakeClock()
  const limit = createLimit(rate.read(text)!, clock)
  /** Returns how many requests pass before a refused request, and the seconds until the next. */
  const drain = () => {
    for (let taken = 0; ; taken++) {
      const waitS = limit.take()
      if (waitS > 0) return { taken, waitS }
    }
  }
  return { clock, limit, drain }
}

describe('a limit', () => {
  it.each([
    ['100/s', 100, 1],
    ['1/s', 1, 1],
    ['600/m', 10, 1],
    ['90/m', 1, 1],
    ['6/m', 1, 10],
    ['7/h', 1, 515],
    ['1/d', 1, 86_400],
  ])('of %s lets %i at once, and another in at most %i s', (text, burst, wait) => {
    expect(open(text).drain()).toEqual({ taken: burst, waitS: wait })
  })

  it.each(['100/s', '3/s', '7/m', '7/h', '11/d'])('of %s says truly when to come again', (text) => {
    const { clock, limit, drain } = open(text)
    for (let i = 0; i < 20; i++) {
      const { waitS } = drain()
      clock.advance(waitS * 1000)
      expect(limit.take()).toBe(0)
    }
  })

  it('holds no more than a second’s worth, however long nobody came', () => {
    const { clock, drain } = open('5/s')
    drain()
    clock.advance(3_600_000)
    expect(drain().taken).toBe(5)
  })

  it('takes no notice of a wall clock that jumps', () => {
    const { clock, limit, drain } = open('5/s')
    drain()
    clock.setNowUs(clock.nowUs() + 3_600e6)
    expect(limit.take()).toBe(1)
  })

  it('lets no more pass in any time than its rate and one burst', () => {
    const seed = testSeed()
    console.log(`limit seed ${seed}`)
    const random = mulberry32(seed)
    const { clock, limit } = open('20/s')
    let [taken, elapsedMs] = [0, 0]
    for (let i = 0; i < 5_000; i++) {
      const stepMs = below(random, 60)
      clock.advance(stepMs)
      elapsedMs += stepMs
      if (limit.take() === 0) taken++
      expect(taken).toBeLessThanOrEqual(20 + elapsedMs / 50)
    }
    expect(taken).toBeGreaterThan(elapsedMs / 50 - 20)
  })
})

describe('a rate', () => {
  it.each([
    '',
    '0/s',
    '01/s',
    '1',
    '1/',
    '/s',
    '1/w',
    '-1/s',
    '1.5/s',
    '1 /s',
    '12345678/s',
    '1/s\n',
  ])('is not %j', (text) => expect(rate.read(text)).toBeUndefined())
})
