import { type Finder, NO_PARTS, type Part } from './finder.js'

/** Numbers of payment cards (ISO/IEC 7812-1): the first digits and the lengths that issuers use. */
const ISSUERS: readonly { first: RegExp; lengths: readonly number[] }[] = [
  { first: /^4/, lengths: [13, 16, 19] },
  { first: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { first: /^3[47]/, lengths: [15] },
  { first: /^(?:6011|64[4-9]|65|62|81)/, lengths: [16, 17, 18, 19] },
  { first: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { first: /^3(?:0[0-5]|[689])/, lengths: [14, 15, 16, 17, 18, 19] },
  { first: /^(?:50|5[6-9]|6)/, lengths: [16, 18, 19] },
]
const MIN_DIGITS = 13
const MAX_DIGITS = 19
/** As many digits as the shortest number has. Most texts with so many digits have letters between. */
const MANY_DIGITS = /\d(?:[ -]?\d){12}/
/** Numbers of cards that pass their check, with or without blanks and dashes. */
export const card: Finder = {
  characters: undefined,
  triggers: undefined,
  digits: MIN_DIGITS,
  find(text) {
    if (!MANY_DIGITS.test(text)) return NO_PARTS
    const parts: Part[] = []
    for (let at = 0; at < text.length; ) {
      const end = isDigit(text.charCodeAt(at)) ? endOfGroups(text, at) : at
      if (end - at >= MIN_DIGITS && standsAlone(text, at, end)) addCards(parts, text.slice(at, end), at)
      at = Math.max(end, at + 1)
    }
    return parts
  },
  normalize: (found) => found.replaceAll(/[ -]/g, ''),
}

const [ZERO, NINE, SPACE, DASH, POINT, LOW_LINE] = [0x30, 0x39, 0x20, 0x2d, 0x2e, 0x5f]
const LETTER = /[\p{L}\p{N}]/u

const isDigit = (unit: number) => unit >= ZERO && unit <= NINE

/** Returns the end of the groups of digits that start at `at`, with a blank or a dash between two of them. */
function endOfGroups(text: string, at: number): number {
  let end = at
  for (;;) {
    while (isDigit(text.charCodeAt(end))) end++
    const separator = text.charCodeAt(end)
    if ((separator !== SPACE && separator !== DASH) || !isDigit(text.charCodeAt(end + 1))) return end
    end++
  }
}

/** Whether groups of digits have no letter next to them, and are no part of a number with a point. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1)
  const after = text.charCodeAt(end)
  if (before === POINT || before === LOW_LINE || after === LOW_LINE) return false
  if (after === POINT && isDigit(text.charCodeAt(end + 1))) return false
  return !LETTER.test(text.charAt(start - 1)) && !LETTER.test(text.charAt(end))
}

/** Digits of the first group of a number with blanks or dashes, and the fewest and the most of the others. */
const FIRST_GROUP = 4
const [LEAST_GROUP, MOST_GROUP] = [2, 6]

/** Adds the cards among neighbouring groups of digits: a card is a group, or starts with one of four digits. */
function addCards(parts: Part[], groups: string, at: number): void {
  const ends = [...groups.matchAll(/\d+/g)].map(({ index, 0: group }) => ({ start: index, end: index + group.length }))
  for (let first = 0; first < ends.length; first++) {
    let digits = ''
    for (let last = first; last < ends.length; last++) {
      const { start, end } = ends[last]!
      const length = end - start
      if (digits.length + length > MAX_DIGITS) break
      if (last > first && (length < LEAST_GROUP || length > MOST_GROUP)) break
      if (last === first + 1 && digits.length !== FIRST_GROUP) break
      digits += groups.slice(start, end)
      if (!isCard(digits)) continue
      parts.push({ start: at + ends[first]!.start, end: at + end })
      first = last
      break
    }
  }
}

/** Whether digits are the number of a card. */
function isCard(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false
  const isIssued = ISSUERS.some(({ first, lengths }) => first.test(digits) && lengths.includes(digits.length))
  return isIssued && passesCheck(digits)
}

/** Whether the last digit is the check digit of the others (Luhn, ISO/IEC 7812-1, annex B). */
function passesCheck(digits: string): boolean {
  let sum = 0
  for (let i = digits.length - 1, isDoubled = false; i >= 0; i--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(i) - 0x30
    sum += isDoubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit
  }
  return sum % 10 === 0
}
