import { KIND, type Scanner, slotOf } from './fields.js'
import { doubledBytes } from './grow.js'
import { unescapeText } from './text.js'

/** Reads the field table of one line at a time, and decodes the texts that it points to. */
export class LineFields {
  readonly bytes: Uint8Array
  readonly #table: Int32Array
  #at = 0
  #scratch = new Uint8Array(1024)

  /** The decoded text that {@link locate} found last: textBytes[textStart, textEnd). */
  textBytes: Uint8Array
  textStart = 0
  textEnd = 0

  constructor({ bytes, table }: Pick<Scanner, 'bytes' | 'table'>) {
    this.bytes = bytes
    this.#table = table
    this.textBytes = bytes
  }

  /** Turns to the line whose table starts at `at`. */
  moveTo(at: number): void {
    this.#at = at
  }

  outcome(): number {
    return this.#table[this.#at]!
  }

  kind(field: number): number {
    return this.#table[this.#at + slotOf(field)]!
  }

  start(field: number): number {
    return this.#table[this.#at + slotOf(field) + 1]!
  }

  end(field: number): number {
    return this.#table[this.#at + slotOf(field) + 2]!
  }

  isAbsent(field: number): boolean {
    return this.kind(field) === KIND.absent
  }

  isText(field: number): boolean {
    const kind = this.kind(field)
    return kind === KIND.string || kind === KIND.escapedString
  }

  /** Points at the text of a text field. False where it has a lone surrogate, which U+FFFD replaces. */
  locate(field: number): boolean {
    if (this.kind(field) === KIND.string) return this.#point(this.bytes, this.start(field), this.end(field))
    this.#scratch = doubledBytes(this.#scratch, this.end(field) - this.start(field))
    const length = unescapeText(this.bytes, this.start(field), this.end(field), this.#scratch, 0)
    return this.#point(this.#scratch, 0, length < 0 ? ~length : length) && length >= 0
  }

  #point(bytes: Uint8Array, start: number, end: number): true {
    this.textBytes = bytes
    this.textStart = start
    this.textEnd = end
    return true
  }
}
