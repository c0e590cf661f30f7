import { describe, expect, test } from 'vitest'
import { createAuth } from '../../src/http/auth.js'
import { mulberry32, oneOf, type Random } from '../support/random.js'
import { testSeed } from '../support/seed.js'
import { inTries } from '../support/tries.js'
import { LEAK_T, shuffled, worstT } from '../support/welch.js'
import { keyringOf, TOKEN } from './support.js'

const SAMPLES = 20_000
const RIGHT = [0, 16, 31]
const TRIES = 3
const WRONG = [...'!#$%&*+^_~']

/** Tokens of the right length whose first `right` characters are right and whose next one is wrong. */
function wrongTokens(random: Random, right: number): Headers[] {
  return Array.from({ length: 64 }, () => {
    const rest = Array.from({ length: TOKEN.length - right }, () => oneOf(random, WRONG))
    return new Headers({ 'X-API-KEY': TOKEN.slice(0, right) + rest.join('') })
  })
}

/** Times the judgement of wrong tokens, the groups in a new order each round. */
function sample(accessOf: (headers: Headers) => unknown, random: Random): number[][] {
  const tokens = RIGHT.map((right) => wrongTokens(random, right))
  const groups = RIGHT.map((): number[] => [])
  for (let round = 0; round < SAMPLES; round++) {
    for (const group of shuffled(random, RIGHT.length)) {
      const headers = oneOf(random, tokens[group]!)
      const startMs = performance.now()
      const known = accessOf(headers)
      groups[group]!.push(performance.now() - startMs)
      if (known) throw new Error('a wrong token is known')
    }
  }
  return groups
}

/** The t of a try that shows no leak, or of the last one. */
function leastT(accessOf: (headers: Headers) => unknown, random: Random): Promise<number> {
  return inTries(
    TRIES,
    () => worstT(sample(accessOf, random)),
    (t) => t < LEAK_T,
  )
}

/** What must not be built: it stops at the first character that differs. */
function leaky(headers: Headers): boolean {
  const shown = headers.get('x-api-key')!
  for (let i = 0; i < TOKEN.length; i++) if (shown[i] !== TOKEN[i]) return false
  return true
}

describe('S2: the time that a token takes', () => {
  const seed = testSeed()
  const random = mulberry32(seed)

  test('S2: tells nothing of how many characters are right: 0, 16 or 31', async () => {
    console.log(`S2 seed ${seed}`)
    expect(await leastT(createAuth(keyringOf([TOKEN]).accessOf), random)).toBeLessThan(LEAK_T)
  }, 60_000)

  test('S2: would tell it of a comparison that stops at the first difference, so that the test above can fail', async () => {
    expect(await leastT(leaky, random)).toBeGreaterThan(LEAK_T)
  }, 60_000)
})
