import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../../src/page/api/explore.js'
import { addRows, appendRows, indexOfRow } from '../../../src/page/explore/model/row-store.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const RUNS = 200

/** Keeps the rows between calls, as the model of the explorer does. */
function createRowStore(maxRows: number) {
  let rows: readonly LogRow[] = []
  return {
    get rows() {
      return rows
    },
    get isFull() {
      return rows.length >= maxRows
    },
    replace(next: readonly LogRow[]) {
      rows = next
    },
    append(older: readonly LogRow[]) {
      const before = rows.length
      rows = appendRows(rows, older, maxRows)
      return rows.length - before
    },
    add(given: readonly LogRow[]) {
      const { rows: next, ...added } = addRows(rows, given, maxRows)
      rows = next
      return added
    },
    indexOf: (row: LogRow) => indexOfRow(rows, row),
  }
}

const row = (timestampUs: number, rank: number, id = `${timestampUs}.${rank}`): LogRow => ({
  ...{ timestampUs, rank, id },
  line: id,
})
const idsOf = ({ rows }: { rows: readonly LogRow[] }) => rows.map(({ id }) => id)

describe('the store of rows', () => {
  it('has each row once, newest first, however rows are added', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < RUNS; run++) {
      const text = `seed ${seed}, run ${run}`
      const all = Array.from({ length: 40 }, (_, i) => row(1 + Math.floor(i / 4), 1 + (i % 4)))
      const newestFirst = all.toReversed()
      const store = createRowStore(1_000)
      const [first, older] = [10 + below(random, 10), 20 + below(random, 10)]
      store.replace(newestFirst.slice(first, older))
      expect(store.append(newestFirst.slice(older))).toBe(40 - older)
      const given = Array.from({ length: below(random, 30) }, () => all[below(random, all.length)]!)
      const newest = newestFirst[first]!
      const newer = new Set(
        given.filter(
          ({ timestampUs, rank }) =>
            timestampUs > newest.timestampUs || (timestampUs === newest.timestampUs && rank > newest.rank),
        ),
      )
      expect(store.add(given), text).toEqual({ newer: newer.size, isChanged: newer.size > 0 })
      const expected = newestFirst.filter((one, i) => i >= first || newer.has(one))
      expect(idsOf(store), text).toEqual(expected.map(({ id }) => id))
      for (const [i, one] of expected.entries()) expect(store.indexOf(one)).toBe(i)
    }
  })

  it('inserts rows that arrived late, each once, whether their rank is known or not', () => {
    const store = createRowStore(1_000)
    store.replace([row(30, 1), row(20, 2), row(20, 1), row(10, 1)])
    expect(store.add([row(20, 0.1, 'late'), row(25, 1)])).toEqual({ newer: 0, isChanged: true })
    expect(idsOf(store)).toEqual(['30.1', '25.1', '20.2', '20.1', 'late', '10.1'])
    // The same row again, without and with a rank.
    expect(store.add([row(20, 0.2, 'late')])).toEqual({ newer: 0, isChanged: false })
    expect(store.add([row(20, 3, 'late')])).toEqual({ newer: 0, isChanged: false })
    // A row that the store has with a rank.
    expect(store.add([row(20, 0.3, '20.1')])).toEqual({ newer: 0, isChanged: false })
    expect(store.indexOf(row(20, 3))).toBe(-1)
  })

  it('has late rows of the same time once, in whatever order they arrive again', () => {
    const store = createRowStore(1_000)
    store.replace([row(20, 1)])
    expect(store.add([row(20, 0.1, 'first'), row(20, 0.2, 'second')])).toEqual({ newer: 0, isChanged: true })
    for (const id of ['first', 'second'])
      expect(store.add([row(20, 0.3, id), row(20, 0.4, id)]), id).toEqual({ newer: 0, isChanged: false })
    expect(store.add([row(20, 0.5, 'third'), row(20, 0.6, 'third')])).toEqual({ newer: 0, isChanged: true })
    expect(idsOf(store)).toEqual(['20.1', 'third', 'second', 'first'])
  })

  it('is bounded: keeps the newest', () => {
    const store = createRowStore(3)
    store.replace([row(5, 1), row(4, 1)])
    expect(store.isFull).toBe(false)
    expect(store.append([row(3, 1), row(2, 1)])).toBe(1)
    expect(store.isFull).toBe(true)
    expect(store.add([row(7, 1), row(6, 1)])).toEqual({ newer: 2, isChanged: true })
    expect(idsOf(store)).toEqual(['7.1', '6.1', '5.1'])
    store.replace([])
    expect(store.add([row(1, 1)])).toEqual({ newer: 1, isChanged: true })
    expect(idsOf(store)).toEqual(['1.1'])
  })
})
