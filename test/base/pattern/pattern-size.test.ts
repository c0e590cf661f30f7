import { describe, expect, it } from 'vitest'
import {
  compilePattern,
  createPatternCount,
  MAX_PATTERN_SIZE,
  MAX_PATTERNS_SIZE,
} from '../../../src/base/pattern/pattern.js'
import { patternSize } from '../../../src/base/pattern/pattern-size.js'

describe('the size of a pattern', () => {
  it.each([
    ['', 1],
    ['abc', 4],
    ['é', 3],
    ['a{3}', 4],
    ['a{2,5}', 9],
    ['a{2,}', 5],
    ['a*', 3],
    ['(ab)', 5],
    ['(?:ab){3}', 13],
    ['((a{2}){3}){4}', 57],
    ['(?P<n>a)', 4],
    ['(?i)ab', 3],
    ['(?i)k', 6],
    ['[a-z]', 2],
    ['[^a]', 12],
    ['[]a]', 3],
    ['[abc]', 2],
    ['[a-cx-z]', 3],
    ['[-a]', 3],
    ['.', 11],
    ['\\d\\D', 15],
    ['\\pL', 1_001],
    ['[\\pL\\pN]', 2_001],
    ['\\p{Greek}', 151],
    ['\\Qa{9}\\E', 9],
    ['\\x{10FFFF}', 5],
    ['[[:alpha:]]', 2],
    ['[[:^alpha:]]', 12],
    ['a|b', 4],
  ])('of %j is %d', (pattern, size) => {
    expect(patternSize(pattern)).toBe(size)
    compilePattern(pattern)
  })

  const LARGE = [
    '[\\pL\\pN]{300}',
    '\\pL{20}',
    '(?:\\p{Greek}{10}){20}',
    '.{0,1000}.{0,1000}',
    '(?i)[^k]{0,1000}x{9}[^k]{0,999}',
    '\\D{999}\\W{999}',
    '(\\pM|\\pS){11}',
  ]
  it.each(LARGE)('%j is refused, and the message says why and what to do', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(
      `The pattern is not valid RE2: it is too large: ${patternSize(pattern)} steps, where ${MAX_PATTERN_SIZE} are ` +
        `allowed, and ${MAX_PATTERNS_SIZE} for a query. Repetitions such as {300} multiply them, and classes such as ` +
        '\\pL have many.',
    )
  })

  it.each([
    '.{0,1000}',
    '\\w{1000}',
    '\\pL{12}',
    '[а-яё]{800}',
    'error.{0,1000}timeout',
    '(?i)[a-z]{1000}',
  ])('%j is not too large', (pattern) => {
    expect(compilePattern(pattern).re2.test('')).toBe(pattern === '.{0,1000}')
  })

  it('of all patterns of a query is limited', () => {
    const count = createPatternCount()
    const pattern = 'x{999}'.repeat(10)
    for (let i = 0; i < 9; i++) count(pattern)
    count(`${pattern}y`)
    expect(() => count(`${pattern}z`)).toThrow('all patterns of the query are too large: over 29975 steps')
  })
})
