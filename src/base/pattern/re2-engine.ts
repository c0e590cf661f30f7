import { createJavaScriptRe2 } from './javascript-re2.js'
import { createNativeRe2 } from './native-re2.js'
import type { CreateRe2 } from './re2.js'

/** The engine for the patterns of callers: RE2 itself if its package can be loaded, otherwise a port of RE2. */
export const PATTERN_ENGINE: 're2' | 're2js' = createNativeRe2 === undefined ? 're2js' : 're2'

/** Compiles a pattern with the engine in use. Both engines take the same patterns and find the same matches. */
export const createRe2: CreateRe2 = createNativeRe2 ?? createJavaScriptRe2
