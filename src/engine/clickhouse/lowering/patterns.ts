import { re2Source } from '../../../base/pattern/pattern.js'
import { requiredLiteral } from '../../../base/pattern/required-literal.js'
import { textValue } from '../server/values.js'

/**
 * Returns conditions that are all true if an RE2 pattern matches somewhere in a text, and null for a null text. If
 * every match contains a literal, the first condition searches for the literal, which is many times faster. Often the
 * literal is the whole pattern.
 */
export function matchesPattern(sql: string, pattern: string): string[] {
  const literal = requiredLiteral(pattern)
  const match = `match(${sql}, ${textValue(clickHousePattern(pattern))})`
  if (literal === '') return [match]
  return literal === pattern ? [containsText(sql, literal)] : [containsText(sql, literal), match]
}

/** Returns the condition, null where the text is, that a text contains another, letter by letter. */
export function containsText(sql: string, text: string): string {
  return text === '' ? `${sql} = ${sql}` : `position(${sql}, ${textValue(text)}) > 0`
}

/** The same of an ASCII text, ignoring the case of ASCII letters. */
export function containsFolded(sql: string, text: string): string {
  return text === '' ? `${sql} = ${sql}` : `positionCaseInsensitive(${sql}, ${textValue(text)}) > 0`
}

/**
 * Returns the pattern that has RE2's meaning in ClickHouse, where `.` matches a line break by default.
 * ClickHouse also searches for a literal that a match needs, by a parser that is wrong for flags, classes and
 * NUL. The added alternative, which matches nothing, leaves no such literal.
 */
function clickHousePattern(pattern: string): string {
  return `(?-s)(?:${re2Source(pattern)})|[^\\x00-\\x{10FFFF}]`
}
