import { loadNativePart } from '../native-part.js'
import { type CreateRe2, type Re2, WITHIN_CHARACTER } from './re2.js'

/**
 * A letter and two bytes that no pattern matches, as the bytes within a character. `\b` is true at the first of them,
 * `\B` at the second, and no other condition is.
 */
const PLACES = Buffer.from([0x61, 0xff, 0xff])

/**
 * Compiles a pattern with the package `re2`, which is RE2 itself. Undefined if the package cannot be loaded. Throws for
 * patterns that match the empty text at `\B` alone: RE2 finds those within a character of several bytes, too.
 */
export const createNativeRe2: CreateRe2 | undefined = nativeRe2()

function nativeRe2(): CreateRe2 | undefined {
  const RE2 = loadNativePart<typeof import('re2')>('re2')
  if (RE2 === undefined) return undefined
  const compile = (pattern: string, flags: string) => new RE2(pattern, flags) as unknown as Re2
  return (pattern, flags) => {
    const re2 = compile(pattern, flags)
    if (pattern.includes('\\B')) {
      const everywhere = compile(pattern, `${flags}g`)
      everywhere.lastIndex = 1
      if (everywhere.exec(PLACES)?.index === 2) throw new Error(WITHIN_CHARACTER)
    }
    return re2
  }
}
