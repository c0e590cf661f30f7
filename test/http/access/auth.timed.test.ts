import { describe, expect, test } from 'vitest'
import { createAuth } from '../../../src/http/access/auth.js'
import { mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { inTries } from '../../support/tries.js'
import { LEAK_T, shuffled, worstT } from '../../support/welch.js'
import { wrongToken } from '../../support/wrong-token.js'
import { TOKEN, tokenRegistryOf } from '../support.js'

const SAMPLES = 20_000
const RIGHT = [0, 16, 31]
const TRIES = 5

/** Returns whether a request has a known token. */
type Judge = (headers: Headers) => unknown

/**
 * Times the check of wrong tokens, with the groups in a new order each round. Each round has its own registry and
 * headers: with some random keys of a registry the lookup of some tokens takes a few nanoseconds more, and texts of
 * different origin or age are in different places of memory.
 */
function sample(judgeOf: () => Judge, random: Random): number[][] {
  const groups = RIGHT.map((): number[] => [])
  for (let round = 0; round < SAMPLES; round++) {
    const judge = judgeOf()
    const order = shuffled(random, RIGHT.length)
    const shown = order.map((group) => new Headers({ 'X-API-KEY': wrongToken(TOKEN, RIGHT[group]!, random) }))
    for (const [at, group] of order.entries()) {
      const startMs = performance.now()
      const known = judge(shown[at]!)
      groups[group]!.push(performance.now() - startMs)
      if (known) throw new Error('a wrong token is known')
    }
  }
  return groups
}

/** Returns the t value of the first try without a leak, else of the last try. */
function leastT(judgeOf: () => Judge, random: Random): Promise<number> {
  return inTries(
    TRIES,
    () => worstT(sample(judgeOf, random)),
    (t) => t < LEAK_T,
  )
}

/** A comparison that stops at the first difference: a leak, which must be detected. */
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
    expect(await leastT(() => createAuth(tokenRegistryOf([TOKEN]).accessOf), random)).toBeLessThan(LEAK_T)
  }, 60_000)

  const title = 'S2: would tell it of a comparison that stops at the first difference, so that the test above can fail'
  test(title, async () => {
    expect(await leastT(() => leaky, random)).toBeGreaterThan(LEAK_T)
  }, 60_000)
})
