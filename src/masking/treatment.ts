import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Treatment } from './rule.js'

/** The text in place of a masked value, and before the end of a value of which the end is kept. */
const STARS = '***'
/** The text before a hash. */
const HASH_PREFIX = 'hash:'
/** Hexadecimal digits of a hash: 64 bits, so that among a billion values two are likely not equal. */
const HASH_DIGITS = 16
/** The characters of a value that `last4` keeps. */
const KEPT_CHARACTERS = 4
/** A shorter value would be mostly its end, and is masked as a whole. */
const MIN_CHARACTERS = 3 * KEPT_CHARACTERS
/** Hashes that are not computed again. */
const KNOWN_HASHES = 16_384
/** Longer texts are hashed again each time. */
const MAX_KNOWN_CHARACTERS = 256

/** Returns the text in place of a value, or of a part of a text; undefined if it is removed. */
export type Treat = (value: string) => string | undefined

/** Returns the treatments with a key for hashes. */
export function createTreatments(key: Uint8Array): Readonly<Record<Treatment, Treat>> {
  const hashes = new LRUCache<string, string>({ max: KNOWN_HASHES })
  const hash = (value: string) => {
    const known = hashes.get(value)
    if (known !== undefined) return known
    const digest = createHmac('sha256', key).update(value).digest('hex')
    const text = HASH_PREFIX + digest.slice(0, HASH_DIGITS)
    if (value.length <= MAX_KNOWN_CHARACTERS) hashes.set(value, text)
    return text
  }
  return { drop: () => undefined, [STARS]: () => STARS, last4: lastCharacters, hash }
}

function lastCharacters(value: string): string {
  if (value.length < MIN_CHARACTERS) return STARS
  const end = [...value.slice(-2 * KEPT_CHARACTERS)].slice(-KEPT_CHARACTERS)
  return STARS + end.join('')
}
