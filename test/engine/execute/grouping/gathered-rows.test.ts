import { describe, expect, it } from 'vitest'
import type { Column, HotRows } from '../../../../src/engine/execute/columns/batch.js'
import { narrowNumbers } from '../../../../src/engine/execute/columns/numbers.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import { createGatheredRows } from '../../../../src/engine/execute/grouping/gathered-rows.js'
import { call, column, field, literal } from '../../../../src/plan/expression.js'
import { Timestamp } from '../../../../src/plan/values/values.js'
import { dictionary, ofKind, valuesOf } from '../../store/support.js'

const NUMBERS: Column = narrowNumbers(Float64Array.of(1, 70_000, Number.NaN, 0.5))
const AREAS: Column = { kind: 'areas', flags: Uint8Array.of(1, 2, 3, 0) }
const TEXTS: Column = { kind: 'text', codes: Uint8Array.of(1, 1, 1, 1), dictionary: dictionary(['x']) }

/** Some of four rows with the times 1,003 to 1,009 in steps of two. */
function rows(selection: Selection, columns: Record<string, Column>): HotRows {
  const times = { baseUs: 1_003, unitUs: 2, offsets: Uint32Array.of(0, 1, 2, 3) }
  return { batch: { times, minUs: 1_003, maxUs: 1_009, columns: new Map(Object.entries(columns)) }, selection }
}

const [n, timestamp, a] = [column('n'), column('timestamp'), column('a')]

describe('gathered rows', () => {
  it('have the times, numbers and areas of the selected rows, one batch after the other', () => {
    const gathered = createGatheredRows([n, timestamp, call('contains', a, literal('/auth'))])!
    const indices = Uint32Array.of(0, 3)
    expect(gathered.add(rows(range(1, 3, true), { n: NUMBERS, a: AREAS }))).toBe(true)
    expect(gathered.add(rows({ kind: 'indices', indices, timeOrdered: true }, { n: NUMBERS, a: AREAS }))).toBe(true)
    const made = gathered.take()
    expect(valuesOf(made, ['n', 'timestamp'])).toEqual([
      [70_000, new Timestamp(1_005)],
      [null, new Timestamp(1_007)],
      [1, new Timestamp(1_003)],
      [0.5, new Timestamp(1_009)],
    ])
    expect([0, 1, 2, 3].map(ofKind(made.column('a')!, 'areas').areasAt)).toEqual([2, 3, 1, 0])
    expect([made.stored!.batch.minUs, made.stored!.batch.maxUs]).toEqual([1_003, 1_009])
    expect(createEvaluate(made)(call('timestamp_trunc', timestamp, literal('second'))).kind).toBe('spans')
  })

  it('are those since the last call, and stay as they were', () => {
    const gathered = createGatheredRows([n])!
    expect(gathered.take().rows).toBe(0)
    gathered.add(rows(range(0, 1, true), { n: NUMBERS }))
    const first = gathered.take()
    gathered.add(rows(range(1, 2, true), { n: NUMBERS }))
    expect(valuesOf(gathered.take(), ['n'])).toEqual([[70_000]])
    expect(valuesOf(first, ['n'])).toEqual([[1]])
  })

  it('leave out batches with texts, without a column, or with a column of another kind than before', () => {
    const gathered = createGatheredRows([n])!
    expect(gathered.add(rows(range(0, 1, true), { n: TEXTS }))).toBe(false)
    expect(gathered.add(rows(range(0, 1, true), {}))).toBe(false)
    expect(gathered.add(rows(range(0, 1, true), { n: NUMBERS }))).toBe(true)
    expect(gathered.add(rows(range(0, 1, true), { n: AREAS }))).toBe(false)
    expect(valuesOf(gathered.take(), ['n'])).toEqual([[1]])
    expect(gathered.add(rows(range(0, 1, true), { n: AREAS }))).toBe(true)
  })

  it('are not many, of one batch or of all', () => {
    const gathered = createGatheredRows([])!
    const many = (count: number) => rows(range(0, count, true), {})
    expect(gathered.add(many(513))).toBe(false)
    const added = Array.from({ length: 40 }, () => gathered.add(many(512)))
    expect(added.filter((isAdded) => isAdded)).toHaveLength(32)
    expect(gathered.take().rows).toBe(16_384)
    expect(gathered.add(many(512))).toBe(true)
  })

  it('cannot be had for what is stored cold', () => {
    expect(createGatheredRows([n, column('event_message')])).toBeUndefined()
    expect(createGatheredRows([field('request.method')])).toBeUndefined()
  })
})
