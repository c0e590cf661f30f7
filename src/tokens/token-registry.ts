import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.js'
import { type Access, FULL_ACCESS } from './access.js'

/** A token that is known: never itself, only its SHA-256. */
export interface RegisteredToken {
  digest: Uint8Array
  access: Access
  /** The first moment at which it is unknown; infinite where it never is. */
  expiresUs: number
}

/** The tokens that are known at the moment. */
export interface TokenRegistry {
  /** What the token with this SHA-256 opens; undefined where it is unknown, or known no longer. */
  accessOf(digest: Uint8Array): Access | undefined
  /** Knows these from now on, and no others. Of equal ones the last counts. */
  replace(tokens: readonly RegisteredToken[]): void
}

const DIGEST_BYTES = 32
/** What an unknown token is compared with. */
const NO_DIGEST = new Uint8Array(DIGEST_BYTES)

/**
 * Finds a token by a hash of its digest that is keyed with random bytes of this process, and then compares the digests in
 * constant time. Comparing all of them takes 0.09 ms of each request with 1,000 tokens, this 0.001 ms; and the time that
 * the finding takes tells nothing, since nobody outside knows which digests lie close to one another under that key.
 */
export function createTokenRegistry(clock: Pick<Clock, 'nowUs'>): TokenRegistry {
  const key = randomBytes(DIGEST_BYTES)
  let known = new Map<string, RegisteredToken>()
  const slotOf = (digest: Uint8Array) => hash('sha256', Buffer.concat([key, digest]), 'base64')

  return {
    accessOf(digest) {
      const token = known.get(slotOf(digest))
      const isSame = timingSafeEqual(token?.digest ?? NO_DIGEST, digest)
      return isSame && token !== undefined && clock.nowUs() < token.expiresUs ? token.access : undefined
    },
    replace(tokens) {
      known = new Map(tokens.map((token) => [slotOf(token.digest), token]))
    },
  }
}

export const digestOf = (token: string): Buffer => hash('sha256', Buffer.from(token, 'utf8'), 'buffer')

/** Tokens that nothing more is said of. */
export function plainTokens(tokens: readonly string[]): RegisteredToken[] {
  return tokens.map((token) => ({
    digest: digestOf(token),
    access: FULL_ACCESS,
    expiresUs: Number.POSITIVE_INFINITY,
  }))
}
