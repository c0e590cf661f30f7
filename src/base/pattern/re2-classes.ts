import { RE2JS } from 're2js'

/** Ranges of code points: the first and the last of each range, in ascending order. */
type Ranges = readonly number[]

const LAST_CODE_POINT = 0x10ffff
/** The items of the class of all characters. */
const ANY = '\\x{0}-\\x{10ffff}'
/** A code point that is no character, to keep re2js from making a letter with its case of a class of two letters. */
const NO_CHARACTER = 0x10fffe

/** Operations of re2js's programs that match a character. */
const RUNE = 8
const RUNE_ANY = 10
const RUNE_ANY_NOT_NL = 11

/** Classes that re2js has, and RE2 has not: later scripts, and properties that are neither a script nor a category. */
const OTHER_CLASSES = new Set(
  (
    'Cn LC Lc Ascii Assigned ASCII_Hex_Digit Alphabetic Dash Emoji Emoji_Component Emoji_Modifier ' +
    'Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark ' +
    'Terminal_Punctuation Uppercase White_Space Beria_Erfe Garay Gurung_Khema Kirat_Rai Ol_Onal Sidetic Sunuwar ' +
    'Tai_Yo Todhri Tolong_Siki Tulu_Tigalari Unknown'
  ).split(' '),
)

/**
 * The characters that Unicode 16 and 17 have added: RE2 has the tables of Unicode 15.1, re2js those of Unicode 17.
 * Computed from all code points in all classes of both.
 */
const ADDED = rangesIn(
  '88f 897 c5c cdc 1acf-1add 1ae0-1aeb 1b4e-1b4f 1b7f 1c89-1c8a 20c1 2427-2429 2b96 31e4-31e5 a7cb-a7cf a7d2 a7d4 ' +
    'a7da-a7dc a7f1 fbc3-fbd2 fd90-fd91 fdc8-fdce 105c0-105f3 10940-10959 10d40-10d65 10d69-10d85 10d8e-10d8f ' +
    '10ec2-10ec7 10ed0-10ed8 10efa-10efc 11380-11389 1138b 1138e 11390-113b5 113b7-113c0 113c2 113c5 113c7-113ca ' +
    '113cc-113d5 113d7-113d8 113e1-113e2 116d0-116e3 11b60-11b67 11bc0-11be1 11bf0-11bf9 11db0-11ddb 11de0-11de9 ' +
    '11f5a 13460-143fa 16100-16139 16d40-16d79 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18cff 18d09-18d1e ' +
    '18d80-18df2 1cc00-1ccfc 1cd00-1ceb3 1ceba-1ced0 1cee0-1cef0 1e5d0-1e5fa 1e5ff 1e6c0-1e6de 1e6e0-1e6f5 ' +
    '1e6fe-1e6ff 1f6d8 1f777-1f77a 1f8b2-1f8bb 1f8c0-1f8c1 1f8d0-1f8d8 1fa54-1fa57 1fa89-1fa8a 1fa8e-1fa8f 1fabe ' +
    '1fac6 1fac8 1facd 1fadc 1fadf 1fae9-1faea 1faef 1fbcb-1fbef 1fbfa 2b73a-2b73f 2cea2-2cead 323b0-33479',
)
/** Characters that have changed their category since: the category in RE2, and the category in re2js. */
const MOVED = [
  { point: 0x295, from: 'Ll', to: 'Lo' },
  { point: 0x1171e, from: 'Mn', to: 'Mc' },
] as const
/** Letters that Unicode 16 and 17 have made pairs of: the first letter, its other case, how many, how far apart. */
const PAIRED = [
  [0x19b, 0xa7dc, 1, 1],
  [0x264, 0xa7cb, 1, 1],
  [0x1c89, 0x1c8a, 1, 1],
  [0xa7cc, 0xa7cd, 2, 2],
  [0xa7d2, 0xa7d3, 2, 2],
  [0xa7da, 0xa7db, 1, 1],
  [0x10d50, 0x10d70, 22, 1],
  [0x16ea0, 0x16ebb, 25, 1],
] as const
const PAIRED_LETTERS: Ranges = PAIRED.flatMap(([first, other, count, step]) =>
  Array.from({ length: count }, (_, i) => [first + i * step, other + i * step]).flat(),
)
  .sort((a, b) => a - b)
  .flatMap((letter) => [letter, letter])

/** Letters without another case in RE2, that may be in a class of re2js. */
const NOT_CASED: Ranges = union([...PAIRED_LETTERS, ...MOVED.flatMap(({ point }) => [point, point])])

/** A token outside a class in brackets: a class by its name, an escape, the start of a group, a character. */
const TOKEN = /\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[0-7]{1,3}|\\.|\(\?P?<\w+>|\(\?[a-zA-Z-]*[:)]|./suy
/** A class by its name in a class in brackets: of ASCII, or of Unicode. */
const INNER_CLASS = /(\[:\^?[a-z]+:\]|\\[dDsSwW])|(\\[pP](?:\{[^}]*\}|.))/suy
/** Another item of a class in brackets, or the last of a range. */
const CHARACTER = /\\(?:x\{[^}]*\}|x..|[0-7]{1,3}|.)|./suy
const NAMED_CLASS = /^\\([pP])\{?(\^?)([^}]*)\}?$/su
/**
 * Without these a pattern has no class and no letter that depends on the version of Unicode, and no class that ends
 * with `[:]`, which re2js takes for the name of a class.
 */
const READ_OTHERWISE = /[^\0-\x7f]|\\[pPx0-7]|.\[:\]/su

/**
 * Rewrites the classes and letters of a valid pattern for re2js, so that they match the same characters as in RE2.
 * re2js has later tables of Unicode.
 */
export function withRe2Classes(pattern: string, ignoresCase: boolean): string {
  if (!READ_OTHERWISE.test(pattern)) return pattern
  let folds = ignoresCase
  const outside: boolean[] = []
  const rewritten = (token: string): string => {
    if (/^\((?:$|\?P?<)/.test(token)) outside.push(folds)
    else if (token === ')') folds = outside.pop() ?? folds
    else if (token.startsWith('(?')) {
      if (token.endsWith(':')) outside.push(folds)
      folds = foldsAfter(token, folds)
    } else if (NAMED_CLASS.test(token)) return `(?-i:${inBrackets(spelled(namedClass(token, folds)))})`
    else if (folds && PAIRED_LETTERS.includes(codePointOf(token))) return `(?-i:${token})`
    return token
  }
  let result = ''
  for (let at = 0; at < pattern.length; ) {
    const found = pattern[at] === '[' ? classAt(pattern, at) : undefined
    // A class that is rewritten further on would end this class.
    if (found === undefined && pattern[at] === '[') throw new Error(`missing ]: ${pattern.slice(at)}`)
    const end = found === undefined ? at + matchAt(TOKEN, pattern, at)![0].length : found.end
    const text = pattern.slice(at, end)
    result += found === undefined ? rewritten(text) : READ_OTHERWISE.test(text) ? bracketed(found, folds) : text
    at = end
  }
  return result
}

/** An item of a class: a character or range, or the name of another class. */
interface Item {
  text: string
  /** The name of a class of ASCII characters. */
  ascii?: string
  /** The name of a class of Unicode. */
  name?: string
}

interface BracketedClass {
  isNegated: boolean
  items: Item[]
  end: number
}

/** Reads the class at a place. Undefined if it has no end. Throws if a class in it has a name that no class has. */
function classAt(pattern: string, at: number): BracketedClass | undefined {
  const isNegated = pattern[at + 1] === '^'
  const start = at + (isNegated ? 2 : 1)
  const items: Item[] = []
  for (let place = start; place < pattern.length; place += items.at(-1)!.text.length) {
    if (pattern[place] === ']' && place > start) return { isNegated, items, end: place + 1 }
    const inner = matchAt(INNER_CLASS, pattern, place)
    const endOfName = pattern.startsWith('[:', place) ? pattern.indexOf(':]', place + 2) : -1
    if (inner === undefined && endOfName >= 0) {
      throw new Error(`invalid character class range: ${pattern.slice(place, endOfName + 2)}`)
    }
    if (inner === undefined) items.push({ text: rangeAt(pattern, place) })
    else items.push({ text: inner[0], ascii: inner[1], name: inner[2] })
  }
  return undefined
}

/** Returns the character at a place, or the range that starts with it. */
function rangeAt(pattern: string, place: number): string {
  const [first] = matchAt(CHARACTER, pattern, place)!
  const hyphen = place + first.length
  if (pattern[hyphen] !== '-' || pattern[hyphen + 1] === ']') return first
  const last = matchAt(CHARACTER, pattern, hyphen + 1)?.[0] ?? ''
  if (/^\\[pPdDsSwW]/.test(last)) throw new Error(`invalid character class range: ${first}-${last}`)
  return `${first}-${last}`
}

function matchAt(sticky: RegExp, text: string, place: number): RegExpExecArray | undefined {
  sticky.lastIndex = place
  return sticky.exec(text) ?? undefined
}

/** Whether flags such as `(?i)` or `(?s-i:` leave the pattern ignoring case. */
function foldsAfter(flags: string, before: boolean): boolean {
  const [, set, cleared] = /^\(\?([a-zA-Z]*)-?([a-zA-Z]*)/.exec(flags)!
  return cleared.includes('i') ? false : before || set.includes('i')
}

function codePointOf(token: string): number {
  const [, hex, octal] = /^\\(?:x\{?([\da-fA-F]+)\}?|([0-7]+))$/.exec(token) ?? []
  if (hex !== undefined) return Number.parseInt(hex, 16)
  return octal === undefined ? token.codePointAt(0)! : Number.parseInt(octal, 8)
}

function bracketed({ isNegated, items }: BracketedClass, folds: boolean): string {
  const named: Ranges[] = []
  let others = ''
  for (const { text, ascii, name } of items) {
    if (name !== undefined) named.push(namedClass(name, folds))
    else if (ascii !== undefined && folds) named.push(matchedBy(`(?i)[${ascii}]`))
    // At another place than before, these would have another meaning.
    else others += /^[-^[\]](?:$|-)/.test(text) ? `\\${text}` : text
  }
  if (!folds) return inBrackets(others + spelled(named.flat()), isNegated)
  const ranges = others === '' ? [] : folded(matchedBy(`[${others}]`))
  return `(?-i:${inBrackets(spelled(union([...named.flat(), ...ranges])), isNegated)})`
}

/** Returns the class of some items. Without items the class is empty, which has another spelling. */
function inBrackets(items: string, isNegated = false): string {
  return items === '' ? inBrackets(ANY, !isNegated) : `[${isNegated ? '^' : ''}${items}]`
}

/** Classes that have been computed: a category takes a millisecond. */
const namedClasses = new Map<string, Ranges>()

/** Returns a class that has a name, as `\p{Lu}` or `\P{Greek}`. Throws if RE2 has no such class. */
function namedClass(token: string, folds: boolean): Ranges {
  const [, letter, caret, name] = NAMED_CLASS.exec(token)!
  if (OTHER_CLASSES.has(name)) throw new Error(`invalid character class range: ${token}`)
  const isNegated = (letter === 'P') !== (caret === '^')
  const key = `${name}/${folds}/${isNegated}`
  const known = namedClasses.get(key)
  if (known !== undefined) return known
  // re2js has tables of the cases of a class. "Any" and "Other" have all cases of their letters.
  const cased = folds && name !== 'Any' && name !== 'C' ? matchedBy(`(?i)\\p{${name}}`) : []
  const category = union([...categoryOf(name), ...subtract(subtract(cased, ADDED), NOT_CASED)])
  const ranges = isNegated ? complement(category) : category
  namedClasses.set(key, ranges)
  return ranges
}

function categoryOf(name: string): Ranges {
  if (name === 'Any') return [0, LAST_CODE_POINT]
  const added = subtract(matchedBy(`\\p{${name}}`), ADDED)
  // RE2 leaves code points without a character out of "Other".
  const known = name === 'C' ? subtract(added, matchedBy('\\p{Cn}')) : added
  const removed = MOVED.filter(({ to }) => to === name).flatMap(({ point }) => [point, point])
  const kept = subtract(known, removed)
  return union([...kept, ...MOVED.filter(({ from }) => from === name).flatMap(({ point }) => [point, point])])
}

/** Code points that are folded at once. re2js looks at each code point of a class: the last takes some milliseconds. */
const BLOCK = 1024
/** The last code point with another case, in all versions of Unicode so far. */
const LAST_LETTER = 0x1e943
const blocks = new Map<number, Ranges>()

/** Adds the other cases of all letters in ranges. */
function folded(ranges: Ranges): Ranges {
  const all = [...ranges]
  const rest: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const end = Math.min(ranges[i + 1], LAST_LETTER) + 1
    for (let from = ranges[i], to = 0; from < end; from = to) {
      to = Math.min(end, from - (from % BLOCK) + BLOCK)
      if (to - from < BLOCK) rest.push(from, to - 1)
      else all.push(...foldedBlock(from))
    }
  }
  return union(rest.length === 0 ? all : [...all, ...casesIn(rest)])
}

function foldedBlock(from: number): Ranges {
  const known = blocks.get(from)
  const ranges = known ?? casesIn([from, from + BLOCK - 1])
  blocks.set(from, ranges)
  return ranges
}

/** Returns the letters in ranges with all their cases in RE2. Some letters may be left out that are in the ranges. */
const casesIn = (ranges: Ranges): Ranges => subtract(matchedBy(`(?i)[${spelled(ranges)}]`), PAIRED_LETTERS)

/** Returns the characters that a pattern of a single class matches in re2js. */
function matchedBy(pattern: string): Ranges {
  const { inst } = RE2JS.compile(pattern).re2().prog
  const found = inst.find(({ op }: { op: number }) => op >= RUNE && op <= RUNE_ANY_NOT_NL)
  if (found === undefined) return []
  if (found.op === RUNE_ANY) return [0, LAST_CODE_POINT]
  if (found.op === RUNE_ANY_NOT_NL) return [0, 9, 11, LAST_CODE_POINT]
  const runes: number[] = [...found.runes]
  if (runes.length > 1) return runes
  if (found.arg === 0) return [runes[0], runes[0]]
  // A letter without regard to case. With another character, re2js lists the cases.
  return subtract(matchedBy(pattern.replace('[', `[\\x{${NO_CHARACTER.toString(16)}}`)), [NO_CHARACTER, NO_CHARACTER])
}

/** Sorts ranges, and merges those that touch each other. */
function union(ranges: Ranges): Ranges {
  const order = Array.from({ length: ranges.length / 2 }, (_, i) => 2 * i).sort((a, b) => ranges[a] - ranges[b])
  const merged: number[] = []
  for (const i of order) {
    const last = merged.length - 1
    if (last > 0 && ranges[i] <= merged[last] + 1) merged[last] = Math.max(merged[last], ranges[i + 1])
    else merged.push(ranges[i], ranges[i + 1])
  }
  return merged
}

function complement(ranges: Ranges): Ranges {
  const rest: number[] = []
  let next = 0
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] > next) rest.push(next, ranges[i] - 1)
    next = ranges[i + 1] + 1
  }
  if (next <= LAST_CODE_POINT) rest.push(next, LAST_CODE_POINT)
  return rest
}

function subtract(ranges: Ranges, removed: Ranges): Ranges {
  const rest: number[] = []
  let at = 0
  for (let i = 0; i < ranges.length; i += 2) {
    let first = ranges[i]
    const last = ranges[i + 1]
    while (at < removed.length && removed[at + 1] < first) at += 2
    for (let j = at; j < removed.length && removed[j] <= last; j += 2) {
      if (removed[j] > first) rest.push(first, removed[j] - 1)
      first = Math.max(first, removed[j + 1] + 1)
    }
    if (first <= last) rest.push(first, last)
  }
  return rest
}

/** Spells ranges as the items of a class. */
function spelled(ranges: Ranges): string {
  let items = ''
  for (let i = 0; i < ranges.length; i += 2) {
    items += `\\x{${ranges[i].toString(16)}}-\\x{${ranges[i + 1].toString(16)}}`
  }
  return items
}

function rangesIn(text: string): Ranges {
  return text.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('-').map((point) => Number.parseInt(point, 16))
    return [first, last]
  })
}
