import { type Finder, NO_PARTS } from './finder.js'
import { partsOf } from './parts-of.js'

/**
 * A JSON web token in compact form (RFC 7519, section 3.1): the header starts with `{"`, which is `eyJ` in base64url.
 * The signature may be empty. An encrypted token has five parts (RFC 7516, section 3.1).
 */
const JWT = /(?<![\w-])(eyJ[\w-]{4,}(?:\.[\w-]*){2,4})/g

/** JSON web tokens. */
export const jwt: Finder = {
  characters: 'J',
  triggers: ['eyJ'],
  digits: 0,
  find: (text) => (text.includes('eyJ') ? partsOf(JWT, text) : NO_PARTS),
}
