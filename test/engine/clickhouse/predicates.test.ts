import { describe, expect, it } from 'vitest'
import { lowerPredicate, whereOf } from '../../../src/engine/clickhouse/predicates.js'
import { type Predicate, shapeOf } from '../../../src/engine/clickhouse/shape.js'
import { textValue } from '../../../src/engine/clickhouse/values.js'
import { AREAS } from '../../../src/engine/columns.js'
import { atLeast, contains, equals, matches, scan } from '../../../src/plan/builder.js'

const edge = (predicate: Predicate) => lowerPredicate(predicate, 'edge_logs')
const relay = (predicate: Predicate) => lowerPredicate(predicate, 'function_edge_logs')
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

  it.each<[Predicate, string]>([
    [contains('path', '/other'), 'The column path of edge_logs cannot be tested with "contains".'],
    [contains('path', ''), 'The column path of edge_logs cannot be tested with "contains".'],
    [equals('path', '/rest'), 'The column path of edge_logs cannot be tested with "equals".'],
    [atLeast('url', 1), 'The column url of edge_logs cannot be tested with "atLeast".'],
    [equals('status_code', '400'), 'The column status_code of edge_logs cannot be tested with "equals".'],
    [equals('metadata', ''), 'The column metadata of edge_logs cannot be tested with "equals".'],
    [equals('constructor', ''), 'The column constructor of edge_logs cannot be tested with "equals".'],
  ])('that a source cannot answer is refused: %j', (predicate, message) => {
    expect(() => edge(predicate)).toThrow(new TypeError(message))
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
