import { describe, expect, it } from 'vitest'
import { createRecentMaximum } from '../../../../../src/engine/arrow/storage/store/recent-maximum.js'

describe('the most of late', () => {
  it('is the greatest figure told so far', () => {
    const most = createRecentMaximum()
    expect([3, 1, 4, 1, 5, 2].map(most.with)).toEqual([3, 3, 4, 4, 5, 5])
  })

  it('is forgotten in the second pass after it', () => {
    const most = createRecentMaximum()
    most.with(5)
    most.pass()
    expect(most.with(2)).toBe(5)
    most.pass()
    expect(most.with(1)).toBe(2)
    most.pass()
    most.pass()
    expect(most.with(-7)).toBe(-7)
  })
})
