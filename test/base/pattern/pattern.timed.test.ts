import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { matches } from '../../../src/base/pattern/match.js'
import { compilePattern } from '../../../src/base/pattern/pattern.js'
import { BAD_PATTERNS } from '../../cases/bad-patterns.js'
import { bestMs, PATTERN_MS, randomNonsense, randomPattern, randomSubject, subjectOf } from '../../support/patterns.js'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

/** A busy machine takes many times as long. */
const TIMEOUT_MS = 60_000

const seed = testSeed()

/** Compiles a pattern and searches bytes, as the engine does. A search that would take too long is refused. */
function search(pattern: string, subject: Buffer): boolean | 'refused' {
  try {
    return matches(compilePattern(pattern), subject)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_pattern' })
    return 'refused'
  }
}

describe('S1: the time of patterns', { timeout: TIMEOUT_MS }, () => {
  it('S1: has a hundred known bad patterns, all different', () => {
    expect(new Set(BAD_PATTERNS.map(({ pattern }) => pattern)).size).toBe(100)
  })

  it.each(BAD_PATTERNS)(`S1: $pattern takes at most ${PATTERN_MS} ms on 100 KiB`, async (bad) => {
    const subject = Buffer.from(subjectOf(bad))
    expect(await bestMs(() => search(bad.pattern, subject))).toBeLessThanOrEqual(PATTERN_MS)
  })

  it(`S1: a hundred random patterns take at most ${PATTERN_MS} ms each on 100 KiB, seed ${seed}`, async () => {
    const random = mulberry32(seed)
    for (let i = 0; i < 100; i++) {
      const pattern = randomPattern(random)
      const subject = Buffer.from(randomSubject(random))
      const ms = await bestMs(() => search(pattern, subject))
      expect(ms, `${pattern} on ${subject.subarray(0, 20)}…, seed ${seed}`).toBeLessThanOrEqual(PATTERN_MS)
    }
  })

  it(`S1: nonsense is compiled or refused as not valid, and throws nothing else, seed ${seed}`, () => {
    const random = mulberry32(seed)
    let refused = 0
    for (let i = 0; i < 3000; i++) {
      const text = randomNonsense(random)
      try {
        compilePattern(text).re2.test('a')
      } catch (error) {
        expect(error, JSON.stringify(text)).toBeInstanceOf(LogweirError)
        expect((error as LogweirError).code).toBe('invalid_pattern')
        refused++
      }
    }
    expect(refused).toBeGreaterThan(1000)
  })
})
