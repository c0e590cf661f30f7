import { describe, expect, it } from 'vitest'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import { expressionKey } from '../../src/plan/expression-key.js'
import { CivilDate, Datetime, RawJson, Timestamp } from '../../src/plan/values/values.js'

const DIFFERENT: readonly Expression[] = [
  column('a'),
  column('b'),
  column(''),
  column('"a"'),
  column('a,b'),
  column('null:null'),
  column('add("a","b")'),
  ...[
    null,
    true,
    false,
    0,
    1,
    1.5,
    2n ** 60n,
    'a',
    '',
    '1',
    'true',
    'null',
    '2026-11-24',
    new Timestamp(1),
    new Datetime(1),
    new Datetime(2),
    new CivilDate(0),
    new RawJson('{}'),
    new RawJson('"a"'),
    new RawJson('[1]'),
    ['a'],
    ['a', 'b'],
    ['a,b'],
    [1],
    ['1'],
    [[1]],
    [new Datetime(0)],
    ['1970-01-01T00:00:00'],
    [new RawJson('[1]')],
  ].map((value) => literal(value)),
  call('add', column('a'), column('b')),
  call('add', column('b'), column('a')),
  call('sub', column('a'), column('b')),
  call('add', column('a,b')),
  call('add', call('add', column('a'), column('b')), column('c')),
  call('add', column('a'), call('add', column('b'), column('c'))),
  call('concat', literal('a'), literal('b')),
  call('concat', literal('a,b'), literal('c')),
  call('concat', literal('x'.repeat(300))),
  call('concat', literal(`${'x'.repeat(300)}y`)),
]

describe('the key of an expression', () => {
  it('is equal for expressions that mean the same, whatever objects they are', () => {
    for (const expression of DIFFERENT) expect(expressionKey(copyOf(expression))).toBe(expressionKey(expression))
  })

  it('is another for each other expression', () => {
    expect(new Set(DIFFERENT.map(expressionKey)).size).toBe(DIFFERENT.length)
  })

  it('stays short, however long the expression is', () => {
    const long = Array.from({ length: 1_000 }).reduce<Expression>(
      (sum) => call('add', sum, literal('x'.repeat(50))),
      column('a'),
    )
    expect(expressionKey(long).length).toBeLessThanOrEqual(200)
    expect(expressionKey(call('lower', column('a')))).toBe('lower("a")')
  })

  it('costs an object that occurs often once', () => {
    const doubled = Array.from({ length: 60 }).reduce<Expression>((sum) => call('add', sum, sum), column('a'))
    expect(expressionKey(doubled).length).toBeLessThan(200)
  })
})

/** The same as another object. */
function copyOf(expression: Expression): Expression {
  return expression.kind === 'call' ? { ...expression, args: expression.args.map(copyOf) } : { ...expression }
}
