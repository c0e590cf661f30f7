import { describe, expect, it } from 'vitest'

/**
 * Registers the tests of `suite` if the needed program was found. Otherwise registers one test that prints why and
 * passes, since a skipped test counts as failed.
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
