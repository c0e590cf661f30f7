import { describe, expect, it } from 'vitest'
import { createRanking } from '../../../../src/engine/arrow/operators/ranking.js'
import { mulberry32 } from '../../../support/random.js'

const SEED = 20261120

describe(`a ranking (seed ${SEED})`, () => {
  it.each([0, 1, 7, 2_000, 20_000])('has the first %d of many', (limit) => {
    const random = mulberry32(SEED)
    const items = Array.from({ length: 10_000 }, random)
    const ranking = createRanking<number>(limit, (a, b) => b - a)
    for (const item of items) ranking.offer(item)
    const wanted = items.toSorted((a, b) => b - a).slice(0, limit)
    expect(ranking.first()).toEqual(wanted)
  })
})
