import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joined, type ReadSlice, slicesOf } from '../../../../src/engine/execute/batches/slices.js'
import { type Batch, type Part, timeAt } from '../../../../src/engine/execute/columns/batch.js'
import { range, rowAt, type Selection, sizeOf } from '../../../../src/engine/execute/columns/selection.js'
import { rowsOfSlice } from '../../../../src/engine/execute/filtering/slice-rows.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch, type OpenBatch } from '../../../../src/engine/execute/open-batch/open-batch.js'
import { partOfOpenBatch, snapshot } from '../../../../src/engine/execute/open-batch/snapshot.js'
import { toBatch } from '../../../support/batch.js'
import { edge } from '../../../support/records.js'
import { partOf, sealedBatch } from '../../store/support.js'

const ALWAYS = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const recordsAt = (timesUs: readonly number[]) => timesUs.map((timestampUs) => edge({ timestampUs }))
const rowsOf = (selection: Selection) => Array.from({ length: sizeOf(selection) }, (_, i) => rowAt(selection, i))
const times = fc.array(fc.nat(40), { minLength: 1, maxLength: 60 })

function append(head: OpenBatch, timesUs: readonly number[]): void {
  decodeBatch(toBatch('edge_logs', recordsAt(timesUs)))(head)
}

/**
 * Expects that each selected row in the range is in exactly one slice, and each kept slice has rows in the range alone.
 */
function expectRows(slices: readonly ReadSlice[], batch: Batch, selected: Selection, from: number, through: number) {
  const timeOf = (row: number) => timeAt(batch.times, row)
  const isIn = (row: number) => timeOf(row) >= from && timeOf(row) <= through
  const found = slices.map((slice) => ({ slice, rows: rowsOf(rowsOfSlice(slice, batch, selected)) }))
  const all = found.flatMap(({ rows }) => rows.filter(isIn)).sort((a, b) => a - b)
  expect(all).toEqual(rowsOf(selected).filter(isIn))
  for (const { slice, rows } of found) if (slice.isKept) expect(rows.every(isIn)).toBe(true)
}

describe('the slices of a part', () => {
  it('have each row of a range once, of an open head and of a sealed part', async () => {
    const cut = fc.tuple(fc.nat(40), fc.nat(40)).map((ends) => ends.sort((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(
        times,
        cut,
        fc.integer({ min: 1, max: 20 }),
        fc.nat(3),
        async (all, [from, through], rows, skip) => {
          const head = createOpenBatch('edge_logs')
          append(head, all)
          const sealed = await sealedBatch(recordsAt(all))
          const parts: [Part, Batch][] = [
            [partOfOpenBatch(head), snapshot(head)],
            [partOf(sealed, true), sealed],
          ]
          for (const [part, batch] of parts) {
            const slices = slicesOf(part, { fromUs: from!, throughUs: through! }, rows)
            const some = {
              kind: 'indices',
              indices: Uint32Array.from([...all.keys()].filter((row) => row % 4 !== skip)),
            }
            for (const selected of [range(0, all.length, false), { ...some, timeOrdered: false } as Selection])
              if (slices !== undefined) expectRows(slices, batch, selected, from!, through!)
          }
        },
      ),
    )
  })

  it('keep their number and their rows while a head grows, and the rest is never kept', () => {
    fc.assert(
      fc.property(times, times, fc.integer({ min: 1, max: 10 }), (first, more, rows) => {
        const head = createOpenBatch('edge_logs')
        append(head, first)
        const slices = () => (slicesOf(partOfOpenBatch(head), ALWAYS, rows) ?? []).filter(({ isKept }) => isKept)
        const before = slices()
        append(head, more)
        expect(slices().slice(0, before.length)).toEqual(before)
        for (const { rows: place } of slices()) expect(place!.to).toBeLessThanOrEqual(head.rows)
      }),
    )
  })

  it('are none if there would be a single one, and at most eight of a sealed part', async () => {
    const sealed = partOf(await sealedBatch(recordsAt(Array.from({ length: 100 }, (_, i) => i))), true)
    expect(slicesOf(sealed, ALWAYS, 51)).toBeUndefined()
    expect(slicesOf(sealed, ALWAYS, 50)).toHaveLength(2)
    expect(slicesOf(sealed, ALWAYS, 1)).toHaveLength(8)
    const moment = partOf(await sealedBatch(recordsAt(new Array(100).fill(7))), true)
    expect(slicesOf(moment, ALWAYS, 1)).toBeUndefined()
  })

  it('have the rows of all when joined', () => {
    const head = createOpenBatch('edge_logs')
    append(head, [5, 9, 1, 7, 3, 2, 8])
    const slices = slicesOf(partOfOpenBatch(head), ALWAYS, 2)!
    const some = joined(slices.slice(1, 3))
    expect(some).toMatchObject({ number: 1, minUs: 1, maxUs: 7, isKept: true })
    expect(rowsOf(rowsOfSlice(some, snapshot(head), range(0, 7, false)))).toEqual([2, 3, 4, 5])
  })
})
