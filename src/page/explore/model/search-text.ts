/**
 * Reads the text of the search box:
 *
 *     plain words          the message contains the phrase, ignoring case
 *     "quoted text"        the message contains the text, whatever the text is
 *     /pattern/            the message matches the RE2 pattern
 *     field:value          equals. With - before the field: does not equal
 *     field:"a value"      also with spaces
 *     field:*              has the field. With - before the field: lacks the field
 *     field:ab*  *ab  *ab* begins, ends with, contains
 *     field:/pattern/      matches
 *     field>=500           also >, <, <=, =, !=
 *     a:1 OR b>2 OR "text" at least one condition. Texts next to OR are in quotes
 */
import type { Filter, FilterEntry } from '../../api/explore.js'

/** Conditions that a text states. */
export interface SearchReading {
  filters: readonly FilterEntry[]
  /** Text that the message contains. Empty: any message. */
  search: string
  /** Message about a text that cannot be used, or undefined if it can. */
  problem: string | undefined
}

const FIELD = /(-?)([A-Za-z_](?:[\w.-]*\w)?)(:|>=|<=|!=|=|>|<)/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/y
const PATTERN = /\/((?:[^/\\]|\\.)+)\/(?=\s|$)/y
const WORD = /\S+/y

/** Returns the match of a sticky pattern at a place of a text, or undefined for no match. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** A part of the text. */
interface Part {
  filter?: FilterEntry
  quoted?: string
  word?: string
  problem?: string
}

/** A part, and the place after it. */
interface PlacedPart extends Part {
  filter?: Filter
  end: number
}

/** Reads a text. `aliases`: short names of fields. */
export function readSearch(text: string, aliases: Readonly<Record<string, string>> = {}): SearchReading {
  const joined = joinAlternatives(partsOf(text, aliases))
  const words = joined.flatMap(({ word }) => word ?? [])
  const texts = [words.join(' '), ...joined.flatMap(({ quoted }) => quoted ?? [])].filter((one) => one !== '')
  const filters = joined.flatMap(({ filter }) => (filter === undefined ? [] : [filter]))
  return {
    filters: [...filters, ...texts.slice(1).map(hasText)],
    search: texts[0] ?? '',
    problem: joined.find(({ problem }) => problem !== undefined)?.problem,
  }
}

function partsOf(text: string, aliases: Readonly<Record<string, string>>): PlacedPart[] {
  const parts: PlacedPart[] = []
  for (let at = nextPart(text, 0); at < text.length; ) {
    const part = readField(text, at, aliases) ?? readText(text, at)
    parts.push(part)
    at = nextPart(text, part.end)
  }
  return parts
}

const hasText = (value: string): Filter => ({ field: 'event_message', op: 'contains', value })

/** Joins the parts between which there is an `OR` to a single part. */
function joinAlternatives(parts: readonly PlacedPart[]): Part[] {
  if (!parts.some(isOr)) return [...parts]
  const groups: PlacedPart[][] = []
  for (const [i, part] of parts.entries()) {
    const isEnd = i === 0 || i === parts.length - 1
    if (isOr(part) && (isEnd || isOr(parts[i - 1]))) return [{ problem: OR_AT_END }]
    if (isOr(part)) continue
    if (i > 0 && isOr(parts[i - 1])) groups.at(-1)!.push(part)
    else groups.push([part])
  }
  return groups.map((group) => (group.length === 1 ? group[0] : alternativesOf(group)))
}

const isOr = ({ word }: Part) => word === 'OR'

const OR_AT_END = 'Write a condition on both sides of “OR”, or all of the text in quotes if it is one text.'
const OR_OF_WORDS =
  'Write texts next to “OR” in quotes: "timed out" OR "refused"; or all of the text, if it is one text.'

function alternativesOf(group: readonly PlacedPart[]): Part {
  const problem = group.find((part) => part.problem !== undefined)?.problem
  if (problem !== undefined) return { problem }
  const conditions = group.flatMap(({ filter, quoted }) => filter ?? (quoted ? hasText(quoted) : []))
  return conditions.length === group.length ? { filter: conditions } : { problem: OR_OF_WORDS }
}

/**
 * Returns a note about several words outside of quotes, which some users mean as separate conditions. Returns an empty
 * text for fewer than two words.
 */
export function phraseNote(text: string, aliases: Readonly<Record<string, string>> = {}): string {
  const words = joinAlternatives(partsOf(text, aliases)).flatMap(({ word }) => word ?? [])
  if (words.length < 2) return ''
  const operators = [...new Set(words.filter((word) => /^(?:and|or|not)$/i.test(word)))]
  const others = words.filter((word) => !operators.includes(word)).map((word) => `"${word.replace(/["\\]/g, '\\$&')}"`)
  const besides = operators.length === 0 ? '' : `, with ${operators.map((word) => `“${word}”`).join(' and ')} in it`
  const instead = others.length < 2 ? '' : ` For all of several texts, quote each: ${others.join(' ')}.`
  return `Read as one phrase${besides}: “${words.join(' ')}”.${instead}`
}

const nextPart = (text: string, from: number): number => from + text.slice(from).search(/\S|$/)

const unescaped = (text: string) => text.replace(/\\(["\\])/g, '$1')

/** Reads a quoted text, a pattern, or a word. */
function readText(text: string, at: number): PlacedPart {
  const quoted = matchAt(QUOTED, text, at)
  if (quoted !== undefined) return { quoted: unescaped(quoted[1]), end: at + quoted[0].length }
  const pattern = matchAt(PATTERN, text, at)
  if (pattern !== undefined)
    return { filter: { field: 'event_message', op: 'matches', value: pattern[1] }, end: at + pattern[0].length }
  const word = matchAt(WORD, text, at)![0]
  return { word, end: at + word.length }
}

/** Reads a condition on a field, or returns undefined for no condition, as in `10:30`, `https://…` and `error: …`. */
function readField(text: string, at: number, aliases: Readonly<Record<string, string>>): PlacedPart | undefined {
  const start = matchAt(FIELD, text, at)
  if (start === undefined) return undefined
  const [all, minus, name, sign] = start as unknown as [string, string, string, string]
  const from = at + all.length
  const field = Object.hasOwn(aliases, name) ? aliases[name] : name
  const isNegated = minus === '-'
  const quoted = matchAt(QUOTED, text, from)
  if (quoted !== undefined)
    return { ...conditionOf(field, sign, unescaped(quoted[1]), isNegated), end: from + quoted[0].length }
  const pattern = sign === ':' ? matchAt(PATTERN, text, from) : undefined
  if (pattern !== undefined) {
    const end = from + pattern[0].length
    return isNegated ? { problem: NOT_NEGATED, end } : { filter: { field, op: 'matches', value: pattern[1] }, end }
  }
  const word = matchAt(WORD, text, from)?.[0]
  if (word === undefined || (sign === ':' && word.startsWith('//'))) return undefined
  const end = from + word.length
  if (/^[<>=]/.test(word)) return { problem: twoSigns(name, sign + word), end }
  if (sign === ':' && word.includes('*')) return { ...globOf(field, word, isNegated), end }
  return { ...conditionOf(field, sign, scalarOf(word), isNegated), end }
}

const twoSigns = (name: string, text: string) =>
  `Write one of : = != > >= < <= after “${name}”, not “${text}”; and a value that begins with such a sign in quotes.`
const NOT_NEGATED = 'A “-” excludes a value or a field, not a pattern or a part of a value.'

/** Returns the value that a word spells: a number only if the word is the number's own text. */
function scalarOf(word: string): string | number | boolean | null {
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  return String(Number(word)) === word && Number.isFinite(Number(word)) ? Number(word) : word
}

function conditionOf(field: string, sign: string, value: Filter['value'], isNegated: boolean): Omit<PlacedPart, 'end'> {
  const isEquality = sign === ':' || sign === '='
  if (isNegated && !isEquality) return { problem: `Write “${field}” without “-” before a comparison with “${sign}”.` }
  const isExcluded = isNegated || sign === '!='
  if (value === null) {
    if (!isEquality && !isExcluded) return { problem: `“null” cannot be compared with “${sign}”.` }
    return { filter: { field, op: isExcluded ? 'exists' : 'missing' } }
  }
  if (isExcluded) return { filter: { field, op: '!=', value } }
  return { filter: { field, op: isEquality ? '=' : (sign as Filter['op']), value } }
}

/** Reads a value with stars, each of which matches any text. */
function globOf(field: string, word: string, isNegated: boolean): Omit<PlacedPart, 'end'> {
  if (/^\*+$/.test(word)) return { filter: { field, op: isNegated ? 'missing' : 'exists' } }
  if (isNegated) return { problem: NOT_NEGATED }
  const inner = /^\*([^*]+)\*$/.exec(word)?.[1]
  if (inner !== undefined) return { filter: { field, op: 'contains', value: inner } }
  const pattern = word
    .split('*')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*')
  return { filter: { field, op: 'matches', value: `^${pattern}$`.replace(/^\^\.\*|\.\*\$$/g, '') } }
}

/** Returns a text for the box that is read as words only. `isPhrase`: several words may lack quotes. */
export function boxText(search: string, isPhrase = true): string {
  const { filters, search: words } = readSearch(search)
  const isPlain = filters.length === 0 && words === search && (isPhrase || !/\s/.test(search))
  return isPlain ? search : `"${search.replace(/["\\]/g, '\\$&')}"`
}
