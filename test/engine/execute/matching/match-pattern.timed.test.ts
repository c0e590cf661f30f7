import { expect, it } from 'vitest'
import { createMatcher, matchEntries } from '../../../../src/engine/execute/matching/match-pattern.js'
import { inTries } from '../../../support/tries.js'
import { dictionary, SLOW_PATTERN, slowTexts } from '../../store/support.js'

it('a pattern is told from one that may match a newline in no more than linear time', () => {
  const startMs = performance.now()
  for (const piece of ['a?', '(?:', '\\.', '[a]', 'a{1}', '(', 'é']) {
    const text = piece.repeat(Math.floor(990 / piece.length))
    try {
      createMatcher(`${text}\\s`)
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_pattern' })
    }
  }
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

const LONGEST_MS = 50
const TRIES = 5

/** Returns the longest time of a search between two yields. */
async function longestMs(): Promise<number> {
  const matcher = createMatcher(SLOW_PATTERN)
  let longest = 0
  let lastMs = performance.now()
  const yieldIfDue = () => {
    const nowMs = performance.now()
    longest = Math.max(longest, nowMs - lastMs)
    lastMs = nowMs
    return undefined
  }
  await matchEntries(dictionary(slowTexts(100)), matcher, yieldIfDue)
  yieldIfDue()
  return longest
}

it('S1: a pattern that takes long for each byte is searched in pieces that are short in time', async () => {
  expect(await inTries(TRIES, longestMs, (ms) => ms <= LONGEST_MS)).toBeLessThanOrEqual(LONGEST_MS)
})
