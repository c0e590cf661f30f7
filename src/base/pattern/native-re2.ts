import { loadNativePart } from '../native-part.js'
import type { CreateRe2, Re2 } from './re2.js'
import { checkForRe2js, compileForRe2js } from './re2js-program.js'

/** Constructs that RE2 and re2js may treat differently: `\\B`, and a repetition of a group without limit. */
const DOUBTFUL = /\\B|\)(?:[*+]|\{\d+,\})/

/**
 * Compiles a pattern with the package `re2`, which is RE2 itself. Undefined if the package cannot be loaded. Throws for
 * the patterns that re2js would match differently, so that the answers of a service do not depend on the package.
 */
export const createNativeRe2: CreateRe2 | undefined = nativeRe2()

function nativeRe2(): CreateRe2 | undefined {
  const RE2 = loadNativePart<new (pattern: string, flags: string) => Re2>('re2')
  if (RE2 === undefined) return undefined
  return (pattern, flags) => {
    const re2 = new RE2(pattern, flags)
    if (DOUBTFUL.test(pattern)) checkForRe2js(compileForRe2js(re2.internalSource, flags))
    re2.endFrom = (bytes, from) => {
      re2.lastIndex = from
      return re2.test(bytes) ? re2.lastIndex : -1
    }
    return re2
  }
}
