import { isInteger, numberOfText } from '../../plan/values/values.js'
import { decodeEscapes } from './escapes.js'
import { invalid, unsupported } from './fault.js'
import type { SqlLimits } from './limits.js'

/** A token: kind, place, decoded text and spelling. */
export interface Token {
  kind: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'symbol' | 'end'
  at: number
  /** A word, symbol or parameter in lower case, a name in backticks or a text decoded, a number as spelled. */
  text: string
  /** A word as spelled. */
  spelled: string
}

const SPACE = /(?:[\s\u00a0\ufeff]|--[^\n]*|#[^\n]*)+/y
const WORD = /[A-Za-z_]\w*/y
const NUMBER = /0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const PARAMETER = /@([A-Za-z_]\w*)/y
const SYMBOL = /->>|->|@>|<=|>=|!=|<>|\|\||::|!~|=>|==|[-+*/(),.;=<>[\]~&|^%:!?{}]/y
const NAME_IN_BACKTICKS = /`((?:[^`\\]|\\[\s\S])*)`/y
/**
 * Texts in three quotes, in which one and two quotes have no meaning. Four quotes alone are a text of one quote, as in
 * other dialects.
 */
const LONG_TEXTS: Readonly<Record<string, RegExp>> = {
  "'": /'''(?!'(?!'))((?:[^'\\]|\\[\s\S]|'{1,2}(?!'))*)'''/y,
  '"': /"""(?!"(?!"))((?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*)"""/y,
}
/** Texts in each kind of quotes. Two quotes inside are read as one. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  "'": /'((?:[^'\\]|\\[\s\S]|'')*)'/y,
  '"': /"((?:[^"\\]|\\[\s\S]|"")*)"/y,
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Splits a text into tokens, `end` last. Half of a surrogate pair is read as U+FFFD. Linear in the text. */
export function tokensOf(given: string, limits: SqlLimits): Token[] {
  if (Buffer.byteLength(given) > limits.textBytes)
    throw unsupported(`The text is longer than ${limits.textBytes} bytes.`, 0)
  const text = given.toWellFormed()
  const tokens: Token[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const { token, next } = tokenAt(text, at)
    tokens.push(token)
    at = skipSpace(text, next)
  }
  tokens.push({ kind: 'end', at: text.length, text: '', spelled: 'the end of the text' })
  return tokens
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const space = match(SPACE, text, at)
    if (space !== null) at += space[0].length
    if (!text.startsWith('/*', at)) return at
    const end = text.indexOf('*/', at + 2)
    if (end < 0) throw invalid('This comment has no end: write */.', at)
    at = end + 2
  }
}

/** A token, and the place behind the token. */
interface Found {
  token: Token
  next: number
}

function tokenAt(text: string, at: number): Found {
  const first = text[at]
  if (TEXTS[first] !== undefined) return textAt(text, at, at, false)
  if (first === '`') return quotedName(text, at)
  const word = match(WORD, text, at)?.[0]
  if (word !== undefined) return wordAt(text, at, word)
  const number = match(NUMBER, text, at)?.[0]
  if (number !== undefined) return numberAt(text, at, number)
  const parameter = match(PARAMETER, text, at)
  if (parameter !== null) return found('parameter', at, parameter[0].length, parameter[1])
  const symbol = match(SYMBOL, text, at)?.[0]
  if (symbol !== undefined) return found('symbol', at, symbol.length, symbol)
  if (first === '$') throw invalid('A parameter is written @name.', at)
  throw invalid(
    `${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} has no meaning here. ` +
      'Write names with such characters in backticks, and texts in quotes.',
    at,
  )
}

function found(kind: Token['kind'], at: number, length: number, text: string, spelled = text): Found {
  return { token: { kind, at, text, spelled }, next: at + length }
}

/** A word, or a text with a prefix of BigQuery before the quotes: `r'…'` is raw, bytes are not covered. */
function wordAt(text: string, at: number, word: string): Found {
  const prefix = word.toLowerCase()
  const next = at + word.length
  if (TEXTS[text[next] ?? ''] !== undefined) {
    if (prefix === 'r') return textAt(text, next, at, true)
    if (/^(?:b|rb|br)$/.test(prefix)) throw unsupported('Bytes are not covered: write a text without the b.', at)
  }
  return found('word', at, word.length, prefix, word)
}

function textAt(text: string, quoteAt: number, at: number, isRaw: boolean): Found {
  const quote = text[quoteAt]
  const long = text.startsWith(quote.repeat(3), quoteAt) ? match(LONG_TEXTS[quote], text, quoteAt) : null
  if (long !== null) {
    const content = long[1]
    return found('text', at, quoteAt - at + long[0].length, isRaw ? content : decodeEscapes(content))
  }
  const whole = match(TEXTS[quote], text, quoteAt)
  if (whole === null) throw invalid(`This text has no end: the closing ${quote} is missing.`, at)
  const content = whole[1].replaceAll(quote + quote, quote)
  return found('text', at, quoteAt - at + whole[0].length, isRaw ? content : decodeEscapes(content))
}

function quotedName(text: string, at: number): Found {
  const whole = match(NAME_IN_BACKTICKS, text, at)
  if (whole === null) throw invalid('This name has no end: the closing ` is missing.', at)
  return found('quoted', at, whole[0].length, decodeEscapes(whole[1]))
}

function numberAt(text: string, at: number, number: string): Found {
  const next = at + number.length
  if (match(WORD, text, next) !== null)
    throw invalid(`A number and a word are written together: put a space behind ${number}.`, next)
  const isHexadecimal = /^0x/i.test(number)
  const value = isHexadecimal ? 0 : numberOfText(number)
  if (value === undefined || (/^\d+$/.test(number) && !isInteger(value)))
    throw invalid(`The number ${number} is too large.`, at)
  return found('number', at, number.length, number)
}
