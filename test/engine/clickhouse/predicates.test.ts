import { describe, expect, it } from 'vitest'
import { lowerPredicate, whereOf } from '../../../src/engine/clickhouse/predicates.js'
import { type Predicate, shapeOf } from '../../../src/engine/clickhouse/shape.js'
import { textValue } from '../../../src/engine/clickhouse/values.js'
import { AREAS } from '../../../src/engine/columns.js'
import { atLeast, contains, equals, matches, scan } from '../../../src/plan/builder.js'
import type { Expression } from '../../../src/plan/expression.js'
import type { SourceName } from '../../../src/sources.js'

/** The condition of a plan over a source, as it is sent. */
function lowered(condition: Expression, source: SourceName): string {
  const plan = scan(source, { fromUs: 0, throughUs: 1 }).filter(condition).select('id').orderBy('timestamp', 'desc')
  return lowerPredicate(shapeOf(plan.limit(1))!.predicates[0]!, source)
}
const edge = (condition: Expression) => lowered(condition, 'edge_logs')
const relay = (condition: Expression) => lowered(condition, 'function_edge_logs')
/** Returns a pattern as the argument of `match`: RE2's meaning of `.`, and an alternative without literal. */
const pattern = (source: string) => textValue(`(?-s)(?:${source})|[^\\x00-\\x{10FFFF}]`)

describe('a predicate', () => {
  it('on a category finds no empty text, which stands for an absent one', () => {
    expect(edge(equals('project', 'a'))).toBe(`project = ${textValue('a')}`)
    expect(edge(equals('project', ''))).toBe('0')
    expect(relay(equals('function_id', ''))).toBe('0')
    expect(relay(equals('function_id', "f'"))).toBe(`function_id = ${textValue("f'")}`)
  })

  it('on a text tells an empty one from an absent one, and is never null', () => {
    expect(edge(equals('url', ''))).toBe(`ifNull(url = ${textValue('')}, 0)`)
    expect(edge(contains('url', ''))).toBe('isNotNull(url)')
    expect(edge(contains('url', 'a'))).toBe(`ifNull(position(url, ${textValue('a')}) > 0, 0)`)
  })

  it('with a pattern looks for the text that it needs first, and for that alone where it is all', () => {
    expect(edge(matches('url', 'abc'))).toBe(`ifNull(position(url, ${textValue('abc')}) > 0, 0)`)
    expect(edge(matches('url', 'abc.+'))).toBe(
      `ifNull(position(url, ${textValue('abc')}) > 0, 0) AND ifNull(match(url, ${pattern('abc.+')}), 0)`,
    )
    expect(edge(matches('url', '[ab]'))).toBe(`ifNull(match(url, ${pattern('[ab]')}), 0)`)
  })

  it('on an area is its bit', () => {
    AREAS.forEach((area, bit) => {
      expect(edge(contains('path', area))).toBe(`bitTest(path, ${bit})`)
    })
  })

  it('on a number is never null', () => {
    expect(relay(atLeast('status_code', 400))).toBe('ifNull(status_code >= toFloat64(400), 0)')
  })

  it('on a category with a pattern or a text that it holds passes no absent one', () => {
    const isPresent = `function_id != ${textValue('')} AND `
    expect(relay(matches('function_id', '[ab]'))).toBe(`${isPresent}ifNull(match(function_id, ${pattern('[ab]')}), 0)`)
    expect(relay(contains('function_id', ''))).toBe(`${isPresent}isNotNull(function_id)`)
  })

  it.each<[Predicate, string]>([
    [
      { test: 'contains', column: 'path', text: '/other' },
      'The column path of edge_logs cannot be tested with "contains".',
    ],
    [{ test: 'contains', column: 'path', text: '' }, 'The column path of edge_logs cannot be tested with "contains".'],
    [
      { test: 'equals', column: 'path', value: '/rest' },
      'The column path of edge_logs cannot be tested with "equals".',
    ],
    [{ test: 'atLeast', column: 'url', value: 1 }, 'The column url of edge_logs cannot be tested with "atLeast".'],
    [
      { test: 'equals', column: 'status_code', value: '400' },
      'The column status_code of edge_logs cannot be tested with "equals".',
    ],
    [
      { test: 'equals', column: 'metadata', value: '' },
      'The column metadata of edge_logs cannot be tested with "equals".',
    ],
    [
      { test: 'equals', column: 'constructor', value: '' },
      'The column constructor of edge_logs cannot be tested with "equals".',
    ],
  ])('that a source cannot answer is refused: %j', (predicate, message) => {
    expect(() => lowerPredicate(predicate, 'edge_logs')).toThrow(new TypeError(message))
  })
})

it('a condition holds predicates and both ends of the time', () => {
  const plan = (fromUs: number, throughUs: number) =>
    scan('edge_logs', { fromUs, throughUs }).filter(equals('project', 'a')).select('id').orderBy('timestamp', 'desc')
  const where = (from: number, through: number) => whereOf(shapeOf(plan(from, through).limit(1))!)
  expect(where(-5, 7)).toBe(`project = ${textValue('a')} AND timestamp >= -5 AND timestamp <= 7`)
  expect(where(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(
    `project = ${textValue('a')} AND timestamp >= -9223372036854775807 AND timestamp <= 9223372036854775807`,
  )
})
