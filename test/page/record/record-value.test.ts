import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/page/api/api.js'
import {
  excludeCondition,
  keepCondition,
  kindOf,
  membersOf,
  sizeOf,
  textOf,
} from '../../../src/page/record/record-value.js'

const LONG = 'x'.repeat(1_001)

describe('a value of a record', () => {
  const values = parseExact('["a", "", 1, 1.5, true, null, {"a":1}, [], {}]') as unknown[]

  it('has a kind, and a text', () => {
    const kinds = ['text', 'text', 'number', 'number', 'boolean', 'null', 'branch', 'branch', 'branch']
    expect(values.map(kindOf)).toEqual(kinds)
    expect(values.map(textOf)).toEqual(['a', '', '1', '1.5', 'true', 'null', '{\n  "a": 1\n}', '[]', '{}'])
    expect([kindOf(undefined), textOf(undefined)]).toEqual(['null', 'null'])
  })

  it('has conditions that keep and exclude rows with it', () => {
    expect(values.map(keepCondition)).toEqual([
      { op: '=', value: 'a' },
      { op: '=', value: '' },
      { op: '=', value: 1 },
      { op: '=', value: 1.5 },
      { op: '=', value: true },
      { op: 'missing' },
      undefined,
      undefined,
      undefined,
    ])
    expect(values.slice(4, 7).map(excludeCondition)).toEqual([{ op: '!=', value: true }, { op: 'exists' }, undefined])
    expect([keepCondition(LONG), excludeCondition(LONG)]).toEqual([undefined, undefined])
    expect(keepCondition(LONG.slice(1))).toEqual({ op: '=', value: LONG.slice(1) })
  })

  it('has members and a size if it is an object or a list', () => {
    expect(membersOf({ a: 1, __proto__: null, 'b.c': 2 })).toEqual([
      ['a', 1],
      ['b.c', 2],
    ])
    expect(membersOf(['x'])).toEqual([[0, 'x']])
    expect([{}, { a: 1 }, [1], [1, 2], Array(1_234)].map(sizeOf)).toEqual([
      '0 fields',
      '1 field',
      '1 element',
      '2 elements',
      '1,234 elements',
    ])
  })
})
