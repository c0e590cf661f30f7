import { describe, expect, it } from 'vitest'
import type { Filter, FilterEntry } from '../../../src/page/api/explore.js'
import {
  excludeValue,
  filterText,
  keepValue,
  withFilter,
  withoutFilter,
} from '../../../src/page/explore/model/filters.js'

const equals = (field: string, value: unknown): Filter => ({ field, op: '=', value })
const differs = (field: string, value: unknown): Filter => ({ field, op: '!=', value })

describe('a filter', () => {
  it.each<[FilterEntry, string]>([
    [equals('request.method', 'GET'), 'request.method = GET'],
    [differs('a', ''), 'a ≠ (empty)'],
    [{ field: 'a', op: '>=', value: 500 }, 'a ≥ 500'],
    [{ field: ['a.b', 'c'], op: 'in', value: ['x', 1] }, 'a.b.c in (x, 1)'],
    [{ field: 'a', op: 'missing' }, 'a is missing'],
    [{ field: 'a', op: 'matches', value: '^x' }, 'a matches /^x/'],
    [{ field: 'a', op: 'contains', value: 'x' }, 'a contains “x”'],
    [equals('a', null), 'a = null'],
    [[equals('a', 1), { field: 'b', op: 'missing' }], 'a = 1 or b is missing'],
  ])('%j is shown as %s', (filter, text) => expect(filterText(filter)).toBe(text))

  it('is added once, and removed', () => {
    const filters = withFilter([equals('a', 1)], equals('b', 2))
    expect(withFilter(filters, equals('a', 1))).toBe(filters)
    expect(withoutFilter(filters, equals('a', 1))).toEqual([equals('b', 2)])
    expect(withoutFilter(filters, equals('a', '1'))).toEqual(filters)
    const either = [equals('a', 1), equals('b', 2)]
    expect(withoutFilter([...filters, either], either)).toEqual(filters)
    expect(withFilter([either], equals('a', 1))).toEqual([either, equals('a', 1)])
  })
})

describe('a click on a value', () => {
  it('keeps it, next to those of its field that are kept', () => {
    const first = keepValue([], 'a', 'x')
    expect(first).toEqual([equals('a', 'x')])
    expect(keepValue(first, 'a', 'x')).toEqual(first)
    const second = keepValue([...first, equals('b', 1)], 'a', 'y')
    expect(second).toEqual([{ field: 'a', op: 'in', value: ['x', 'y'] }, equals('b', 1)])
    expect(keepValue(second, 'a', 'z')[0]).toEqual({ field: 'a', op: 'in', value: ['x', 'y', 'z'] })
    expect(keepValue([differs('a', 'x')], 'a', 'x')).toEqual([equals('a', 'x')])
    const either = [equals('a', 'x'), equals('b', 1)]
    expect(keepValue([either], 'a', 'y')).toEqual([either, equals('a', 'y')])
  })

  it('excludes it instead of keeping it', () => {
    expect(excludeValue([], 'a', 'x')).toEqual([differs('a', 'x')])
    expect(excludeValue([equals('a', 'x'), equals('b', 1)], 'a', 'x')).toEqual([equals('b', 1), differs('a', 'x')])
    expect(excludeValue([differs('a', 'x')], 'a', 'x')).toEqual([differs('a', 'x')])
    expect(excludeValue([differs('a', 'x')], 'a', 'y')).toEqual([differs('a', 'x'), differs('a', 'y')])
  })
})
