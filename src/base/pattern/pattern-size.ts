/** A token of a pattern: a quotation, an escape, a class, a repetition, the start of a group, or a character. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[pP]?.|\[\^?\]?(?:\[:[^:]+:\]|\\.|[^\]\\])*\]|\{[\d,]+\}|\((?:\?[^:)>]*.)?|./gsu
/** The items of a class: named classes, escapes, characters. */
const CLASS_ITEM = /\[:\^?[a-z]+:\]|\\[pP]\{[^}]*\}|\\[pP].|\\x\{[^}]*\}|\\.|[^\\]/gsu

/**
 * Instructions of a class of Unicode characters: RE2 matches bytes, so each range of characters becomes several ranges
 * of bytes. Categories of letters, marks and symbols have hundreds of ranges, scripts some dozens.
 */
const CATEGORY_SIZE = 1_000
const SCRIPT_SIZE = 150
/** Instructions of any character, and of a class that leaves out some ASCII characters. */
const ANY_SIZE = 10
/** Instructions of a range of characters beyond ASCII. */
const WIDE_RANGE_SIZE = 4
/** Instructions of an escape of a few characters, as `\\d`. */
const ESCAPE_SIZE = 4
/** Letters with a case beyond ASCII, the Kelvin sign and the long s, and their instructions. */
const WIDE_CASES = /[ks]/i
const WIDE_CASES_SIZE = 5

/** An open group: the instructions of all parts, and of the last part, which a repetition repeats. */
interface Group {
  sum: number
  last: number
}

/**
 * Estimates the instructions of RE2's program for a valid pattern. RE2 compiles an instruction in up to a microsecond,
 * and executes up to all instructions at each byte of a text.
 */
export function patternSize(pattern: string, ignoresCase = false): number {
  const foldsCase = ignoresCase || /\(\?[a-zA-Z]*i/.test(pattern)
  const groups: Group[] = [{ sum: 0, last: 0 }]
  for (const token of pattern.match(TOKEN) ?? []) {
    const group = groups.at(-1)!
    if (token === '(' || (token.startsWith('(?') && !token.endsWith(')'))) groups.push({ sum: 0, last: 0 })
    else if (token === ')') closeGroup(groups)
    else if (token.startsWith('(?')) continue
    else if (isRepetition(token)) repeat(group, repetitionOf(token))
    else addPart(group, sizeOf(token, foldsCase))
  }
  while (groups.length > 1) closeGroup(groups)
  return 1 + groups[0].sum
}

/** Adds the instructions of the innermost group to the enclosing group. */
function closeGroup(groups: Group[]): void {
  if (groups.length === 1) return
  const { sum } = groups.pop()!
  addPart(groups.at(-1)!, sum + 2)
}

function addPart(group: Group, size: number): void {
  group.sum += size
  group.last = size
}

const isRepetition = (token: string) => /^(?:[*+?]|\{\d)/.test(token)

/** The copies of a part that RE2 writes for a repetition: `{2,5}` becomes five copies. Three copies are optional. */
interface Repetition {
  copies: number
  optional: number
}

function repetitionOf(token: string): Repetition {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)/.exec(token) ?? []
  if (least === undefined) return { copies: 1, optional: 1 }
  const fewest = Number(least)
  if (most === '') return comma === '' ? { copies: fewest, optional: 0 } : { copies: fewest + 1, optional: 1 }
  return { copies: Number(most), optional: Number(most) - fewest }
}

function repeat(group: Group, { copies, optional }: Repetition): void {
  const repeated = group.last * copies + optional
  group.sum += repeated - group.last
  group.last = repeated
}

function sizeOf(token: string, foldsCase: boolean): number {
  if (token.startsWith('\\Q')) return (foldsCase ? WIDE_CASES_SIZE : 1) * Buffer.byteLength(token)
  if (token.startsWith('[')) return classSize(token, foldsCase)
  if (token.startsWith('\\')) return escapeSize(token)
  if (token === '.') return ANY_SIZE
  return foldsCase && WIDE_CASES.test(token) ? WIDE_CASES_SIZE : Buffer.byteLength(token)
}

function escapeSize(token: string): number {
  if (/^\\[pP]/.test(token)) return /^\\[pP]\{?\^?[A-Z][a-z]?\}?$/.test(token) ? CATEGORY_SIZE : SCRIPT_SIZE
  return /^\\[DWSC]/.test(token) ? ANY_SIZE : ESCAPE_SIZE
}

function classSize(token: string, foldsCase: boolean): number {
  const isNegated = token.startsWith('[^')
  const items = token.slice(isNegated ? 2 : 1, -1).match(CLASS_ITEM) ?? []
  let size = isNegated || token.includes('[:^') ? ANY_SIZE : 0
  const ascii = new Set<number>()
  items.forEach((item, i) => {
    if (item.startsWith('\\')) size += escapeSize(item)
    else if (item > '\x7f') size += WIDE_RANGE_SIZE
    else if (item === '-') addRange(ascii, items[i - 1], items[i + 1])
    else if (item.length === 1) ascii.add(item.charCodeAt(0))
    else size++
  })
  return size + (foldsCase ? 2 : 1) * rangesOf(ascii)
}

/** Adds the characters of a range. Adds the hyphen itself if the hyphen is at an end of the class. */
function addRange(ascii: Set<number>, first: string | undefined, last: string | undefined): void {
  if (first === undefined || last === undefined) ascii.add(0x2d)
  else for (let code = first.charCodeAt(0); code <= Math.min(0x7f, last.charCodeAt(0)); code++) ascii.add(code)
}

/** Returns the number of ranges of adjacent characters. Each range is an instruction. */
function rangesOf(ascii: ReadonlySet<number>): number {
  let ranges = 0
  for (const code of ascii) if (!ascii.has(code - 1)) ranges++
  return ranges
}
