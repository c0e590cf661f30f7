import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requiredLiteral } from '../../../src/base/pattern/required-literal.js'
import { re2Of } from '../../support/re2.js'
import { runs } from '../../support/runs.js'

/** Returns the texts that match the pattern but do not contain the literal of the pattern. */
const matchesWithoutLiteral = (pattern: string, texts: readonly string[]) => {
  const [compiled, literal] = [re2Of(pattern), requiredLiteral(pattern)]
  return texts.filter((text) => compiled.test(text) && !text.includes(literal))
}

const piece = fc.constantFrom(
  ...['a', 'b', 'ab', '0a', '1', 'L', 'é', '\u{1f600}', '/', '-', '\n', ' '],
  ...[
    '\\.',
    '\\/',
    '\\\\',
    '\\-',
    '\\|',
    '\\n',
    '\\x0a',
    '\\x61',
    '\\x{61}',
    '\\141',
    '\\07',
    '\\pL',
    '\\PL',
    '\\p{L}',
    '\\d',
    '\\b',
  ],
  ...[
    '.',
    '^',
    '$',
    '[ab]',
    '[^a]',
    '[]a]',
    '[a\\]b]',
    '[[:digit:]]',
    '(a)',
    '(ab)',
    '((a)b)',
    '(a|b)',
    '(?:a)',
    '(?i)a',
  ],
)
const times = fc.constantFrom('', '', '', '', '*', '+', '?', '{0}', '{2}', '{0,1}', '*?', '+?', '??')
const pattern = fc
  .array(fc.tuple(piece, times), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([of, count]) => of + count).join(''))
  .filter((text) => {
    try {
      re2Of(text)
      return true
    } catch {
      return false
    }
  })
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '0', '1', 'L', 'é', '\u{1f600}', '/', '-', '\n', ' ', '.', '\\'),
  maxLength: 7,
})

describe('the literal that a pattern requires', () => {
  it('is in every text that matches', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 40 }), (given, texts) => {
        expect(matchesWithoutLiteral(given, texts)).toEqual([])
      }),
      { numRuns: runs(5_000) },
    )
  })

  it.each([
    ['\\x0a', '\n'],
    ['\\x61b', 'ab'],
    ['\\141b', 'ab'],
    ['\\07', '\x07'],
    ['\\pLa', 'za'],
    ['\\PL', '1'],
    ['x{0}y', 'y'],
    ['ab?c', 'ac'],
    ['(abc)?d', 'd'],
    ['abc|d', 'd'],
    ['(?i)abc', 'ABC'],
    ['[abc]d', 'cd'],
    ['a{,2}', 'a{,2}'],
    ['\\Qab\\E', 'ab'],
    ['\\Qa*\\E', 'a*'],
  ])('%j requires nothing that is not in %j', (given, matching) => {
    expect(re2Of(given).test(matching)).toBe(true)
    expect(matchesWithoutLiteral(given, [matching])).toEqual([])
  })

  it.each([
    ['abcdefghijklmnopqrst', 'abcdefghijklmnopqrst'],
    ['https://abc[a-z]+\\.supabase', 'https://abc'],
    ['https://[a-z]+\\.supabase\\.co', '.supabase.co'],
    ['a.b', 'a'],
    ['ab+', 'ab'],
    ['abc?', 'ab'],
    ['(.*)project(.*)', 'project'],
    ['\u{1f600}+', '\u{1f600}'],
    ['a\\|b', 'a|b'],
    ['\\\\|b', ''],
    ['.*', ''],
  ])('of %j is %j', (given, literal) => {
    expect(requiredLiteral(given)).toBe(literal)
  })
})
