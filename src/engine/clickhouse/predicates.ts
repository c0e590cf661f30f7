import { re2Source } from '../../base/pattern.js'
import { requiredLiteral } from '../../base/required-literal.js'
import type { SourceName } from '../../sources.js'
import { AREAS, planColumns } from '../columns.js'
import type { Predicate, Shape } from './shape.js'
import { doubleValue, int64Value, textValue } from './values.js'

/** Returns the WHERE condition of a plan: its predicates and its time range. Throws as {@link lowerPredicate} does. */
export function whereOf({ source, fromUs, throughUs, predicates }: Shape): string {
  const time = [`timestamp >= ${int64Value(fromUs)}`, `timestamp <= ${int64Value(throughUs)}`]
  return [...predicates.map((predicate) => lowerPredicate(predicate, source)), ...time].join(' AND ')
}

/**
 * Translates a predicate to an expression of 1 or 0, never null: an absent value passes no test. Throws a
 * TypeError if the column does not support the test: a defect of the plan.
 */
export function lowerPredicate(predicate: Predicate, source: SourceName): string {
  const { column } = predicate
  const kind = column === 'project' ? 'category' : planColumns(source).find(({ name }) => name === column)?.kind
  if (predicate.test === 'atLeast' && kind === 'number') {
    return `ifNull(${column} >= ${doubleValue(predicate.value)}, 0)`
  }
  if (predicate.test === 'contains' && kind === 'areas') {
    const bit = AREAS.indexOf(predicate.text as (typeof AREAS)[number])
    if (bit >= 0) return `bitTest(${column}, ${bit})`
  }
  if (kind === 'text' || kind === 'category') {
    // These columns store an absent text as the empty text, and an absent text equals nothing.
    if (predicate.test === 'equals' && kind === 'category') {
      return predicate.value === '' ? '0' : `${column} = ${textValue(predicate.value)}`
    }
    if (predicate.test === 'equals') return `ifNull(${column} = ${textValue(predicate.value)}, 0)`
    const isPresent = kind === 'category' ? `${column} != ${textValue('')} AND ` : ''
    if (predicate.test === 'contains') return isPresent + containsText(column, predicate.text)
    if (predicate.test === 'matches') return isPresent + matchesPattern(column, predicate.pattern)
  }
  throw new TypeError(`The column ${column} of ${source} cannot be tested with "${predicate.test}".`)
}

/**
 * Searches first for a literal that every match contains, which is many times faster; often it is the whole
 * pattern.
 */
function matchesPattern(column: string, pattern: string): string {
  const literal = requiredLiteral(pattern)
  const match = `ifNull(match(${column}, ${textValue(clickHousePattern(pattern))}), 0)`
  if (literal === '') return match
  return literal === pattern ? containsText(column, literal) : `${containsText(column, literal)} AND ${match}`
}

function containsText(column: string, text: string): string {
  return text === '' ? `isNotNull(${column})` : `ifNull(position(${column}, ${textValue(text)}) > 0, 0)`
}

/**
 * Returns the pattern that has RE2's meaning in ClickHouse, where `.` matches a line break by default.
 * ClickHouse also searches for a literal that a match needs, by a parser that is wrong for flags, classes and
 * NUL. The added alternative, which matches nothing, leaves no such literal.
 */
function clickHousePattern(pattern: string): string {
  return `(?-s)(?:${re2Source(pattern)})|[^\\x00-\\x{10FFFF}]`
}
