import { type Finder, NO_PARTS } from './finder.js'
import { partsOf } from './parts-of.js'

/** A parameter of a URL or a form of which the name ends with `apikey` or `token`, as `access_token` does. */
const PARAMETER = /(?:api[_-]?key|token)(?:=|%3D)([^\s&#"'<>;,)\]}\\]+)/gi

/** The values of parameters that are tokens. */
export const urlTokens: Finder = {
  characters: '=%',
  triggers: ['ken=', 'ken%', 'key=', 'key%'],
  digits: 0,
  find: (text) => (text.includes('=') || text.includes('%3') ? partsOf(PARAMETER, text) : NO_PARTS),
}
