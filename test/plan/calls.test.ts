import { describe, expect, it } from 'vitest'
import { AGGREGATES } from '../../src/plan/aggregates.js'
import { agg, fn } from '../../src/plan/calls.js'
import { call, column, literal } from '../../src/plan/expression.js'
import { FUNCTIONS } from '../../src/plan/functions/table.js'

describe('calls', () => {
  it('are there for every function and every aggregate', () => {
    expect(Object.keys(fn)).toEqual(Object.keys(FUNCTIONS))
    expect(Object.keys(agg)).toEqual(Object.keys(AGGREGATES))
  })

  it('take a name first, and texts, numbers and expressions behind it', () => {
    expect(fn.lower('url')).toEqual(call('lower', column('url')))
    expect(fn.in('metadata.level', 'error', null, column('id'))).toEqual(
      call('in', column('metadata.level'), literal('error'), literal(null), column('id')),
    )
    expect(fn.coalesce(literal('a'), 'b')).toEqual(call('coalesce', literal('a'), literal('b')))
    expect(fn.if(fn.lt('status_code', 400), 'good', 5n)).toEqual(
      call('if', call('lt', column('status_code'), literal(400)), literal('good'), literal(5n)),
    )
    expect(agg.quantile('status_code', 95)).toEqual({ fn: 'quantile', args: [column('status_code'), literal(95)] })
    expect(agg.count()).toEqual({ fn: 'count', args: [] })
  })

  it('take the name second behind a format', () => {
    expect(fn.format_timestamp('%H', 'timestamp')).toEqual(call('format_timestamp', literal('%H'), column('timestamp')))
    expect(fn.parse_timestamp('%H', 'event_message')).toEqual(
      call('parse_timestamp', literal('%H'), column('event_message')),
    )
  })

  it('leave out what is undefined', () => {
    expect(fn.trim('url', undefined)).toEqual(fn.trim('url'))
    expect(agg.count(undefined)).toEqual(agg.count())
  })
})

/** Never called: the compiler checks the body. */
function wrongCalls() {
  // @ts-expect-error: no function of that name
  fn.median('url')
  // @ts-expect-error: this one is of engines
  fn.field_text('metadata', 'level')
  // @ts-expect-error: so is this
  fn.in_list('url', ['a'])
  // @ts-expect-error: and this is of SQL
  fn.repeated('metadata')
  // @ts-expect-error: an argument is missing
  fn.starts_with('url')
  // @ts-expect-error: one is too many
  fn.lower('url', 'id')
  // @ts-expect-error: the first is a name or an expression
  fn.lower(5)
  // @ts-expect-error: a pattern is a text
  fn.regexp_extract('url', column('id'))
  // @ts-expect-error: no unit of time
  fn.timestamp_trunc('timestamp', 'fortnight')
  // @ts-expect-error: no part of a time
  fn.extract('timestamp', 'century')
  // @ts-expect-error: no type
  fn.cast_text('url')
  // @ts-expect-error: a text is no number
  fn.add('status_code', '1')
  // @ts-expect-error: an aggregate is no value
  fn.not(agg.count())
  // @ts-expect-error: no aggregate of that name
  agg.median('status_code')
  // @ts-expect-error: a percentage is a number
  agg.quantile('status_code', '95')
  // @ts-expect-error: a value is missing
  agg.sum()

  fn.timestamp_diff('timestamp', column('timestamp'), 'isoweek')
  fn.case(fn.is_null('url'), 'none', fn.like('url', '%x'), 1, column('id'))
  fn.or(fn.and('metadata.a', true), fn.not('metadata.b'))
}

it('wrong calls do not compile', () => {
  expect(wrongCalls).toBeTypeOf('function')
})
