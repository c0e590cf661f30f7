import { describe, expect, it } from 'vitest'
import { createColumnLimit } from '../../../../src/engine/store/tables/eviction.js'

describe('the limit of columns that are on a disk too', () => {
  /** Returns columns of that many bytes each, least recently used first, with bytes of heads and of the head pool. */
  function createHeld({ columns, heads, spare = 0 }: { columns: number[]; heads: number; spare?: number }) {
    const held = { columns, heads, spare }
    const sum = () => held.columns.reduce((bytes, one) => bytes + one, 0)
    const limit = createColumnLimit({
      bytes: () => sum() + held.heads + held.spare,
      columnBytes: sum,
      unload: () => held.columns.shift() !== undefined,
      trim: (what) => void (what === 'all' && (held.spare = 0)),
    })
    return { held, limit }
  }

  it('lets columns go, and no more of them than must go', () => {
    const { held, limit } = createHeld({ columns: [10, 20, 30, 40], heads: 25 })
    limit.enforce(125)
    expect(held.columns).toEqual([10, 20, 30, 40])
    limit.enforce(124)
    expect(held.columns).toEqual([20, 30, 40])
    limit.enforce(65)
    expect(held.columns).toEqual([40])
  })

  it('leaves memory alone that waits for the next head, but where columns alone do not do', () => {
    const { held, limit } = createHeld({ columns: [10, 20], heads: 25, spare: 15 })
    limit.enforce(40)
    expect(held).toEqual({ columns: [], heads: 25, spare: 15 })
    limit.enforce(39)
    expect(held.spare).toBe(0)
  })

  it('ends where heads alone are beyond it', () => {
    const { held, limit } = createHeld({ columns: [10], heads: 25 })
    limit.enforce(1)
    expect(held.columns).toEqual([])
  })

  it('keeps the room free that heads took at most of late', () => {
    const { held, limit } = createHeld({ columns: [], heads: 60 })
    limit.enforce(100)
    Object.assign(held, { columns: [10, 20, 20], heads: 5 })
    limit.enforce(100)
    expect(held.columns).toEqual([20, 20])
    limit.nextInterval()
    held.columns.push(1)
    limit.enforce(100)
    expect(held.columns).toEqual([20, 1])
    limit.nextInterval()
    held.columns.push(70)
    limit.enforce(100)
    expect(held.columns).toEqual([20, 1, 70])
    held.columns.push(10)
    limit.enforce(100)
    expect(held.columns).toEqual([1, 70, 10])
  })
})
