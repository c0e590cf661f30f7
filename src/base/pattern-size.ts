/** One token of a pattern: a quotation, an escape, a class, a repetition, the start of a group, or a character. */
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

/** An open group: the instructions of all its parts, and of the last part, which a repetition repeats. */
interface Group {
  sum: number
  last: number
}

/**
 * Estimates the instructions of RE2's program for a valid pattern. RE2 compiles an instruction in up to a microsecond,
 * and executes up to all of them at each byte of a text.
 */
export function patternSize(pattern: string, ignoresCase = false): number {
  const foldsCase = ignoresCase || /\(\?[a-zA-Z]*i/.test(pattern)
  const groups: Group[] = [{ sum: 0, last: 0 }]
  for (const token of pattern.match(TOKEN) ?? []) {
    const group = groups.at(-1)!
    if (token === '(' || (token.startsWith('(?') && !token.endsWith(')'))) groups.push({ sum: 0, last: 0 })
    else if (token === ')') closeGroup(groups)
    else if (token.startsWith('(?')) continue
    else if (isRepetition(token)) repeat(group, mostRepeated(token))
    else addPart(group, sizeOf(token, foldsCase))
  }
  while (groups.length > 1) closeGroup(groups)
  return 1 + groups[0]!.sum
}

/** Adds the instructions of the innermost group to the group around it. */
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

/** How often RE2 writes the repeated part: `{2,5}` becomes five copies, of which three are optional. */
function mostRepeated(token: string): number {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)/.exec(token) ?? []
  if (least === undefined) return 1
  return most === '' ? Number(least) + (comma === '' ? 0 : 1) : Number(most)
}

function repeat(group: Group, times: number): void {
  const repeated = (group.last + 1) * times
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
  for (const item of items) size += itemSize(item, foldsCase)
  return size
}

function itemSize(item: string, foldsCase: boolean): number {
  if (item.startsWith('\\')) return escapeSize(item)
  if (item > '\x7f') return WIDE_RANGE_SIZE
  return foldsCase ? 2 : 1
}
