import { HALVES, MAX_TEXT, PLACES, TABLES_BYTES, TEXT_BYTES } from '../../wasm-layout/triggers.js'
import type { Finder } from '../finders/finder.js'
import { plainEnd } from '../finders/plain-part.js'
import { ANY_KEYS, type MaskRule } from '../rule.js'

/** The texts and numbers of which each line that a rule masks has one. */
export interface Triggers {
  /** Whether every line may be masked. */
  isAny: boolean
  /** The tables and the texts, as src/wasm-layout/triggers.ts describes them. */
  bytes: Uint8Array
  /** The number of texts. */
  texts: number
  /** The fewest digits of a number that is a trigger. 0: no number is. */
  digits: number
}

/** A text of lines. */
interface Text {
  bytes: Buffer
  /** Whether letters match in any case. */
  folds: boolean
}

const GROUPS = 8
/** An escape of any character. */
const ESCAPE = '\\u'
const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte)

/** Returns the triggers of some rules. `finders` has the finder of each rule with a pattern. */
export function triggersOf(rules: readonly MaskRule[], finders: readonly (Finder | undefined)[]): Triggers {
  const [keys, others] = [new Set<string>(), new Set([ESCAPE])]
  let isAny = false
  let digits = 0
  rules.forEach(({ masked }, i) => {
    const finder = finders[i]
    if (finder === undefined) keys.add('path' in masked ? keyText(masked.path) : '')
    else if (finder.digits > 0) digits = Math.min(digits || finder.digits, finder.digits)
    else if (finder.triggers === undefined) isAny = true
    else for (const text of finder.triggers) others.add(text)
  })
  const texts = [...[...keys].map((text) => textOf(text, false)), ...[...others].map((text) => textOf(text, true))]
  return { isAny, bytes: bytesOf(texts), texts: texts.length, digits }
}

/** Returns the last key of a path, or its end, in quotes. */
function keyText(path: readonly string[]): string {
  const key = path.findLast((one) => one !== ANY_KEYS)!
  const end = plainEnd(key)
  return `${end === key ? '"' : ''}${end}"`
}

function textOf(text: string, folds: boolean): Text {
  return { bytes: Buffer.from(folds ? text.toLowerCase() : text).subarray(-MAX_TEXT), folds }
}

function bytesOf(texts: readonly Text[]): Uint8Array {
  const all = new Uint8Array(TABLES_BYTES + texts.length * TEXT_BYTES)
  texts.forEach(({ bytes, folds }, i) => {
    const group = 1 << (i % GROUPS)
    const compared = bytes.subarray(-PLACES)
    for (let place = 0; place < PLACES; place++) {
      const [low, high] = [2 * place * HALVES, (2 * place + 1) * HALVES]
      for (const byte of acceptedBytes(compared[place], folds)) {
        all[low + (byte & 0x0f)]! |= group
        all[high + (byte >> 4)]! |= group
      }
    }
    const at = TABLES_BYTES + i * TEXT_BYTES
    all.set([bytes.length, group, Number(folds), 0, ...bytes], at)
  })
  return all
}

/** Returns the bytes that match a byte of a text. All bytes if there is none. */
function acceptedBytes(byte: number | undefined, folds: boolean): readonly number[] {
  if (byte === undefined) return ALL_BYTES
  return folds ? [byte, String.fromCharCode(byte).toUpperCase().charCodeAt(0)] : [byte]
}
