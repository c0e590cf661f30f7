import { describe, expect, it } from 'vitest'
import type { LogweirError } from '../../../src/base/errors.js'
import {
  countMatches,
  DIRECT_STEPS,
  firstMatch,
  matches,
  REPLACES_AT_ONCE,
  replaceMatches,
} from '../../../src/base/pattern/match.js'
import { compilePattern, type Pattern } from '../../../src/base/pattern/pattern.js'
import { PATTERN_ENGINE } from '../../../src/base/pattern/re2-engine.js'

/** Searches within a turn of the event loop share a limit. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** The most tries of a search: a machine may be so slow for a moment that the CPU time of a search is over. */
const TRIES = 5

/** Returns the result of a search, which has a turn of the event loop of its own. Tries again if the time was over. */
async function inTime<T>(search: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    await nextTurn()
    try {
      return search()
    } catch (error) {
      if (tries === TRIES || (error as LogweirError).code !== 'invalid_pattern') throw error
    }
  }
}

/** Alternatives that match nowhere, and make a pattern so large that texts of some kilobytes count as long. */
const LARGE = 'Q{900}|'
/** The bytes that are searched at once with such a pattern. */
const STRETCH = Math.ceil(DIRECT_STEPS / compilePattern(`(?:${LARGE}needle)$`).size)

/** Texts with a word around the ends of the first two beginnings that are searched. */
const texts = [STRETCH, 2 * STRETCH].flatMap((end) =>
  [-8, -7, -6, -5, -3, -1, 0, 1].flatMap((offset) =>
    ['needle', 'needles', 'needle\n', 'éneedle'].flatMap((word) => {
      const before = 'é'.repeat(2) + 'x'.repeat(end + offset - 4)
      return [before + word, `${before}${word}${'y'.repeat(STRETCH)}`, `${before}${word} needle`]
    }),
  ),
)

const patterns = [
  'needle',
  'needle$',
  'needle\\b',
  'needle\\B',
  '(?m)needle$',
  '\\Bneedle',
  'e\\z',
  'x(n)(e+)d',
  '(needle)(s?)',
  '[^x]+$',
]

/** Returns the matches that the library finds, empty ones directly behind others included. */
function matchesByLibrary(pattern: Pattern, text: string): { index: number; found: string }[] {
  const { re2 } = pattern.variant((source) => source, 'g')
  const found: { index: number; found: string }[] = []
  for (let at = 0; at <= text.length; ) {
    re2.lastIndex = at
    const match = re2.exec(text)
    if (match === null) break
    found.push({ index: match.index, found: match[0] })
    at = match.index + Math.max(1, match[0].length)
  }
  return found
}

describe.each(patterns)('the pattern %j in a long text', (pattern) => {
  const large = compilePattern(`(?:${LARGE}${pattern})`)

  it('matches where the library finds it', async () => {
    for (const text of texts) {
      const expected = await inTime(() => large.re2.test(text))
      expect(await inTime(() => matches(large, text))).toBe(expected)
      expect(await inTime(() => matches(large, Buffer.from(text)))).toBe(expected)
    }
  })

  it('has the first match, the groups, and the replacement that the library has', async () => {
    for (const text of texts) {
      const first = await inTime(() => large.re2.exec(text))
      expect(await inTime(() => firstMatch(large, text))).toEqual(first)
      const found = await inTime(() => matchesByLibrary(large, text))
      const counted = await inTime(() => countMatches(large, text))
      if (!counted.hasEmptyBehind) expect(counted.count).toBe(found.length)
      if (!REPLACES_AT_ONCE) continue
      let replaced = text
      for (const { index, found: one } of found.reverse())
        replaced = `${replaced.slice(0, index)}-${replaced.slice(index + one.length)}`
      expect(await inTime(() => replaceMatches(large, text, '-', false))).toBe(replaced)
    }
  })
})

/** Returns the code and message of the error that a search throws. */
function refusal(search: () => unknown): string {
  try {
    search()
  } catch (error) {
    return `${(error as LogweirError).code}: ${(error as Error).message}`
  }
  throw new Error('not refused')
}

const letters = (length: number) => Array.from({ length }, (_, i) => ((i * 7919) % 13 < 6 ? 'a' : 'b')).join('')
const TOO_SLOW = /^invalid_pattern: The pattern takes too long on a text of (?:400000|2000000) (?:characters|bytes)\. /

// re2js takes less time for some of these patterns, and more for others.
describe('a search that would take too long', PATTERN_ENGINE === 're2' ? refusedWithRe2 : refusedWithRe2js)

function refusedWithRe2(): void {
  // More states than the automaton may have, a match that is almost everywhere, and a match with long groups.
  // A fast machine searches 400,000 letters within the time that a search has.
  it.each(['[ab]*a[ab]{300}c', '(?:a|b){900}c', '(a|ab|b){100}c'])('%j is refused', (pattern) => {
    const text = letters(2_000_000)
    for (const search of [matches, firstMatch, countMatches]) {
      expect(refusal(() => search(compilePattern(pattern), text))).toMatch(TOO_SLOW)
    }
  })

  it.each([
    'a.*#|b',
    'a[ab]*#|b',
    '(?s)b.*#|a',
  ])('all matches of %j are refused, which read the rest each', (pattern) => {
    expect(refusal(() => countMatches(compilePattern(pattern), letters(400_000)))).toMatch(TOO_SLOW)
  })

  it('groups of a long match are refused, and the match is found', async () => {
    const text = letters(400_000)
    await nextTurn()
    expect(refusal(() => firstMatch(compilePattern('(a|b)(.*)(b)'), text))).toMatch(TOO_SLOW)
    expect(firstMatch(compilePattern('[ab].*b'), text)?.[0].length).toBeGreaterThan(399_000)
    await nextTurn()
    expect(refusal(() => replaceMatches(compilePattern('(a|b)(.*)(b)'), text, '$1', true))).toMatch(TOO_SLOW)
  })
}

function refusedWithRe2js(): void {
  it.each(['a.*#|b', 'a[ab]*#|b', '(?s)b.*#|a'])('all matches of %j are refused', async (pattern) => {
    const text = letters(400_000)
    await nextTurn()
    expect(refusal(() => countMatches(compilePattern(pattern), text))).toMatch(TOO_SLOW)
  })

  it('the place of a long match is refused, and the match is found', async () => {
    const text = letters(400_000)
    await nextTurn()
    expect(refusal(() => firstMatch(compilePattern('(a|b)(.*)(b)'), text))).toMatch(TOO_SLOW)
    await nextTurn()
    expect(matches(compilePattern('(a|b)(.*)(b)'), text)).toBe(true)
  })
}
