import { describe, expect, it } from 'vitest'
import { column, type Expression, literal } from '../../../src/plan/expression.js'
import { Timestamp } from '../../../src/plan/values/values.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { NOW_US } from '../cases/case.js'

/** The expression of the only column of a query. */
function compiled(expression: string): Expression | undefined {
  const plan = readSql(`select ${expression} as x from edge_logs`).plan({}, NOW_US)
  const select = plan.find(({ op }) => op === 'select')
  return select?.op === 'select' ? select.columns[0]!.value : undefined
}

/** The name of the function that is called for each row. */
const called = (expression: string) => {
  const made = compiled(expression)
  return made?.kind === 'call' ? made.fn : made
}

describe('what is known when a text is compiled', () => {
  it.each([
    ['1 + 2 * 3', literal(7)],
    ["upper('a')", literal('A')],
    ["regexp_contains('abc', 'b')", literal(true)],
    ['current_timestamp()', literal(new Timestamp(NOW_US))],
    ['timestamp_sub(current_timestamp(), interval 1 hour)', literal(new Timestamp(NOW_US - 3_600_000_000))],
    ['1 = 1 and 2 > 1', literal(true)],
    ["null = 'a'", literal(null)],
    ['lower(null)', literal(null)],
    ['if(true, id, event_message)', column('id')],
    ['if(null, id, event_message)', column('event_message')],
    ["case when false then 'a' when true then id end", column('id')],
    ['coalesce(null, id)', column('id')],
    ["coalesce('a', id)", literal('a')],
    ['case when false then 1 end', literal(null)],
    ['1 in (2, 1)', literal(true)],
  ])('%s is a value or a column', (expression, expected) => {
    const made = compiled(expression)
    expect(made).toEqual(expected)
  })

  it.each([
    ['1 / 0', 'div'],
    ["cast('a' as int64)", 'cast_int64'],
    ["upper(split('a')[offset(1)])", 'upper'],
    ['cast(null as int64)', 'cast_int64'],
    ["concat(id, 'a')", 'concat'],
    ["id = 'a' and true", 'and'],
    ["id = 'a' and false", 'and'],
  ])('%s is computed for each row', (expression, fn) => {
    expect(called(expression)).toBe(fn)
  })

  it('texts of more than 1,024 characters are not computed in advance', () => {
    expect(compiled(`upper('${'a'.repeat(1024)}')`)).toEqual(literal('A'.repeat(1024)))
    expect(called(`upper('${'a'.repeat(1025)}')`)).toBe('upper')
  })
})
