import { LETTER_E, LETTER_e, MINUS, POINT, ZERO } from '../../../src/base/text/ascii.js'
import { BACKSLASH, HEX, LETTER_f, LETTER_n, LETTER_t, LETTER_u, NINE, PLUS, QUOTE, SPACE } from './structure.js'

/**
 * Functions that find the end of JSON tokens (RFC 8259). Each function takes the start of the token. A newline must
 * follow somewhere in the bytes: no token contains a newline, so nothing is read past the end.
 */

/** The result for an invalid token. */
export const FAULT = -1

/** 0 for the bytes that a string may contain unescaped. */
const STOPS_STRING = new Uint8Array(256).fill(1, 0, SPACE)
STOPS_STRING[QUOTE] = 1
STOPS_STRING[BACKSLASH] = 1

const ESCAPABLE = new Uint8Array(256)
for (const character of '"\\/bfnrt') ESCAPABLE[character.charCodeAt(0)] = 1

/**
 * `start` is after the opening quote. Returns twice the position of the closing quote, plus 1 if there is an escape.
 */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let p = start
  let escaped = 0
  for (;;) {
    while (STOPS_STRING[bytes[p]!] === 0) p++
    if (bytes[p] === QUOTE) return p * 2 + escaped
    if (bytes[p] !== BACKSLASH) return FAULT
    p = escapeEnd(bytes, p + 1)
    if (p === FAULT) return FAULT
    escaped = 1
  }
}

function escapeEnd(bytes: Uint8Array, p: number): number {
  if (bytes[p] !== LETTER_u) return ESCAPABLE[bytes[p]!] === 1 ? p + 1 : FAULT
  for (let i = 1; i <= 4; i++) if (HEX[bytes[p + i]!] === 255) return FAULT
  return p + 5
}

/** Returns the end of the number that starts with a digit or a minus at `start`. */
export function numberEnd(bytes: Uint8Array, start: number): number {
  let p = bytes[start] === MINUS ? start + 1 : start
  p = bytes[p] === ZERO ? p + 1 : digitsEnd(bytes, p)
  if (p !== FAULT && bytes[p] === POINT) p = digitsEnd(bytes, p + 1)
  if (p !== FAULT && (bytes[p] === LETTER_e || bytes[p] === LETTER_E)) p = exponentEnd(bytes, p + 1)
  return p
}

function exponentEnd(bytes: Uint8Array, p: number): number {
  return digitsEnd(bytes, bytes[p] === PLUS || bytes[p] === MINUS ? p + 1 : p)
}

/** Returns the end of a run of digits. At least one digit is required. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let p = start
  while (bytes[p]! >= ZERO && bytes[p]! <= NINE) p++
  return p === start ? FAULT : p
}

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** Returns the end of `true`, `false` or `null`. */
export function literalEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] === LETTER_n) return wordEnd(bytes, start, NULL)
  if (bytes[start] === LETTER_t) return wordEnd(bytes, start, TRUE)
  return bytes[start] === LETTER_f ? wordEnd(bytes, start, FALSE) : FAULT
}

function wordEnd(bytes: Uint8Array, start: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return FAULT
  return start + word.length
}
