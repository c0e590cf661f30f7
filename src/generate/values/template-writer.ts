import { KIB } from '../../base/units.js'
import type { Random } from './random.js'

/**
 * What a template may hold: text, a number, or what writes itself when its turn comes. Text is put as it stands:
 * whoever makes it escapes it for JSON.
 */
export type Piece = string | number | ((out: Out) => void)

/** The longest line that a caller may write, and the bytes of a chunk. */
const LINE_BYTES = 16 * KIB
const CHUNK_BYTES = 256 * KIB

/** Below so many bytes a loop copies faster than a call. */
const SHORT_BYTES = 40

const DIGITS = Buffer.from('0123456789abcdef')
const ZERO = DIGITS[0]!

/** The fixed parts of each template in the code, as bytes: one entry a template, made when it is first used. */
const FIXED = new WeakMap<TemplateStringsArray, Uint8Array[]>()

function fixedParts(strings: TemplateStringsArray): Uint8Array[] {
  let parts = FIXED.get(strings)
  if (parts === undefined) FIXED.set(strings, (parts = strings.map((text) => Buffer.from(text))))
  return parts
}

/**
 * Lines as bytes. Strings would have to be joined and encoded, at a fifth of the speed; so templates are split into
 * bytes once, and a record is copies of them with the varying pieces written between.
 */
export class Out {
  readonly random: Random
  #bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES + LINE_BYTES)
  #at = 0

  constructor(random: Random) {
    this.random = random
  }

  /** A template tag: ``out.put`{"id":"${uuid}"}` ``. An arrow, so that it can be handed around as one. */
  readonly put = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): void => {
    const fixed = fixedParts(strings)
    this.#copy(fixed[0]!)
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i]!
      if (typeof piece === 'string') this.#text(piece)
      else if (typeof piece === 'number') this.#number(piece)
      else piece(this)
      this.#copy(fixed[i + 1]!)
    }
  }

  /** The 8 hexadecimal digits of a 32-bit word. */
  hex8(word: number): void {
    this.hex4(word >>> 16)
    this.hex4(word)
  }

  /** The lower 4 hexadecimal digits of a word. */
  hex4(word: number): void {
    const [bytes, at] = [this.#bytes, this.#at]
    bytes[at] = DIGITS[(word >>> 12) & 15]!
    bytes[at + 1] = DIGITS[(word >>> 8) & 15]!
    bytes[at + 2] = DIGITS[(word >>> 4) & 15]!
    bytes[at + 3] = DIGITS[word & 15]!
    this.#at = at + 4
  }

  /** Takes the chunk where it is full: whole lines, as long as the caller asks between lines only. */
  takeFull(): Buffer | undefined {
    return this.#at < CHUNK_BYTES ? undefined : this.take()
  }

  /** Takes what has been written so far. */
  take(): Buffer {
    const chunk = this.#bytes.subarray(0, this.#at)
    this.#bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES + LINE_BYTES)
    this.#at = 0
    return chunk
  }

  #copy(part: Uint8Array): void {
    const [bytes, at, length] = [this.#bytes, this.#at, part.length]
    if (length > SHORT_BYTES) bytes.set(part, at)
    else for (let i = 0; i < length; i++) bytes[at + i] = part[i]!
    this.#at = at + length
  }

  #text(text: string): void {
    const bytes = this.#bytes
    const length = text.length
    let at = this.#at
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > 127) {
        this.#at = at + bytes.write(text.slice(i), at)
        return
      }
      bytes[at++] = code
    }
    this.#at = at
  }

  #number(value: number): void {
    if (value < 0 || (value | 0) !== value) this.#text(String(value))
    else this.#integer(value)
  }

  #integer(value: number): void {
    let length = 1
    for (let limit = 10; limit <= value; limit *= 10) length++
    let rest = value
    for (let i = this.#at + length - 1; i >= this.#at; i--) {
      const tenth = (rest / 10) | 0
      this.#bytes[i] = ZERO + rest - tenth * 10
      rest = tenth
    }
    this.#at += length
  }
}
