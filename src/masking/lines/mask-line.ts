import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, isSpace, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../base/text/ascii.js'
import { maskText } from '../mask-text.js'
import type { Treat } from '../treatment.js'
import { ALL_RULES, type ByteClasses, DIGIT_SHIFT, LETTER_u, STOP } from './byte-classes.js'
import { type Edits, rangeOfMember } from './edits.js'
import type { PathState } from './path-states.js'

/** The rules for the records of a source. */
export interface SourceRules {
  /** Returns the paths before the first key of the metadata. */
  start(): PathState
  classes: ByteClasses
  /** The treatment of each rule with a path, by its number. */
  treats: ReadonlyMap<number, Treat>
}

/** A record in a line. */
export interface RecordPlace {
  /** The line bytes[start, end): valid JSON, an object. */
  bytes: Uint8Array
  start: number
  end: number
  /** Where the values of the record start that stay as they are, texts behind the quote: source, project, time. */
  kept: readonly number[]
}

/** The names of the fields of a record that have a meaning. */
export interface RecordNames {
  /** The names that stay as they are. */
  known: ReadonlySet<string>
  /** The names of fields that can contain the message. */
  message: ReadonlySet<string>
}

/** The name of the message in paths. */
const MESSAGE = 'event_message'
const METADATA = 'metadata'
/** `n` of `null`. */
const LETTER_n = 0x6e
/** The first bytes of literals are greater than those of numbers. */
const LETTER_A = 0x41
/** The number of frames outside of the members of the record. */
const OF_RECORD = 1

/** An object or an array in which the walk is. */
interface Frame {
  isArray: boolean
  /** The paths below the keys so far. */
  state: PathState
  /** The rule that masks the elements of an array. */
  rule: number | undefined
}

/**
 * Masks lines by the rules of a source: one pass over the line, without recursion. Adds the replacements to `edits`,
 * and calls `noteMasked` with the rule of each masked value. Takes time in proportion to the line.
 */
export class LineMasker {
  readonly #rules: SourceRules
  readonly #edits: Edits
  readonly #noteMasked: (rule: number) => void
  #bytes: Uint8Array = new Uint8Array(0)
  #text: Buffer = Buffer.alloc(0)
  #end = 0
  #kept: readonly number[] = []
  #names: RecordNames = { known: new Set(), message: new Set() }
  #frames: Frame[] = []
  #frame: Frame
  /** The bits of the rules that search the last string or scalar, and whether the string has escapes. */
  #bits = 0
  #isEscaped = false
  /** The rule that masks the value of the last key as a whole, and whether the last value is to be removed. */
  #rule: number | undefined
  #isRemoved = false

  constructor(rules: SourceRules, edits: Edits, noteMasked: (rule: number) => void) {
    this.#rules = rules
    this.#edits = edits
    this.#noteMasked = noteMasked
    this.#frame = this.#outermost()
  }

  /** Adds the replacements of a record. */
  mask({ bytes, start, end, kept }: RecordPlace, names: RecordNames): void {
    if (this.#bytes !== bytes) this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#bytes = bytes
    this.#end = end
    this.#kept = kept
    this.#names = names
    this.#frames.length = 0
    this.#frame = this.#outermost()
    this.#walk(this.#skipSpace(start))
  }

  #outermost = (): Frame => ({ isArray: true, state: this.#rules.start(), rule: undefined })

  /** Reads a member or an element at a time, then closing brackets and the comma before the next. */
  #walk(p: number): void {
    const bytes = this.#bytes
    /** The place behind the bracket or the comma before a member, and whether no member before it is left. */
    let before = p
    let isFirst = true
    for (;;) {
      let { state, rule } = this.#frame
      if (!this.#frame.isArray) {
        const quote = this.#endOfString(p + 1)
        state = this.#belowKey(p, quote)
        rule = this.#rule
        p = this.#skipSpace(this.#skipSpace(quote + 1) + 1)
      }
      if (this.#entersContainer(p, rule)) {
        this.#frames.push(this.#frame)
        this.#frame = { isArray: bytes[p] === OPEN_ARRAY, state, rule }
        before = p + 1
        isFirst = true
        p = this.#skipSpace(before)
        if (bytes[p] !== CLOSE_OBJECT && bytes[p] !== CLOSE_ARRAY) continue
      } else {
        p = this.#maskValue(p, rule)
        if (!this.#isRemoved) isFirst = false
        else if (!this.#frame.isArray) {
          const [from, to] = rangeOfMember(bytes, { before, end: p, isFirst })
          this.#edits.remove(from, to)
        }
        p = this.#skipSpace(p)
      }
      for (; bytes[p] === CLOSE_OBJECT || bytes[p] === CLOSE_ARRAY; p = this.#skipSpace(p + 1)) {
        this.#frame = this.#frames.pop()!
        if (this.#frames.length === 0) return
        isFirst = false
      }
      before = p + 1
      p = this.#skipSpace(before)
    }
  }

  /** Masks the key with the quotes at `start` and `quote`. Returns the paths below, and sets the rule of the value. */
  #belowKey(start: number, quote: number): PathState {
    const { state } = this.#frame
    const isOfRecord = this.#frames.length === OF_RECORD
    const name = isOfRecord || this.#isEscaped ? this.#textOf(start + 1, quote) : undefined
    const isKnown = isOfRecord && this.#names.known.has(name!)
    if (this.#bits !== 0 && !isKnown) this.#maskParts(start, quote + 1, name ?? this.#textOf(start + 1, quote))
    const below = name === undefined ? state.below(this.#bytes, start + 1, quote) : state.belowKey(name)
    this.#rule = below.rule
    if (!isOfRecord) return below
    if (this.#names.message.has(name!)) this.#rule ??= state.belowKey(MESSAGE).rule
    if (name !== METADATA) return below
    this.#rule = undefined
    return this.#rules.start()
  }

  /** Whether the value at `p` is an object or an array whose values are masked one by one. */
  #entersContainer(p: number, rule: number | undefined): boolean {
    const first = this.#bytes[p]
    if (first === OPEN_OBJECT) return rule === undefined
    return first === OPEN_ARRAY && (rule === undefined || this.#rules.treats.get(rule)!('') !== undefined)
  }

  /** Masks the value at `p`: as a whole if there is a rule, else parts of it. Returns the place behind the value. */
  #maskValue(p: number, rule: number | undefined): number {
    const first = this.#bytes[p]!
    const isText = first === QUOTE
    const isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY
    const end = isText ? this.#endOfString(p + 1) + 1 : isContainer ? this.#endOfContainer(p) : this.#endOfScalar(p)
    this.#isRemoved = false
    if (this.#frames.length === OF_RECORD && this.#kept.includes(isText ? p + 1 : p)) return end
    if (rule !== undefined && first !== LETTER_n) this.#maskWhole(p, end, rule)
    else if (isText && this.#bits !== 0) this.#maskParts(p, end, this.#textOf(p + 1, end - 1))
    else if (first < LETTER_A && this.#bits !== 0) this.#maskNumber(p, end)
    return end
  }

  #maskWhole(start: number, end: number, rule: number): void {
    const isText = this.#bytes[start] === QUOTE
    const text = isText ? this.#textOf(start + 1, end - 1) : this.#raw(start, end)
    const masked = this.#rules.treats.get(rule)!(text)
    this.#noteMasked(rule)
    this.#isRemoved = masked === undefined
    if (masked !== undefined) this.#edits.replace(start, end, JSON.stringify(masked))
  }

  /** Masks the parts of a string, a key or a number [start, end), of which `text` is the text. */
  #maskParts(start: number, end: number, text: string): boolean {
    const masked = maskText(text, this.#rules.classes.rulesOf(this.#bits), this.#noteMasked)
    if (masked !== undefined) this.#edits.replace(start, end, JSON.stringify(masked))
    return masked !== undefined
  }

  /** Masks a number, also if a point or an exponent hides the digits. */
  #maskNumber(start: number, end: number): void {
    const text = this.#raw(start, end)
    if (!this.#maskParts(start, end, text)) this.#maskParts(start, end, String(Number(text)))
  }

  /** Returns the place of the quote that ends the string from `p` on. */
  #endOfString(p: number): number {
    const bytes = this.#bytes
    const { classes, escapes } = this.#rules.classes
    let found = 0
    let digits = 0
    let isEscaped = false
    for (; ; p++) {
      const one = classes[bytes[p]!]!
      found |= one
      digits += (one >> DIGIT_SHIFT) & 1
      if ((one & STOP) === 0) continue
      if (bytes[p] === QUOTE) break
      isEscaped = true
      p++
      found |= escapes[bytes[p]!]!
      if (bytes[p] === LETTER_u) digits = Number.POSITIVE_INFINITY
    }
    this.#isEscaped = isEscaped
    this.#setBits(found, digits)
    return p
  }

  /** Returns the place behind the number or literal at `p`. */
  #endOfScalar(p: number): number {
    const bytes = this.#bytes
    const { classes } = this.#rules.classes
    let found = 0
    let digits = 0
    for (; p < this.#end; p++) {
      const byte = bytes[p]!
      if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) break
      found |= classes[byte]!
      digits += (classes[byte]! >> DIGIT_SHIFT) & 1
      // An exponent stands for further digits.
      if (byte > LETTER_A) digits = Number.POSITIVE_INFINITY
    }
    this.#setBits(found, digits)
    return p
  }

  #setBits(found: number, digits: number): void {
    const { always, ofDigits } = this.#rules.classes
    this.#bits = (found & ALL_RULES) | always
    for (const { digits: least, bit } of ofDigits) if (digits >= least) this.#bits |= bit
  }

  /** Returns the place behind the object or array at `p`. */
  #endOfContainer(p: number): number {
    for (let depth = 0; ; p++) {
      const byte = this.#bytes[p]
      if (byte === QUOTE) p = this.#endOfString(p + 1)
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return p + 1
    }
  }

  #raw = (start: number, end: number): string => this.#text.toString('utf8', start, end)

  /** Returns the text of the string between the quotes at `start` - 1 and `end`, which was read last. */
  #textOf(start: number, end: number): string {
    const raw = this.#raw(start, end)
    return this.#isEscaped ? (JSON.parse(`"${raw}"`) as string) : raw
  }

  #skipSpace(p: number): number {
    while (isSpace(this.#bytes[p])) p++
    return p
  }
}
