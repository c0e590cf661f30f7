import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/arrow/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/arrow/columns/selection.js'
import { createTop } from '../../../../src/engine/arrow/operators/top.js'
import { edge } from '../../../support/records.js'
import { openBatch } from '../support.js'

const batchOf = (timesUs: readonly number[]) => openBatch(timesUs.map((timestampUs) => edge({ timestampUs })))
const whole = (batch: Batch, timeOrdered = false): Selection => range(0, batch.rows, timeOrdered)
const isAscending = (timesUs: readonly number[]) => timesUs.every((us, i) => i === 0 || timesUs[i - 1]! <= us)

/** A batch that records which of its timestamps are read. */
function watched(timesUs: readonly number[]) {
  const batch = batchOf(timesUs)
  const reads: number[] = []
  const offsets = new Proxy(batch.times.offsets, {
    get(target, key) {
      reads.push(Number(key))
      return target[Number(key)]
    },
  })
  return { batch: { ...batch, times: { ...batch.times, offsets } }, reads }
}

describe('the newest rows', () => {
  it('are those that a sort finds, ties by arrival, in whatever order batches are offered', () => {
    const lists = fc.array(fc.array(fc.nat(8), { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        lists.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray([...given.keys()], { minLength: given.length })),
        ),
        fc.integer({ min: 1, max: 20 }),
        ([given, sequence], limit) => {
          const top = createTop(limit)
          for (const batch of sequence) {
            const timesUs = given[batch]!
            const made = batchOf(timesUs)
            if (top.wants(made.maxUs)) top.offer(made, batch, whole(made, isAscending(timesUs)))
          }
          const rows = given.flatMap((timesUs, batch) =>
            timesUs.map((timestampUs, row) => ({ timestampUs, batch, row })),
          )
          const expected = rows.sort((a, b) => b.timestampUs - a.timestampUs || b.batch - a.batch || b.row - a.row)
          expect(top.found).toEqual(expected.slice(0, limit))
        },
      ),
    )
  })

  it('are taken from the selected rows only', () => {
    const top = createTop(5)
    const selected: Selection = { kind: 'indices', indices: Uint32Array.of(0, 2), timeOrdered: false }
    top.offer(batchOf([5, 9, 1]), 3, selected)
    expect(top.found).toEqual([
      { timestampUs: 5, batch: 3, row: 0 },
      { timestampUs: 1, batch: 3, row: 2 },
    ])
  })

  it('may come from a batch while there is room, or while its newest row is as new as the last one found', () => {
    const top = createTop(2)
    expect(top.wants(Number.NEGATIVE_INFINITY)).toBe(true)
    top.offer(batchOf([10]), 0, whole(batchOf([10])))
    expect(top.wants(0)).toBe(true)
    top.offer(batchOf([20]), 1, whole(batchOf([20])))
    expect([9, 10, 11].map((us) => top.wants(us))).toEqual([false, true, true])
  })

  it('are looked for from the newest on where rows ascend in time, and no further than needed', () => {
    const { batch, reads } = watched(Array.from({ length: 1000 }, (_, i) => i))
    const top = createTop(3)
    top.offer(batch, 0, whole(batch, true))
    expect(reads).toEqual([999, 998, 997, 996])
  })

  it('are looked for among all rows where they do not', () => {
    const { batch, reads } = watched([9, 8, 7, 1, 2, 30])
    const top = createTop(2)
    top.offer(batch, 0, whole(batch, false))
    expect(reads).toEqual([5, 4, 3, 2, 1, 0])
    expect(top.found.map(({ timestampUs }) => timestampUs)).toEqual([30, 9])
  })
})
