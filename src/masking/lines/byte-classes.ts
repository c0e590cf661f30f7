import { BACKSLASH, QUOTE, ZERO } from '../../base/text/ascii.js'
import type { TextRule } from '../mask-text.js'

/** A byte that ends a string, or that starts an escape. */
export const STOP = 1 << 28
/** A digit. The bit is the highest but the sign. */
export const DIGIT_SHIFT = 29
const DIGIT = 1 << DIGIT_SHIFT
/** The bits of rules. Further rules share the last. */
const RULE_BITS = 28
/** All bits of rules. */
export const ALL_RULES = (1 << RULE_BITS) - 1

/** Letters of escapes (RFC 8259, section 7). Other escapes but `u` have their character behind the backslash. */
const ESCAPES = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
/** `u`: an escape of any character. */
export const LETTER_u = 0x75

/** For each byte, the rules that search a text with the byte. Tells which rules search a text, in a pass over it. */
export interface ByteClasses {
  /** By byte: the bits of rules, and {@link STOP} and a bit for digits. */
  classes: Int32Array
  /** By the byte behind a backslash: the class of the character that both stand for. */
  escapes: Int32Array
  /** The bits of rules that search each text. */
  always: number
  /** The bits of rules that search texts with so many digits. */
  ofDigits: readonly { digits: number; bit: number }[]
  /** The rules of a set of bits, in their order. */
  rulesOf(bits: number): readonly TextRule[]
}

/** Returns the classes of bytes for some rules. */
export function createByteClasses(rules: readonly TextRule[]): ByteClasses {
  const classes = new Int32Array(256)
  classes[QUOTE] |= STOP
  classes[BACKSLASH] |= STOP
  for (let digit = 0; digit < 10; digit++) classes[ZERO + digit] |= DIGIT
  const bitOf = (place: number) => 1 << Math.min(place, RULE_BITS - 1)
  const ofDigits: { digits: number; bit: number }[] = []
  let always = 0
  rules.forEach(({ finder: { characters, digits } }, place) => {
    const bit = bitOf(place)
    if (digits > 0) ofDigits.push({ digits, bit })
    else if (characters === undefined) always |= bit
    else for (const character of characters) classes[character.charCodeAt(0)] |= bit
  })
  const escapes = classes.slice()
  for (const [letter, character] of Object.entries(ESCAPES)) {
    escapes[letter.charCodeAt(0)] = classes[character.charCodeAt(0)]!
  }
  escapes[LETTER_u] = ALL_RULES
  const known = new Map<number, readonly TextRule[]>()

  function rulesOf(bits: number): readonly TextRule[] {
    let wanted = known.get(bits)
    if (wanted === undefined) {
      wanted = rules.filter((_, place) => (bitOf(place) & bits) !== 0)
      // A text can have any bytes: there may be many sets.
      if (known.size < 256) known.set(bits, wanted)
    }
    return wanted
  }

  return { classes, escapes, always, ofDigits, rulesOf }
}
