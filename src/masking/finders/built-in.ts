import { bearer } from './bearer.js'
import { card } from './card.js'
import { email } from './email.js'
import type { Finder } from './finder.js'
import { jwt } from './jwt.js'
import { urlTokens } from './url-tokens.js'

/** The built-in patterns, by name. */
export const FINDERS = { 'url-tokens': urlTokens, jwt, bearer, email, card } satisfies Record<string, Finder>

/** The name of a built-in pattern. */
export type BuiltIn = keyof typeof FINDERS
/** The names of the built-in patterns. */
export const BUILT_INS = Object.keys(FINDERS) as readonly BuiltIn[]
