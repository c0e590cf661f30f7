import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { compilePattern, MAX_PATTERN_LENGTH, withoutCaptures } from '../../../src/base/pattern/pattern.js'
import { PATTERN_CASES } from '../../cases/patterns.js'

/** The library accepts Buffers too, although the types of `test` do not. */
const bytes = (text: string) => Buffer.from(text) as unknown as string

/** Returns the message of the LogweirError that the compilation throws. */
function refusal(pattern: string): string {
  try {
    compilePattern(pattern)
  } catch (error) {
    expect(error).toBeInstanceOf(LogweirError)
    expect((error as LogweirError).code).toBe('invalid_pattern')
    return (error as LogweirError).message
  }
  throw new Error(`taken: ${pattern}`)
}

describe('a pattern', () => {
  it.each(PATTERN_CASES)('$pattern finds what it should, in text and in bytes', ({ pattern, finds, passes }) => {
    const compiled = compilePattern(pattern)
    expect(finds.filter((text) => !compiled.re2.test(text))).toEqual([])
    expect(passes.filter((text) => compiled.re2.test(text))).toEqual([])
    expect(finds.filter((text) => !compiled.re2.test(bytes(text)))).toEqual([])
    expect(passes.filter((text) => compiled.re2.test(bytes(text)))).toEqual([])
  })

  it.each(PATTERN_CASES)('$pattern finds the same without captures', ({ pattern, finds, passes }) => {
    const compiled = compilePattern(withoutCaptures(pattern))
    expect(finds.filter((text) => !compiled.re2.test(text))).toEqual([])
    expect(passes.filter((text) => compiled.re2.test(text))).toEqual([])
  })

  const GROUPS = [
    ['(a)(?P<b>b)(?<c>c)(?:d)(?i)(?i:e)', '(?:a)(?:b)(?:c)(?:d)(?i)(?i:e)'],
    ['((a|b)*)', '(?:(?:a|b)*)'],
    ['\\((\\\\(a))', '\\((?:\\\\(?:a))'],
    ['[(a)](b)', '[(a)](?:b)'],
    ['[]()](b)', '[]()](?:b)'],
    ['[^](\\]](b)', '[^](\\]](?:b)'],
    ['[[:alpha:](](b)', '[[:alpha:](](?:b)'],
    ['\\Q(a)\\E(b)\\Q(', '\\Q(a)\\E(?:b)\\Q('],
  ] as const
  it.each(GROUPS)('%s has no captures as %s', (pattern, expected) => {
    expect(withoutCaptures(pattern)).toBe(expected)
    expect(compilePattern(expected).re2.exec('')?.length ?? 1).toBe(1)
  })

  const QUOTATIONS = [
    ['\\Qa/b\\E', 'a/b', 'a\\/b'],
    ['\\Qa/b', 'a/b', 'a\\/b'],
    ['\\Q/\\E/\\Q/\\E', '///', '//'],
    ['\\Q\\E/', '/', ''],
    ['x\\Q.*\\E+', 'x.**', 'xab'],
    ['\\Q[a\\E]', '[a]', 'a'],
    ['\\Q\\d\\E', '\\d', '5'],
    ['\\\\Qa', '\\Qa', 'a'],
    ['(?s)\\Qa\nb\\E', 'a\nb', 'ab'],
    ['\\Q\\u0041\\E', '\\u0041', 'A'],
    ['\\Q😀\\E', '😀', ''],
  ] as const
  it.each(QUOTATIONS)('%j quotes: it finds %j and not %j', (pattern, found, passed) => {
    expect([compilePattern(pattern).re2.test(found), compilePattern(pattern).re2.test(passed)]).toEqual([true, false])
  })

  const JAVASCRIPT = ['\\u0041', '\\u{41}', '\\cA', 'a\\u0041', '[\\u0041]', '[a\\cJ]', '(?i)\\u00e9', '\\\\\\u0041']
  it.each(JAVASCRIPT)('%j is refused: an escape of JavaScript', (pattern) => {
    expect(refusal(pattern)).toBe(
      'The pattern is not valid RE2: \\u and \\c are JavaScript escapes; write the character or \\x{…}.',
    )
  })

  const NOT_JAVASCRIPT = [
    ['\\\\u0041', '\\u0041'],
    ['\\\\cA', '\\cA'],
    ['[\\\\u]', '\\'],
    ['[\\\\c]', 'c'],
    ['[\\\\p{Number}]', '{'],
    ['\\\\p{5}', '\\ppppp'],
  ] as const
  it.each(NOT_JAVASCRIPT)('%j is an escaped backslash, and taken', (pattern, found) => {
    expect(compilePattern(pattern).re2.test(found)).toBe(true)
  })

  const JAVASCRIPT_CLASSES = [
    '\\p{Letter}',
    '\\P{Letter}',
    '\\p{Script=Greek}',
    '\\p{Uppercase_Letter}',
    '[\\p{Number}]',
    '\\p{Control}',
  ]
  it.each(JAVASCRIPT_CLASSES)('%j is refused: a class of JavaScript', (pattern) => {
    expect(refusal(pattern)).toMatch(/is a JavaScript class; write RE2's own, as \\p\{L\}\.$/)
  })

  const OWN_CLASSES = [
    ['\\pN', '7', 'a'],
    ['\\PN', 'a', '7'],
    ['\\p{Greek}', 'α', 'a'],
    ['\\P{Greek}', 'a', 'α'],
    ['\\p{^Greek}', 'a', 'α'],
    ['\\p{Lu}', 'A', 'a'],
    ['\\pLu', 'au', 'a'],
    ['[\\pN_]', '_', 'a'],
    ['[\\p{Greek}=}]', '}', 'a'],
    ['[(?<]', '<', 'P'],
    ['[\\\\(?<]', '\\', 'P'],
    ['^(?<name>a)$', 'a', 'P'],
    ['[^\\p{Greek}]', 'a', 'α'],
    ['[[:alpha:]]', 'a', ':'],
    ['[[:^alpha:]]', '1', 'a'],
    ['[^[:alpha:]]', '1', 'a'],
  ] as const
  it.each(OWN_CLASSES)('%j is RE2’s own: it finds %j and not %j', (pattern, found, passed) => {
    expect([compilePattern(pattern).re2.test(found), compilePattern(pattern).re2.test(passed)]).toEqual([true, false])
  })

  const INVALID = [
    '(',
    ')',
    '[',
    '[a',
    'a**',
    '*',
    '+a',
    '\\',
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '\\1',
    '(a)\\1',
    'a{1001}',
    '[z-a]',
    '\\p{Klingon}',
    '(?z)',
    '\\k<a>',
  ]
  it.each(INVALID)('%j is refused, with the reason', (pattern) => {
    expect(refusal(pattern)).toMatch(/^The pattern is not valid RE2: .+\.$/s)
  })

  it('is at most 1,000 code points long, an astral one counting once', () => {
    expect(MAX_PATTERN_LENGTH).toBe(1_000)
    expect(compilePattern('😀'.repeat(1_000)).re2.test('😀'.repeat(1_000))).toBe(true)
    expect(refusal('a'.repeat(1_001))).toBe('The pattern is not valid RE2: it is longer than 1000 characters.')
    expect(refusal('😀'.repeat(1_001))).toBe('The pattern is not valid RE2: it is longer than 1000 characters.')
  })
})
