import { countMatches, eachMatch, REPLACES_AT_ONCE, replaceMatches } from '../../base/pattern/match.js'
import type { Pattern } from '../../base/pattern/pattern.js'
import { bounded, MAX_VALUE_LENGTH, queryError, tooLong } from './function.js'

/** The most characters that references to groups may add on the way to a text. */
const MAX_REFERENCED = 64 * MAX_VALUE_LENGTH

/** A part of a replacement: a text, or the number of a group, 0 for the match. */
type Part = string | number

/**
 * Replaces each match of a pattern as BigQuery does: an empty match directly behind another match is left out, see
 * `RE2::GlobalReplace`. In `to`, `\1` to `\9` are groups, `\0` is the match, `\\` a backslash. Throws on other uses of
 * a backslash, and if the result is too long.
 */
export function regexpReplace(value: string, pattern: Pattern, to: string): string {
  if (!REPLACES_AT_ONCE) return replaceOneByOne(value, pattern, to)
  const { count, hasEmptyBehind } = countMatches(pattern, value)
  if (count === 0) return value
  const parts = partsOf(to, pattern.groups)
  checkLength(value, parts, count)
  const readsGroups = parts.some((part) => typeof part === 'number' && part > 0)
  if (hasEmptyBehind) return replaceOneByOne(value, pattern, to)
  return bounded(replaceMatches(pattern, value, parts.map(inJavaScript).join(''), readsGroups))
}

function partsOf(to: string, groups: number): Part[] {
  return to.split(/(\\[\s\S]?)/).map((part) => {
    if (!part.startsWith('\\')) return part
    if (part === '\\\\') return '\\'
    if (/^\\\d$/.test(part) && Number(part[1]) <= groups) return Number(part[1])
    throw queryError(
      'regexp_replace: a backslash must be followed by the number of a group of the pattern, or a backslash.',
    )
  })
}

function checkLength(value: string, parts: readonly Part[], count: number): void {
  const plain = parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0)
  const references = parts.filter((part) => typeof part === 'number').length
  if (plain * count > value.length + MAX_VALUE_LENGTH || references * value.length > MAX_REFERENCED) throw tooLong()
}

/** A part in the spelling of JavaScript's own replacement. */
function inJavaScript(part: Part): string {
  if (typeof part === 'string') return part.replaceAll('$', '$$$$')
  return part === 0 ? '$&' : `$0${part}`
}

function replaceOneByOne(value: string, pattern: Pattern, to: string): string {
  let result = ''
  // Read at the first match: without a match no replacement is wrong.
  let parts: Part[] | undefined
  const rest = eachMatch(pattern, value, /\\[1-9]/.test(to), (before, groups) => {
    parts ??= partsOf(to, pattern.groups)
    if (result === '') checkLength(value, parts, 1)
    result += before
    for (const part of parts) result += typeof part === 'string' ? part : (groups[part] ?? '')
    if (result.length > MAX_VALUE_LENGTH) throw tooLong()
  })
  return bounded(result + rest)
}
