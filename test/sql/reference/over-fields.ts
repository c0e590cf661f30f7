import { type Token, tokensOf } from '../../../src/sql/parse/lexer.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'

/** An expression over fields of an object, and the object with the literals. */
export interface OverFields {
  sql: string
  /** JSON text. */
  object: string
}

/** Arguments that must be literals, or may be a time zone, by the function and the place of the argument. */
const LITERAL_ARGUMENTS = new RegExp(
  '^(?:regexp_\\w+ 1|json_(?:value|query|extract|extract_scalar) 1|(?:format|parse)_timestamp [02]|' +
    '\\w+_trunc 2|current_\\w+ 0|(?:string|timestamp|datetime|date) 1)$',
)

const isWord = (token: Token | undefined, words: RegExp): boolean => token?.kind === 'word' && words.test(token.text)

/**
 * Replaces the literals of an expression by fields of the field `object` of a record, so that the expression has the
 * same value in each row instead of a value that is known when the text is compiled. Undefined if the expression has no
 * such literal, or a subquery, in which the fields have no meaning.
 */
export function overFields(expression: string, object: string): OverFields | undefined {
  const tokens = tokensOf(expression, SQL_LIMITS)
  if (tokens.some((token) => isWord(token, /^select$/))) return undefined
  const places = argumentPlaces(tokens)
  const values: string[] = []
  const parts: string[] = []
  for (let i = 0; i < tokens.length - 1; i++) {
    const isTime = isWord(tokens[i], /^(?:timestamp|datetime|date)$/) && tokens[i + 1]!.kind === 'text'
    const json = isTime ? JSON.stringify(tokens[i + 1]!.text) : literalAt(tokens, i, places)
    const field = `${object}.v${values.length}`
    if (json === undefined) parts.push(expression.slice(tokens[i]!.at, tokens[i + 1]!.at))
    else parts.push(isTime ? `cast(${field} as ${tokens[i]!.text}) ` : `${field} `)
    if (json !== undefined) values.push(`"v${values.length}":${json}`)
    if (isTime) i++
  }
  return values.length === 0 ? undefined : { sql: parts.join(''), object: `{${values.join(',')}}` }
}

/** The innermost call that contains each token, and the place of the argument, as `substr 1`. */
function argumentPlaces(tokens: readonly Token[]): string[] {
  const calls: { name: string; place: number }[] = []
  return tokens.map(({ kind, text }, i) => {
    const call = calls.at(-1)
    const before = tokens[i - 1]
    if (kind === 'symbol' && text === '(') calls.push({ name: before?.kind === 'word' ? before.text : '', place: 0 })
    if (kind === 'symbol' && text === ')') calls.pop()
    if (kind === 'symbol' && text === ',' && call !== undefined) call.place++
    return call === undefined ? '' : `${call.name} ${call.place}`
  })
}

/** The JSON of a literal that a field can replace. Undefined if the token is no such literal. */
function literalAt(tokens: readonly Token[], i: number, places: readonly string[]): string | undefined {
  const { kind, text } = tokens[i]!
  const before = tokens[i - 1]
  if (LITERAL_ARGUMENTS.test(places[i]!) || isWord(before, /^zone$/)) return undefined
  if (kind === 'text') return JSON.stringify(text)
  if (kind === 'number') return numberJson(text)
  const isTest = isWord(before, /^is$/) || (isWord(before, /^not$/) && isWord(tokens[i - 2], /^is$/))
  return isWord(tokens[i], /^(?:true|false|null)$/) && !isTest ? text : undefined
}

/** The digits of the value, in the form of JSON. */
function numberJson(spelled: string): string {
  const isWhole = /^(?:0x[\da-f]+|\d+)$/i.test(spelled)
  return isWhole ? String(BigInt(spelled)) : String(Number(spelled))
}
