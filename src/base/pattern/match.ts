import { threadCpuMs } from '../process/thread-cpu.js'
import { turn } from '../scheduling/time-slices.js'
import { type Pattern, withoutCaptures } from './pattern.js'
import { PATTERN_ENGINE } from './re2-engine.js'
import { RE2JS_STEPS } from './re2js-search.js'
import { tooSlow } from './too-slow.js'

/** Whether matches are found by RE2 itself, several times as fast as otherwise. */
const IS_RE2 = PATTERN_ENGINE === 're2'
/**
 * Steps, which are instructions of a pattern times bytes of a text, that the engine executes within some 30 ms, even if
 * the automaton has too many states. Measured for RE2 on 2026-11-28 with two cores of an Intel Xeon: 10 to 20 ns for a
 * step. So re2js refuses shorter texts than RE2 if a pattern takes long, and checks the time within a search.
 */
export const DIRECT_STEPS = IS_RE2 ? 1_500_000 : RE2JS_STEPS
/** CPU time for the search of a text that takes more steps. re2js also limits each search by itself. */
const SEARCH_MS = IS_RE2 ? 30 : 15
/** CPU time to count matches before a replacement, which takes twice as long as a search. */
const COUNT_MS = IS_RE2 ? 20 : 10
/** CPU time of all such searches between two turns of the event loop. */
const TURN_MS = 100
/** Time between two looks at the CPU time. A look takes as long as some matches. */
const LOOK_MS = 1
/** The most bytes of UTF-8 for a unit of a string. */
const MAX_BYTES = 3

/** Steps that every engine executes, whatever the text: half of those of the slower engine, for a slower machine. */
const SURE_STEPS = RE2JS_STEPS / 2

/** Returns the most UTF-16 units of a text that a pattern is searched in for sure, with every engine. */
export const sureUnits = ({ size }: Pattern): number => Math.floor(SURE_STEPS / (size * MAX_BYTES))

/** A text, or the UTF-8 of a text. */
type Searched = string | Buffer

/** Returns whether a pattern matches somewhere in a text. Throws `invalid_pattern` if that takes too long. */
export function matches(pattern: Pattern, text: Searched): boolean {
  if (stepsOf(pattern, text) <= DIRECT_STEPS) return pattern.re2.test(text)
  return limited(SEARCH_MS, text, (elapsed) =>
    IS_RE2 ? matchesSomewhere(pattern.variant(withoutCaptures, 'g'), bytesOf(text), elapsed) : pattern.re2.test(text),
  )
}

/**
 * Returns the first match, with the groups. Returns null if there is no match. Throws `invalid_pattern` if the search
 * takes too long.
 */
export function firstMatch(pattern: Pattern, text: string): RegExpExecArray | null {
  if (stepsOf(pattern, text) > DIRECT_STEPS) {
    if (!IS_RE2) return limited(SEARCH_MS, text, () => pattern.re2.exec(text))
    limited(SEARCH_MS, text, (elapsed) => checkSearch(pattern, text, elapsed))
    const [found] = pattern.variant(withoutCaptures, '').re2.exec(text) ?? []
    if (found === undefined) return null
    // To find the groups of a match, RE2 never uses the automaton.
    if (pattern.groups > 0 && stepsOf(pattern, found) > DIRECT_STEPS) throw tooSlow(text)
  }
  return pattern.re2.exec(text)
}

/** The matches of a pattern in a text. */
export interface MatchCount {
  /** The number of matches, including empty matches directly behind another match. */
  count: number
  /** Whether an empty match is directly behind another match. */
  hasEmptyBehind: boolean
}

/** Counts the matches. Throws `invalid_pattern` if the search takes too long. */
export function countMatches(pattern: Pattern, text: string): MatchCount {
  return limited(COUNT_MS, text, (elapsed) => {
    if (IS_RE2 && stepsOf(pattern, text) > DIRECT_STEPS) checkSearch(pattern, text, elapsed)
    return countIn(pattern.variant(withoutCaptures, 'g'), bytesOf(text), elapsed)
  })
}

/** Whether {@link replaceMatches} can be used. The time that re2js takes does not follow from the number of matches. */
export const REPLACES_AT_ONCE = IS_RE2

/**
 * Returns a text with every match replaced, by RE2 itself. `replacement` is in JavaScript's spelling. `readsGroups`
 * says whether `replacement` names groups. Count the matches first. Throws `invalid_pattern` if finding the groups
 * takes too long.
 */
export function replaceMatches(pattern: Pattern, text: string, replacement: string, readsGroups: boolean): string {
  const { re2 } = replacing(pattern, text, readsGroups)
  // The library replaces nothing if a search before has left a place beyond the end.
  re2.lastIndex = 0
  return text.replace(re2 as never, replacement)
}

/** Returns the pattern that finds the groups that a replacement reads. Throws if finding the groups takes too long. */
function replacing(pattern: Pattern, text: string, readsGroups: boolean): Pattern {
  if (IS_RE2 && readsGroups && stepsOf(pattern, text) > DIRECT_STEPS) throw tooSlow(text)
  return pattern.variant(readsGroups ? unchanged : withoutCaptures, 'g')
}

const unchanged = (pattern: string) => pattern

/**
 * Calls `visit` with each match except empty matches directly behind another match: with the text between the previous
 * match and the match, and with the match, followed by the groups if `readsGroups`. Returns the text behind the last
 * match. Throws `invalid_pattern` if the search takes too long.
 */
export function eachMatch(
  pattern: Pattern,
  text: string,
  readsGroups: boolean,
  visit: (before: string, groups: readonly (string | undefined)[]) => void,
): string {
  const { re2 } = replacing(pattern, text, readsGroups)
  const bytes = bytesOf(text)
  return limited(SEARCH_MS, text, (elapsed) => {
    let copied = 0
    let lastEnd = -1
    const look = seldom(elapsed)
    for (let at = 0; at <= bytes.length; ) {
      look()
      re2.lastIndex = at
      const match = re2.exec(bytes)
      if (match === null) break
      const { index, 0: matched } = match
      const isBehind = matched.length === 0 && index === lastEnd
      if (!isBehind) {
        visit(
          bytes.toString('utf8', copied, index),
          Array.from(match, (group) => group?.toString()),
        )
        copied = index + matched.length
      }
      lastEnd = index + matched.length
      at = isBehind ? index + lengthOfCharacter(bytes[index]) : lastEnd
    }
    return bytes.toString('utf8', copied)
  })
}

const bytesOf = (text: Searched): Buffer => (typeof text === 'string' ? Buffer.from(text) : text)

/** Returns a lower bound of the steps of a search. The number is exact if there are many steps. */
function stepsOf({ size }: Pattern, text: Searched): number {
  const most = size * text.length * (typeof text === 'string' ? MAX_BYTES : 1)
  return most <= DIRECT_STEPS || typeof text !== 'string' ? most : size * Buffer.byteLength(text)
}

/** The turn of the event loop in which a text was searched last, and the CPU time of all searches in the turn. */
let lastTurn = 0
let turnMs = 0

/**
 * Returns the CPU time of a search so far. Throws `invalid_pattern` if the time is over the limit, or would be over the
 * limit with `aheadMs` more.
 */
type Elapsed = (aheadMs?: number) => number

/** Runs a search that calls `elapsed` often. */
function limited<T>(limitMs: number, text: Searched, search: (elapsed: Elapsed) => T): T {
  if (turn() !== lastTurn) turnMs = 0
  lastTurn = turn()
  if (turnMs > TURN_MS) throw tooSlow(text)
  const startedMs = threadCpuMs()
  const found = search((aheadMs = 0) => {
    const ms = threadCpuMs() - startedMs
    if (ms + aheadMs > limitMs) throw tooSlow(text)
    return ms
  })
  turnMs += threadCpuMs() - startedMs
  return found
}

/** Returns a function that calls `elapsed` once a millisecond at most. */
function seldom(elapsed: Elapsed): () => void {
  let lookedMs = performance.now()
  return () => {
    if (performance.now() - lookedMs < LOOK_MS) return
    elapsed()
    lookedMs = performance.now()
  }
}

/**
 * RE2 cannot be interrupted, and the speed of a search depends on the whole text before a place. So beginnings of a
 * text are searched. Each beginning is longer by a stretch that is searched in time in the worst case. Calls `search`
 * with each beginning, until `search` returns a result.
 */
function eachBeginning<T>({ size }: Pattern, bytes: Buffer, elapsed: Elapsed, search: (part: Buffer) => T): T {
  const stretch = Math.ceil(DIRECT_STEPS / size)
  for (let end = stretch, startedMs = elapsed(); ; end += stretch) {
    const result = search(bytes.subarray(0, startOfCharacter(bytes, end)))
    if (result !== undefined || end >= bytes.length) return result
    // The next beginning takes longer than this beginning.
    const ms = elapsed()
    startedMs = elapsed(ms - startedMs)
  }
}

/** A match that ends before the end of a beginning is a match of the whole text. */
function matchesSomewhere(pattern: Pattern, bytes: Buffer, elapsed: Elapsed): boolean {
  const whole = pattern.variant(unchanged, '')
  const found = eachBeginning(pattern, bytes, elapsed, (part) => {
    if (part.length === bytes.length) return whole.re2.test(part)
    const end = pattern.re2.endFrom(part, 0)
    return end >= 0 && end < part.length ? true : undefined
  })
  return found === true
}

/** The pattern continued with a reserved character. No text has the character, so a search reads the whole text. */
const nowhere = (pattern: string) => `(?:${pattern})\\x{10FFFE}`

/** Throws if a search that reads the whole text takes too long. */
function checkSearch(pattern: Pattern, text: string, elapsed: Elapsed): void {
  const searched = pattern.variant(nowhere, 'g')
  eachBeginning(pattern, bytesOf(text), elapsed, (part) => {
    countIn(searched, part, elapsed)
    return undefined
  })
}

/** Counts the matches in UTF-8 by their ends, which are found several times as fast as the matches. */
function countIn({ re2 }: Pattern, bytes: Buffer, elapsed: Elapsed): MatchCount {
  let count = 0
  let lastEnd = -1
  let hasEmptyBehind = false
  const look = seldom(elapsed)
  for (let at = 0; at <= bytes.length; count++) {
    re2.lastIndex = at
    if (!re2.test(bytes)) break
    const end = re2.lastIndex
    if (end === at && at === lastEnd) hasEmptyBehind = true
    lastEnd = end
    at = end > at ? end : at + lengthOfCharacter(bytes[at])
    look()
  }
  return { count, hasEmptyBehind }
}

/** Returns the number of bytes of a character of UTF-8, given the first byte. */
function lengthOfCharacter(first = 0): number {
  if (first < 0xc0) return 1
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

/** Returns the place, or the start of the character that the place is in: no beginning ends within a character. */
function startOfCharacter(bytes: Buffer, place: number): number {
  let start = Math.min(place, bytes.length)
  while (start < bytes.length && (bytes[start] & 0xc0) === 0x80) start--
  return start
}
