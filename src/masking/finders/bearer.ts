import type { Finder } from './finder.js'
import { partsOf } from './parts-of.js'

/** The credentials behind `Bearer` (RFC 6750, section 2.1), the word in any case. */
const BEARER = /(?<![A-Za-z0-9])bearer(?:[ \t]+|%20|\+)"?([A-Za-z0-9._~+/=%:-]+)/gi
/** Shorter words are no credentials. */
const MIN_CHARACTERS = 6
/** Words of lower-case letters are prose unless they are as long as credentials. */
const MAX_WORD = 20
const WORD = /^[a-z'-]+[.:]?$/

/** The credentials behind the word Bearer. */
export const bearer: Finder = {
  characters: ' \t%+',
  triggers: ['arer'],
  digits: 0,
  find: (text) => partsOf(BEARER, text).filter(({ start, end }) => areCredentials(text.slice(start, end))),
}

const areCredentials = (text: string): boolean =>
  text.length >= MIN_CHARACTERS && (text.length >= MAX_WORD || !WORD.test(text))
