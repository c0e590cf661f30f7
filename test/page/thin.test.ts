import { describe, expect, it } from 'vitest'
import { highestOf, sumsOf } from '../../src/page/plot/thin.js'
import { below, mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'

describe('highestOf', () => {
  it('finds in each stretch what looking at every value finds', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < 300; run++) {
      const upTo = (end: number) => below(random, end)
      const values = Array.from({ length: 1 + upTo(60) }, () => (upTo(3) === 0 ? Number.NaN : upTo(9) - 4))
      const from = upTo(values.length)
      const to = from + 1 + upTo(values.length - from)
      const size = 1 + upTo(8)
      const expected: number[] = []
      for (let first = from; first < to; first += size) {
        const stretch = values.slice(first, Math.min(first + size, to))
        const present = stretch.filter((value) => !Number.isNaN(value))
        expected.push(present.length === 0 ? -1 : first + stretch.indexOf(Math.max(...present)))
      }
      const text = `seed ${seed}, run ${run}: ${values}, from ${from} to ${to}, by ${size}`
      expect([...highestOf(Float64Array.from(values), from, to, size)], text).toEqual(expected)
    }
  })
})

describe('sumsOf', () => {
  it('adds up what there is', () => {
    const series = [
      [1, Number.NaN, 3],
      [10, 20, Number.NaN],
    ].map((values) => Float64Array.from(values))
    expect([...sumsOf(series, 3)]).toEqual([11, 20, 3])
  })
})
