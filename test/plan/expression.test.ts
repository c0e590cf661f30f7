import { expect, it } from 'vitest'
import { call, column, columnsOf, conjunctsOf, type Expression, literal } from '../../src/plan/expression.js'

const [a, b, c] = [column('a'), column('b'), column('c')] as const

/** An expression that holds another expression 2^levels times, as the same object. */
function doubled(expression: Expression, fn: 'and' | 'add', levels: number): Expression {
  return levels === 0 ? expression : doubled(call(fn, expression, expression), fn, levels - 1)
}

it('the columns of an expression are those that it reads, each once', () => {
  expect([...columnsOf(call('add', a, call('if', b, literal(1), a)))]).toEqual(['a', 'b'])
  expect([...columnsOf(literal(1))]).toEqual([])
  expect([...columnsOf(doubled(a, 'add', 60))]).toEqual(['a'])
})

it('the terms of a conjunction are those of its conjunctions too, in their order', () => {
  expect(conjunctsOf(call('and', a, call('and', b, call('or', b, c)), c))).toEqual([a, b, call('or', b, c), c])
  expect(conjunctsOf(a)).toEqual([a])
  expect(conjunctsOf(call('or', a, b))).toEqual([call('or', a, b)])
  expect(conjunctsOf(doubled(a, 'and', 60))).toEqual([a])
})
