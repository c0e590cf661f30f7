import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Batch, sealedTexts, type TextColumn } from '../../../../src/engine/execute/columns/batch.js'
import { none, range, type Selection, sizeOf } from '../../../../src/engine/execute/columns/selection.js'
import { filterTime, firstRowAt, narrowByHits } from '../../../../src/engine/execute/filtering/filter-rows.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { dictionary, idsOf, openBatch, rowsOf, sealedBatch } from '../../store/support.js'

const DAY_US = 86_400_000_000
const all = (batch: Batch): Selection => range(0, batch.rows, false)
/** Both forms of a batch: in order of arrival, and sealed. */
const forms = async (records: readonly TestRecord[]) => [openBatch(records), await sealedBatch(records)]

describe('the filter on time', () => {
  const records = (timesUs: readonly number[]) =>
    timesUs.map((timestampUs, i) => edge({ id: `${i}`, timestampUs: DAY_US + timestampUs }))

  it('leaves the selection alone where the batch lies inside, and empties it where it lies outside', async () => {
    for (const batch of await forms(records([5, 7]))) {
      const selection = all(batch)
      expect(filterTime(batch, selection, { fromUs: DAY_US + 5, throughUs: DAY_US + 7 })).toBe(selection)
      expect(filterTime(batch, selection, { fromUs: DAY_US + 8, throughUs: DAY_US + 9 })).toBe(none)
      expect(filterTime(batch, selection, { fromUs: 0, throughUs: DAY_US + 4 })).toBe(none)
    }
  })

  it('keeps the rows inside, both ends included, of ranges and indices, ordered or not', async () => {
    const at = fc.integer({ min: -2, max: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10), { minLength: 1, maxLength: 30 }),
        at,
        at,
        async (timesUs, from, through) => {
          const time = { fromUs: DAY_US + from, throughUs: DAY_US + through }
          const given = records(timesUs)
          const inside = given.filter((r) => r.timestampUs >= time.fromUs && r.timestampUs <= time.throughUs)
          const byTime = inside.toSorted((a, b) => a.timestampUs - b.timestampUs)
          const [open, sealed] = await forms(given)
          const ids = (list: readonly TestRecord[]) => list.map(({ id }) => id)
          expect(idsOf(open!, filterTime(open!, all(open!), time))).toEqual(ids(inside))
          const cutRange = filterTime(sealed!, sealed!.projectRows('a'), time)
          expect(idsOf(sealed!, cutRange)).toEqual(ids(byTime))
          expect(cutRange.kind).toBe('range')
          const indices = Uint32Array.from(rowsOf(all(sealed!)))
          const selection: Selection = { kind: 'indices', indices, timeOrdered: true }
          expect(idsOf(sealed!, filterTime(sealed!, selection, time))).toEqual(ids(byTime))
        },
      ),
    )
  })

  it('cuts a range within the range only', async () => {
    const times = { baseUs: 100, unitUs: 1000, offsets: Uint32Array.of(9, 1, 2, 2, 4, 0) }
    const moments = [0, 1100, 1101, 2100, 2101, 4100, 4101]
    expect(moments.map((us) => firstRowAt(times, 1, 5, us))).toEqual([1, 1, 2, 2, 4, 4, 5])
    expect(firstRowAt(times, 3, 3, 0)).toBe(3)
    const batch = await sealedBatch(records([1, 2, 3, 4]))
    const cutOff = filterTime(batch, range(1, 3, true), { fromUs: DAY_US, throughUs: DAY_US + 3 })
    expect([rowsOf(cutOff), sizeOf(cutOff)]).toEqual([[1, 2], 2])
  })
})

describe('the codes that are looked for', () => {
  it('narrow ranges and indices to the rows that have one, with and without zones', () => {
    const arbitrary = fc.record({
      codes: fc.array(fc.nat(4), { minLength: 1, maxLength: 5_000, size: 'max' }),
      hits: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      start: fc.nat(40),
    })
    fc.assert(
      fc.property(arbitrary, ({ codes, hits: isHit, start }) => {
        const hits = Uint8Array.from(isHit, Number)
        const [from, to] = [hits.indexOf(1), hits.lastIndexOf(1) + 1]
        if (from < 0) return
        const texts = dictionary(['a', 'b', 'c', 'd'])
        const open: TextColumn = { kind: 'text', codes: Uint32Array.from(codes), dictionary: texts }
        const sealed = sealedTexts(Uint8Array.from(codes), texts)
        const indices = Uint32Array.from(codes.keys()).filter((row) => row % 3 !== 1)
        const ranges = range(Math.min(start, codes.length), codes.length, true)
        for (const selection of [ranges, { kind: 'indices', indices, timeOrdered: true } as const]) {
          const expected = rowsOf(selection).filter((row) => isHit[codes[row]!])
          for (const column of [open, sealed]) {
            expect(rowsOf(narrowByHits(column, selection, { hits, from, to }))).toEqual(expected)
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})
