import { createCharacterTable } from './character-table.js'

/** The longest run of marks in Unicode's stream-safe format (UAX #15, section 13): no script writes a longer run. */
const LONGEST_RUN = 30
const MARK = /\p{M}/u
/** No character below is a combining mark. */
const FIRST_MARK = 0x300
const markOf = createCharacterTable((character) => Number(MARK.test(character)))

/** Whether a character is a combining mark. */
const isMark = (codePoint: number) => codePoint >= FIRST_MARK && markOf(codePoint) === 1

/**
 * Splits a text into pieces. The pieces at odd places are runs of more than 30 combining marks. Linear in the text,
 * also if many runs are almost long.
 */
export function splitAtLongRuns(text: string): string[] {
  if (!mayHaveLongRun(text)) return [text]
  const pieces: string[] = []
  let end = 0
  for (let at = 0, start = 0, marks = 0; at <= text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0
    const next = at + (codePoint > 0xffff ? 2 : 1)
    if (isMark(codePoint)) marks++
    else {
      if (marks > LONGEST_RUN) {
        pieces.push(text.slice(end, start), text.slice(start, at))
        end = at
      }
      marks = 0
      start = next
    }
    at = next
  }
  pieces.push(text.slice(end))
  return pieces
}

/** Whether a text may have a long run. A long run covers a place that is read. */
function mayHaveLongRun(text: string): boolean {
  for (let at = LONGEST_RUN; at < text.length; at += LONGEST_RUN + 1) {
    if (!mayBeMark(text.charCodeAt(at))) continue
    let [start, end] = [at, at + 1]
    while (start > 0 && at - start < LONGEST_RUN && mayBeMark(text.charCodeAt(start - 1))) start--
    while (end < text.length && end - start <= LONGEST_RUN && mayBeMark(text.charCodeAt(end))) end++
    if (end - start > LONGEST_RUN) return true
  }
  return false
}

/** Whether a unit may be a mark, or half of a mark. */
const mayBeMark = (unit: number) => isMark(unit) || (unit >= 0xd800 && unit <= 0xdfff)
