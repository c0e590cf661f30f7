import { loadNativePart } from '../native-part.js'
import { type CreateRe2, type Re2, WITHIN_CHARACTER } from './re2.js'

/** Bytes of two characters: a search may start at the second byte, within the first character. */
const TWO_CHARACTERS = Buffer.from('éé')

/**
 * Compiles a pattern with the package `re2`, which is RE2 itself. Undefined if the package cannot be loaded. Throws for
 * patterns that match nothing but a place: RE2 finds those within a character of several bytes, where no other engine
 * does.
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
      if (everywhere.exec(TWO_CHARACTERS)?.index === 1) throw new Error(WITHIN_CHARACTER)
    }
    return re2
  }
}
