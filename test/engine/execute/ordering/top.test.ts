import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LazyBatch } from '../../../../src/engine/execute/batches/lazy-batch.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { orderBy } from '../../../../src/engine/execute/operators/order-by.js'
import { lateFrame } from '../../../../src/engine/execute/ordering/late-columns.js'
import { type Found, leafName, splitColumns } from '../../../../src/engine/execute/ordering/output-columns.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { SortKey } from '../../../../src/plan/plan.js'
import { compareAll, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { mulberry32 } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { computed, frameOf, lazyBatch, loadRange, openBatch, runContext } from '../../store/support.js'

const SEED = 20261120

const batchOf = (timesUs: readonly number[]) => openBatch(timesUs.map((timestampUs) => edge({ timestampUs })))
const whole = (batch: Batch, timeOrdered = false): Selection => range(0, batch.rows, timeOrdered)
const isAscending = (timesUs: readonly number[]) => timesUs.every((us, i) => i === 0 || timesUs[i - 1]! <= us)

const key = (by: Expression | string, direction: SortKey['direction'] = 'asc', nulls: SortKey['nulls'] = 'last') => ({
  by: typeof by === 'string' ? column(by) : by,
  direction,
  nulls,
})
const NEWEST = [key('timestamp', 'desc')]
const PLAIN = { isReversed: false, rank: undefined }

/** Finds the first rows of batches. `columns` are read early. */
function find(
  input: readonly LazyBatch[],
  keys: readonly SortKey[],
  rows: number,
  { offset = 0, columns = [] as string[], bytes = 2 ** 30, rank = undefined as string | undefined } = {},
): Promise<Found> {
  const early = columns.map((name) => ({ name, value: column(name) }))
  const sink = { op: 'top', keys, rows, offset, columns: early, isReversed: false, rank } as const
  return orderBy(input, sink, { early, late: [] }, runContext({ bytes }).context)
}

const placesOf = ({ rows }: Found) =>
  rows.map(({ keys, batch, row }) => ({ timestampUs: (keys[0] as Timestamp).us, batch, row }))
const edges = (batch: Batch, selection = whole(batch)) => lazyBatch(frameOf(batch, 'edge_logs', selection))

/** A batch that counts the looks at the timestamps. */
function watched(timesUs: readonly number[]) {
  const batch = batchOf(timesUs)
  const looks: number[] = []
  const offsets = new Proxy(batch.times.offsets, {
    get(target, name) {
      looks.push(Number(name))
      return target[Number(name)]
    },
  })
  return { batch: { ...batch, times: { ...batch.times, offsets } }, looks }
}

/** Batches that note the order of the reads. */
function noted(input: readonly LazyBatch[]) {
  const read: number[] = []
  const batches = input.map(
    (batch, i): LazyBatch => ({
      ...batch,
      read(use) {
        read.push(i)
        return batch.read(use)
      },
    }),
  )
  return { batches, read }
}

describe('the newest rows', () => {
  it('are those that a sort finds, ties by arrival, in whatever order batches are offered', async () => {
    const lists = fc.array(fc.array(fc.nat(8), { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 20 }), fc.nat(3), async (given, limit, offset) => {
        const input = given.map((timesUs) => {
          const batch = batchOf(timesUs)
          return edges(batch, whole(batch, isAscending(timesUs)))
        })
        const rows = given.flatMap((timesUs, batch) => timesUs.map((timestampUs, row) => ({ timestampUs, batch, row })))
        const expected = rows.sort((a, b) => b.timestampUs - a.timestampUs || b.batch - a.batch || b.row - a.row)
        expect(placesOf(await find(input, NEWEST, limit, { offset }))).toEqual(expected.slice(offset, offset + limit))
      }),
    )
  })

  it('are ranked among all rows of their time, whether these are kept or not', async () => {
    const lists = fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 6 })
    const direction = fc.constantFrom('asc' as const, 'desc' as const)
    await fc.assert(
      fc.asyncProperty(
        lists,
        direction,
        fc.constantFrom(1, 2, 5, 20, Number.POSITIVE_INFINITY),
        fc.nat(3),
        async (given, direction, limit, offset) => {
          const input = given.map((timesUs) => {
            const batch = batchOf(timesUs)
            return edges(batch, whole(batch, isAscending(timesUs)))
          })
          const arrived = given.flat()
          const ranked = arrived.map((us, i) => [us, arrived.slice(0, i + 1).filter((other) => other === us).length])
          ranked.sort(([us, rank], [otherUs, otherRank]) => us! - otherUs! || rank! - otherRank!)
          if (direction === 'desc') ranked.reverse()
          const found = await find(input, [key('timestamp', direction)], limit, { offset, rank: 'place' })
          expect(found.columns).toEqual(['place'])
          const places = found.rows.map(({ keys, values }) => [(keys[0] as Timestamp).us, ...values])
          expect(places).toEqual(ranked.slice(offset, offset + limit))
        },
      ),
    )
  })

  it('are ranked among rows that are dropped long after they were found', async () => {
    const times = Array.from({ length: 5_000 }, (_, i) => [1, 2, 2, 3][i % 4]!)
    const found = await find([edges(batchOf(times)), edges(batchOf(times))], NEWEST, 2_600, { rank: 'rank' })
    expect([found.rows[0], found.rows[2_499], found.rows[2_500], found.rows[2_599]].map((row) => row!.values)).toEqual([
      [2_500],
      [1],
      [5_000],
      [4_901],
    ])
  })

  it('are taken from the selected rows only', async () => {
    const selected: Selection = { kind: 'indices', indices: Uint32Array.of(0, 2), timeOrdered: false }
    expect(placesOf(await find([edges(batchOf([5, 9, 1]), selected)], NEWEST, 5))).toEqual([
      { timestampUs: 5, batch: 0, row: 0 },
      { timestampUs: 1, batch: 0, row: 2 },
    ])
  })

  it('may come from a batch while there is room, or while its newest row is as new as the last one found', async () => {
    const readFor = async (timesUs: readonly number[][], rows: number, keys = NEWEST) => {
      const { batches, read } = noted(timesUs.map((times) => edges(batchOf(times))))
      await find(batches, keys, rows)
      return read
    }
    expect(await readFor([[10], [20], [9]], 2)).toEqual([1, 0])
    expect(await readFor([[10], [20], [10], [11]], 2)).toEqual([1, 3])
    expect(await readFor([[10], [20], [10]], 2)).toEqual([1, 0, 2])
    expect(await readFor([[10], [20], [10]], 3)).toEqual([1, 0, 2])
    expect(await readFor([[10], [20], [9]], 1, [key('timestamp', 'asc')])).toEqual([2])
    expect(await readFor([[10], [20], [9]], 1, [key('id')])).toEqual([0, 1, 2])
  })

  it('are looked for from the newest on where rows ascend in time, and no further than needed', async () => {
    const { batch, looks } = watched(Array.from({ length: 1000 }, (_, i) => i))
    await find([edges(batch, whole(batch, true))], NEWEST, 3)
    expect(looks).toEqual([999, 998, 997, 996])
  })

  it('are looked for among all rows where they do not', async () => {
    const { batch, looks } = watched([9, 8, 7, 1, 2, 30])
    const found = await find([edges(batch)], NEWEST, 2)
    expect([...new Set(looks)]).toEqual([5, 4, 3, 2, 1, 0])
    expect(placesOf(found).map(({ timestampUs }) => timestampUs)).toEqual([30, 9])
  })
})

describe('the first rows of an order', () => {
  it.each([0, 1, 7, 2_000, 20_000])(`are the first %d of many (seed ${SEED})`, async (limit) => {
    const random = mulberry32(SEED)
    const items = Array.from({ length: 10_000 }, random)
    const input = [0, 1, 2, 3].map((i) => computed({ x: items.slice(i * 2_500, (i + 1) * 2_500) }))
    const { rows } = await find(input, [key('x', 'desc')], limit)
    expect(rows.map(({ keys }) => keys[0])).toEqual(items.toSorted((a, b) => b - a).slice(0, limit))
  })

  it('are those that a sort by several keys finds, of any types, with nulls where they are wanted', async () => {
    const value = fc.constantFrom<Scalar>(
      null,
      true,
      false,
      1,
      2.5,
      2n ** 60n,
      '',
      'a',
      new Timestamp(5),
      new RawJson('{}'),
    )
    const row = fc.tuple(value, value)
    const direction = fc.constantFrom('asc' as const, 'desc' as const)
    const nulls = fc.constantFrom('first' as const, 'last' as const)
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.tuple(direction, nulls),
        fc.tuple(direction, nulls),
        fc.nat(20),
        fc.nat(20),
        async (rows, first, second, limit, cut) => {
          const keys = [key('a', ...first), key('b', ...second)]
          const input = [rows.slice(0, cut), rows.slice(cut)].map((part) =>
            computed({ a: part.map(([a]) => a), b: part.map(([, b]) => b) }),
          )
          const found = await find(input, keys, limit, { columns: ['b', 'a'] })
          const sorted = rows.toSorted((x, y) => compare(x[0], y[0], keys[0]!) || compare(x[1], y[1], keys[1]!))
          expect(found.rows.map((one) => one.keys)).toEqual(sorted.slice(0, limit))
          expect(found.columns).toEqual(['b', 'a'])
          expect(found.rows.map(({ values }) => values.toReversed())).toEqual(sorted.slice(0, limit))
        },
      ),
    )
  })

  it('without keys are the first that there are, and no more batches are read', async () => {
    const { batches, read } = noted([computed({ x: [1, 2] }), computed({ x: [3, 4] }), computed({ x: [5] })])
    const { rows } = await find(batches, [], 2, { offset: 1, columns: ['x'] })
    expect(rows.map(({ values }) => values)).toEqual([[2], [3]])
    expect(read).toEqual([0, 1])
  })

  it('evaluate their columns in the rows that they may be alone', async () => {
    const early = [{ name: 'y', value: call('div', literal(1), column('x')) }]
    const sink = { op: 'top', keys: [key('x', 'desc')], rows: 1, offset: 0, columns: early, ...PLAIN } as const
    const { context } = runContext()
    const { rows } = await orderBy([computed({ x: [2, 1, 0, 1] })], sink, { early, late: [] }, context)
    expect(rows.map(({ values }) => values)).toEqual([[0.5]])
  })

  it('may take so much memory and no more', async () => {
    const input = [computed({ x: Array.from({ length: 5_000 }, (_, i) => `${i} ${'x'.repeat(50)}`) })]
    expect((await find(input, [key('x')], 10, { bytes: 10_000 })).rows).toHaveLength(10)
    await expect(find(input, [key('x')], 5_000, { bytes: 100_000 })).rejects.toMatchObject({ code: 'too_much_memory' })
  })

  it('yield to others', async () => {
    let yields = 0
    const { context } = runContext({}, () => void yields++)
    const input = [computed({ x: Array.from({ length: 20_000 }, (_, i) => i) })]
    await orderBy(
      input,
      { op: 'top', keys: [key('x')], rows: 1, offset: 0, columns: [], ...PLAIN },
      { early: [], late: [] },
      context,
    )
    expect(yields).toBeGreaterThanOrEqual(5)
  })
})

function compare(a: Scalar, b: Scalar, { direction, nulls }: SortKey): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === (nulls === 'first') ? -1 : 1
  return direction === 'asc' ? compareAll(a, b) : compareAll(b, a)
}

describe('columns', () => {
  const named = (name: string, value: Expression = column(name)) => ({ name, value })

  it('that need cold ones are left for later, and what else they need is read early', () => {
    const columns = [
      named('id'),
      named('url'),
      named('x', call('concat', column('event_message'), column('url'), column('project'))),
      named('y', literal(1)),
    ]
    const { early, late } = splitColumns(columns, true)
    expect(late).toEqual([columns[0], columns[2]])
    expect(early).toEqual([
      columns[1],
      columns[3],
      ...['url', 'project'].map((name) => named(leafName(name), column(name))),
    ])
    expect(splitColumns(columns, false)).toEqual({ early: columns, late: [] })
  })

  it('that were left are read of the rows found, in their order, batch by batch', async () => {
    const batches = [
      [3, 1],
      [2, 4],
    ].map((times, batch) =>
      openBatch(
        times.map((timestampUs) =>
          edge({ id: `${timestampUs}`, timestampUs, metadata: { request: { url: `u${batch}` } } }),
        ),
      ),
    )
    const columns = [named('x', call('concat', column('id'), column('url')))]
    const { early, late } = splitColumns(columns, true)
    const sink = { op: 'top', keys: NEWEST, rows: 3, offset: 0, columns, ...PLAIN } as const
    const found = await orderBy(
      batches.map((batch) => edges(batch)),
      sink,
      { early, late },
      runContext().context,
    )
    const frame = lateFrame(found)
    await loadRange(frame, 0, frame.rows)
    const values = Array.from({ length: frame.rows }, (_, i) => [frame.column('id')!.at(i), frame.column('url')!.at(i)])
    expect(values).toEqual([
      ['4', 'u1'],
      ['3', 'u0'],
      ['2', 'u1'],
    ])
    await loadRange(frame, 1, 2)
    expect(frame.column('id')!.at(1)).toBe('3')
    expect(frame.column('nothing')).toBeUndefined()
  })
})
