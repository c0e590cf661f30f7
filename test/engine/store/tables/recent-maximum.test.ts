import { describe, expect, it } from 'vitest'
import { createRecentMaximum } from '../../../../src/engine/store/tables/recent-maximum.js'

describe('the most of late', () => {
  it('is the greatest figure told so far', () => {
    const most = createRecentMaximum()
    expect([3, 1, 4, 1, 5, 2].map(most.record)).toEqual([3, 3, 4, 4, 5, 5])
  })

  it('is forgotten in the second pass after it', () => {
    const most = createRecentMaximum()
    most.record(5)
    most.nextInterval()
    expect(most.record(2)).toBe(5)
    most.nextInterval()
    expect(most.record(1)).toBe(2)
    most.nextInterval()
    most.nextInterval()
    expect(most.record(-7)).toBe(-7)
  })
})
