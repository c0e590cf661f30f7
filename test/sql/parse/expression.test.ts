import { describe, expect, it } from 'vitest'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
import { parseStatement } from '../../../src/sql/parse/parse-statement.js'
import type { Node } from '../../../src/sql/parse/tree.js'

/** An expression in parentheses, operators by the names of their functions. */
function shown(node: Node): string {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? `'${node.value}'` : String(node.value)
    case 'parameter':
      return `@${node.name}`
    case 'name':
      return node.steps.join('.')
    case 'interval':
      return `interval(${shown(node.count)} ${node.unit})`
    case 'inQuery':
      return `in_query(${shown(node.value)})`
    case 'call':
      return `${node.name}(${node.isStar ? '*' : node.args.map(shown).join(', ')})`
    case 'operator':
      return `${node.fn}(${node.args.map(shown).join(', ')})`
  }
}

function parsed(expression: string): string {
  const { body } = parseStatement(`select ${expression} as x`, SQL_LIMITS).query
  const item = body.kind === 'select' ? body.items[0] : undefined
  return item?.kind === 'value' ? shown(item.value) : ''
}

describe('how tightly operators bind', () => {
  it.each([
    ['a or b and c', 'or(a, and(b, c))'],
    ['a and b or c and d', 'or(and(a, b), and(c, d))'],
    ['a or b or c', 'or(a, b, c)'],
    ['a and b and c', 'and(a, b, c)'],
    ['not a and b', 'and(not(a), b)'],
    ['not a = b', 'not(eq(a, b))'],
    ['not not a', 'not(not(a))'],
    ['-9223372036854775808 + 1', 'add(neg(9223372036854775808), 1)'],
    ['- -9223372036854775808', 'neg(neg(9223372036854775808))'],
    ['-9223372036854775808::string', 'neg(cast_string(9223372036854775808))'],
    ['-(9223372036854775808)', 'neg(9223372036854775808)'],
    ['-9223372036854775807', 'neg(9223372036854775807)'],
    ['not not not a', 'not(a)'],
    ['a = b and c <> d', 'and(eq(a, b), ne(c, d))'],
    ['a + b * c', 'add(a, mul(b, c))'],
    ['a - b - c', 'sub(sub(a, b), c)'],
    ['a / b * c', 'mul(div(a, b), c)'],
    ['(a + b) * c', 'mul(add(a, b), c)'],
    ['a + b > c', 'gt(add(a, b), c)'],
    ['-a + b', 'add(neg(a), b)'],
    ['-a * -b', 'mul(neg(a), neg(b))'],
    ['- - a', 'neg(neg(a))'],
    ['- - - a', 'neg(a)'],
    ['a || b || c', 'concat(a, b, c)'],
    ['a || b = c', 'eq(concat(a, b), c)'],
    ['a::int64 + 1', 'add(cast_int64(a), 1)'],
    ['-a::string', 'neg(cast_string(a))'],
    ['a::int64::string', 'cast_string(cast_int64(a))'],
    ['a is null or b', 'or(is_null(a), b)'],
    ['a is not null and b', 'and(not(is_null(a)), b)'],
    ['not a is true', 'not(is_true(a))'],
    ['a between b and c and d', 'and(and(ge(a, b), le(a, c)), d)'],
    ['a not between 1 + 1 and 3', 'not(and(ge(a, add(1, 1)), le(a, 3)))'],
    ['a in (b, c) or d', 'or(in(a, b, c), d)'],
    ['a not in (1)', 'not(in(a, 1))'],
    ['a in (select 1)', 'in_query(a)'],
    ["a like 'b' || 'c'", "like(a, concat('b', 'c'))"],
    ["not a not like 'b'", "not(not(like(a, 'b')))"],
    ["a ilike 'b' and c", "and(ilike(a, 'b'), c)"],
    ['case when a or b then c + 1 else d end', 'case(or(a, b), add(c, 1), d)'],
    ['case a when b then c end', 'case(eq(a, b), c)'],
    ['split(a)[offset(0)]', 'offset(split(a), 0)'],
    ['split(a)[safe_offset(b + 1)]::int64', 'cast_int64(safe_offset(split(a), add(b, 1)))'],
    ['a + interval 1 + 1 hour', 'add(a, interval(add(1, 1) hour))'],
    ['a.b.c = @d', 'eq(a.b.c, @d)'],
    ['count(*) > 1', 'gt(count(*), 1)'],
    ['extract(hour from a) = 1', "eq(extract(a, 'hour'), 1)"],
    ['safe_cast(a as int64) + 1', 'add(safe_cast_int64(a), 1)'],
    ['left + 1', undefined],
  ] as const)('%s', (expression, expected) => {
    if (expected === undefined) expect(() => parsed(expression)).toThrow('found the word left')
    else expect(parsed(expression)).toBe(expected)
  })
})
