import { describe, expect, it } from 'vitest'
import { equals, scan } from '../../src/plan/builder.js'
import { column } from '../../src/plan/expression.js'
import type { Plan } from '../../src/plan/plan.js'
import { withinTime } from '../../src/plan/within-time.js'

const ALWAYS = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const rows = (fromUs: number, throughUs: number): Plan =>
  scan('edge_logs', { fromUs, throughUs })
    .filter(equals('project', 'a'))
    .select('id')
    .orderBy('timestamp', 'desc')
    .limit(9)

describe('a plan within a range of time', () => {
  it.each([
    ['one that the scan contains', [10, 20], [12, 18], [12, 18]],
    ['one that contains the scan', [12, 18], [10, 20], [12, 18]],
    ['one that overlaps its end', [10, 20], [15, 30], [15, 20]],
    ['one that overlaps its start', [10, 20], [5, 15], [10, 15]],
    ['one after it, which is an empty range', [10, 20], [25, 30], [25, 20]],
  ] as const)('reads only %s', (_about, own, [fromUs, throughUs], both) => {
    expect(withinTime(rows(own[0], own[1]), { fromUs, throughUs })).toEqual(rows(both[0], both[1]))
  })

  it('is the same plan if the range has no bounds', () => {
    expect(withinTime(rows(1, 2), ALWAYS)).toEqual(rows(1, 2))
    expect(withinTime([], ALWAYS)).toEqual([])
  })

  it('reads only the range in each plan of a union, and of a union in it', () => {
    const union = (...plans: Plan[]): Plan => [
      { op: 'union', plans },
      { op: 'limit', rows: 1, offset: 0 },
    ]
    const plan = union(rows(0, 9), union(rows(4, 20), rows(6, 7)))
    expect(withinTime(plan, { fromUs: 5, throughUs: 8 })).toEqual(union(rows(5, 8), union(rows(5, 8), rows(6, 7))))
  })

  it('reads only the range in the plan of isIn', () => {
    const isIn = (outer: Plan, inner: Plan): Plan => [
      ...outer.slice(0, 1),
      { op: 'isIn', value: column('id'), plan: inner, name: 'known' },
      ...outer.slice(1),
    ]
    const plan = isIn(rows(0, 9), isIn(rows(4, 20), rows(1, 2)))
    expect(withinTime(plan, { fromUs: 2, throughUs: 8 })).toEqual(isIn(rows(2, 8), isIn(rows(4, 8), rows(2, 2))))
  })
})
