import { ensureCapacity } from '../../base/memory/growable.js'

const [QUOTE, MINUS, DOT, ZERO, NINE, COLON, COMMA, BACKSLASH] = [34, 45, 46, 48, 57, 58, 44, 92]
const [OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 123, 125]
const WORDS = ['true', 'false', 'null'] as const

/** A place in a text. -1 if the search found nothing. */
type Place = number
const NOWHERE = -1

/** The brackets that close the open objects and lists, from the outside in. A byte each: a million may be open. */
class Brackets {
  #codes = new Uint8Array(64)
  depth = 0

  push(code: number): void {
    if (this.depth === this.#codes.length) this.#codes = ensureCapacity(this.#codes, this.depth, this.depth + 1)
    this.#codes[this.depth++] = code
  }

  /** The innermost bracket. Undefined if no bracket is open. */
  last(): number | undefined {
    return this.#codes[this.depth - 1]
  }

  pop(): void {
    this.depth--
  }
}

/**
 * Returns whether a text is valid JSON by the rules of `JSON.parse`. Makes no value: a value takes ten times as long
 * for some texts, as a million brackets.
 */
export function isJson(text: string): boolean {
  const open = new Brackets()
  let at = skipSpace(text, 0)
  for (;;) {
    // A value starts here.
    const code = text.charCodeAt(at)
    const isContainer = code === OPEN_LIST || code === OPEN_OBJECT
    at = isContainer ? skipSpace(text, at + 1) : endOfScalar(text, at)
    if (at === NOWHERE) return false
    if (isContainer) {
      open.push(code + 2)
      const isEmpty = text.charCodeAt(at) === code + 2
      if (!isEmpty && code === OPEN_OBJECT) at = behindKey(text, at)
      if (at === NOWHERE) return false
      if (!isEmpty) continue
    }
    at = nextValue(text, at, open)
    if (at === NOWHERE) return false
    if (open.depth === 0) return at === text.length
  }
}

/** Returns the place of the next value behind a value, closing brackets on the way. Behind the last value, the end. */
function nextValue(text: string, from: Place, open: Brackets): Place {
  let at = skipSpace(text, from)
  while (open.depth > 0 && text.charCodeAt(at) === open.last()) {
    open.pop()
    at = skipSpace(text, at + 1)
  }
  if (open.depth === 0) return at
  if (text.charCodeAt(at) !== COMMA) return NOWHERE
  at = skipSpace(text, at + 1)
  return open.last() === CLOSE_OBJECT ? behindKey(text, at) : at
}

/** Returns the place of the value of a key. */
function behindKey(text: string, from: Place): Place {
  const end = text.charCodeAt(from) === QUOTE ? endOfString(text, from) : NOWHERE
  const at = end === NOWHERE ? NOWHERE : skipSpace(text, end)
  return at !== NOWHERE && text.charCodeAt(at) === COLON ? skipSpace(text, at + 1) : NOWHERE
}

function skipSpace(text: string, from: Place): Place {
  let at = from
  for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9; )
    code = text.charCodeAt(++at)
  return at
}

function endOfScalar(text: string, at: Place): Place {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return endOfString(text, at)
  if (code === MINUS || isDigit(code)) return endOfNumber(text, at)
  const word = WORDS.find((one) => text.startsWith(one, at))
  return word === undefined ? NOWHERE : at + word.length
}

function endOfString(text: string, from: Place): Place {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < 32) return NOWHERE
    if (code !== BACKSLASH) continue
    at++
    if (text.charCodeAt(at) === 117 && isHexadecimal(text, at + 1)) at += 4
    else if (at >= text.length || !'"\\/bfnrt'.includes(text[at])) return NOWHERE
  }
  return NOWHERE
}

const isHexadecimal = (text: string, at: Place) => /^[\da-fA-F]{4}$/.test(text.slice(at, at + 4))
const isDigit = (code: number) => code >= ZERO && code <= NINE

function endOfNumber(text: string, from: Place): Place {
  let at = text.charCodeAt(from) === MINUS ? from + 1 : from
  at = text.charCodeAt(at) === ZERO ? at + 1 : endOfDigits(text, at)
  if (at !== NOWHERE && text.charCodeAt(at) === DOT) at = endOfDigits(text, at + 1)
  if (at === NOWHERE || (text[at] !== 'e' && text[at] !== 'E')) return at
  const hasSign = text[at + 1] === '-' || text[at + 1] === '+'
  return endOfDigits(text, at + (hasSign ? 2 : 1))
}

/** Returns the place behind some digits. There must be a digit. */
function endOfDigits(text: string, from: Place): Place {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at === from ? NOWHERE : at
}
