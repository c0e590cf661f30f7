import { below, oneOf, type Random } from '../../../support/random.js'

/** Keys that are alike, or that a table keyed by text could confuse. */
export const KEYS = [
  ...['', 'a', 'b', 'ab', 'bb', 'a.b', 'A', '__proto__', 'constructor', 'toString', 'country', 'county', 'xcountry'],
  ...[
    'a"b',
    '"',
    '\\',
    'a\\',
    '\\"',
    '\n',
    '\u0000',
    'é',
    '日本',
    '😀',
    '\ud800',
    '\udc00',
    '\ufffd',
    '/',
    ':',
    '{}',
    '","a',
  ],
  ...['status_code', 'x_status_code', 'y_status_code', 'a long key of more than 32 bytes, with the end status_code'],
]

const NUMBERS = [
  ...['0', '-0', '1', '-1', '1.0', '0.1', '1e5', '1E+5', '1e-5', '-1.5e+10', '1e400', '-1e400', '0e9999', '1e-9999'],
  ...['1.7976931348623157e308', '1.7976931348623159e308', '123456789012345678901234567890', '1e0000000001'],
  ...['1e99', `${'9'.repeat(308)}`, `${'9'.repeat(310)}`, `${'9'.repeat(250)}e99`, `0.${'0'.repeat(300)}1e320`],
]

const LETTERS = ['a', 'z', '0', ' ', '"', '\\', '/', '\b', '\f', '\n', '\r', '\t', '\u0001', '\u007f', ':', ',', '{']
const WIDE = ['}', '[', ']', 'é', '日', '😀', '\ud800', '\udfff', '\ufffd', '\ufeff', '\u2028']
const SHORT: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '"': '"', '\\': '\\' }

/** Returns a random JSON object or list with odd spellings, at most `depth` levels deep. */
export function randomDocument(random: Random, depth: number): string {
  const spaces = random() < 0.5 ? 0 : 0.3
  const escapes = oneOf(random, [0, 0.02, 0.5])
  const json = { random, spaces, escapes, depth }
  return space(json) + (random() < 0.8 ? object(json, depth) : list(json, depth)) + space(json)
}

interface Options {
  random: Random
  /** Share of the places for white space that have some. */
  spaces: number
  /** Share of characters that are escaped without need. */
  escapes: number
}

function space({ random, spaces }: Options): string {
  if (random() >= spaces) return ''
  return Array.from({ length: 1 + below(random, 4) ** 3 }, () => oneOf(random, [' ', '\t', '\n', '\r'])).join('')
}

function object(json: Options, depth: number): string {
  const members = Array.from({ length: below(json.random, 7) }, () => {
    const key = spell(json, oneOf(json.random, KEYS))
    return [space(json), key, space(json), ':', space(json), value(json, depth - 1), space(json)].join('')
  })
  return `{${members.length === 0 ? space(json) : members.join(',')}}`
}

function list(json: Options, depth: number): string {
  const elements = Array.from(
    { length: below(json.random, 4) },
    () => space(json) + value(json, depth - 1) + space(json),
  )
  return `[${elements.length === 0 ? space(json) : elements.join(',')}]`
}

function value(json: Options, depth: number): string {
  const { random } = json
  const draw = random()
  if (depth > 0 && draw < 0.35) return object(json, depth)
  if (depth > 0 && draw < 0.5) return list(json, depth)
  if (draw < 0.75) return spell(json, randomText(random))
  return draw < 0.87 ? oneOf(random, NUMBERS) : oneOf(random, ['true', 'false', 'null'])
}

/** A text of random characters, or a run of backslashes or quotes that may pass the end of a block of 64 bytes. */
function randomText(random: Random): string {
  if (random() < 0.15)
    return oneOf(random, ['\\', '"', '\\"', 'x']).repeat(below(random, 70)) + 'y'.repeat(below(random, 5))
  const length = oneOf(random, [0, 3, 10, 14 + below(random, 5), 60 + below(random, 10)])
  return Array.from({ length }, () => oneOf(random, random() < 0.6 ? LETTERS : WIDE)).join('')
}

/** Spells a text as a JSON string. Each character is raw if JSON allows a raw character, else a random escape. */
function spell({ random, escapes }: Options, text: string): string {
  const spelled = Array.from(text, (character) => {
    const needsEscape = character < ' ' || character === '"' || character === '\\' || !character.isWellFormed()
    if (!needsEscape && random() >= escapes) return character
    const short = character === '/' ? '/' : SHORT[character]
    if (short !== undefined && random() < 0.7) return `\\${short}`
    return Array.from({ length: character.length }, (_, i) => {
      const hex = character.charCodeAt(i).toString(16).padStart(4, '0')
      return `\\u${random() < 0.5 ? hex : hex.toUpperCase()}`
    }).join('')
  })
  return `"${spelled.join('')}"`
}
