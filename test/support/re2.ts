import { loadNativePart } from '../../src/base/native-part.js'
import { createJavaScriptRe2 } from '../../src/base/pattern/javascript-re2.js'
import type { Re2 } from '../../src/base/pattern/re2.js'

/** Compiles a pattern with RE2 itself, without this program's own code if the package can be loaded. */
export function re2Of(pattern: string, flags = ''): Re2 {
  const RE2 = loadNativePart<new (pattern: string, flags: string) => Re2>('re2')
  return RE2 === undefined ? createJavaScriptRe2(pattern, flags) : new RE2(pattern, flags)
}
