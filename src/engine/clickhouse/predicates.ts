import { re2Source } from '../../base/pattern.js'
import { requiredLiteral } from '../../base/required-literal.js'
import type { SourceName } from '../../sources.js'
import { AREAS, hotColumns } from '../columns.js'
import type { Predicate, Shape } from '../plan.js'
import { doubleValue, int64Value, textValue } from './values.js'

/** What a row must be: of the time, and passing every predicate. */
export function whereOf({ source, fromUs, throughUs, predicates }: Shape): string {
  const time = [`timestamp >= ${int64Value(fromUs)}`, `timestamp <= ${int64Value(throughUs)}`]
  return [...predicates.map((predicate) => lowerPredicate(predicate, source)), ...time].join(' AND ')
}

/** 1 or 0, never null: what is absent passes no test. */
export function lowerPredicate(predicate: Predicate, source: SourceName): string {
  const { column } = predicate
  const kind = column === 'project' ? 'category' : hotColumns(source).find(({ name }) => name === column)?.kind
  if (predicate.test === 'atLeast' && kind === 'number') {
    return `ifNull(${column} >= ${doubleValue(predicate.value)}, 0)`
  }
  if (predicate.test === 'contains' && kind === 'areas') {
    const bit = AREAS.indexOf(predicate.text as (typeof AREAS)[number])
    if (bit >= 0) return `bitTest(${column}, ${bit})`
  }
  if (kind === 'text' || kind === 'category') {
    // An empty text stands for an absent one in these columns, which equals nothing.
    if (predicate.test === 'equals' && kind === 'category') {
      return predicate.value === '' ? '0' : `${column} = ${textValue(predicate.value)}`
    }
    if (predicate.test === 'equals') return `ifNull(${column} = ${textValue(predicate.value)}, 0)`
    if (predicate.test === 'contains') return holds(column, predicate.text)
    if (predicate.test === 'matches') return matching(column, predicate.pattern)
  }
  throw new TypeError(`The column ${column} of ${source} cannot be tested with "${predicate.test}".`)
}

/** A text that every match holds is looked for first, which is many times faster; often that is all of the pattern. */
function matching(column: string, pattern: string): string {
  const literal = requiredLiteral(pattern)
  const match = `ifNull(match(${column}, ${textValue(matchOf(pattern))}), 0)`
  if (literal === '') return match
  return literal === pattern ? holds(column, literal) : `${holds(column, literal)} AND ${match}`
}

function holds(column: string, text: string): string {
  return text === '' ? `isNotNull(${column})` : `ifNull(position(${column}, ${textValue(text)}) > 0, 0)`
}

/**
 * The pattern as ClickHouse must get it to mean what RE2 means: there `.` matches a line break by default. ClickHouse also
 * looks for a text that a match needs, by a reading of its own that is wrong for flags, classes and NUL; with the
 * alternative behind it, which matches nothing, there is none to look for.
 */
function matchOf(pattern: string): string {
  return `(?-s)(?:${re2Source(pattern)})|[^\\x00-\\x{10FFFF}]`
}
