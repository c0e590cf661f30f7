import { compilePattern, type Pattern } from '../../../base/pattern.js'
import { requiredLiteral } from '../../../base/required-literal.js'
import type { Yielder } from '../../../base/time-slices.js'
import { KIB } from '../../../base/units.js'
import { type Dictionary, entryAt, entryOf } from '../columns/dictionary.js'
import { blocksThatMayHold } from '../columns/grams.js'
import { createSearchSize, type SearchSize } from './search-size.js'

/** How to find the entries of a dictionary that a pattern matches, without one RE2 call an entry. */
export interface Matcher {
  /** Bytes that occur in every entry that matches. Empty where nothing is known of them. */
  literal: Buffer
  /** Whether every entry that holds the literal matches. */
  literalDecides: boolean
  /** Finds matches in many entries at once, each on a line of its own; undefined where that would change the meaning. */
  lines: Pattern | undefined
  /** Whether no match of the pattern can hold a newline, as far as is known. */
  staysInLine: boolean
  /** Judges a single entry. */
  single: Pattern
  searchSize: SearchSize
}

/** Entries next to each other: [from, to). */
interface Stretch {
  from: number
  to: number
}

/** Of a dictionary that does not say what its entries share. */
const NOTHING_SHARED = new Uint8Array(0)
/** So many bytes of entries are searched for a literal at once. */
const STRETCH_BYTES = 64 * KIB

const LITERAL = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/su
/** The ends of the text, and flags that take `m` away, mean something else where entries are lines. */
const NOT_BY_LINE = /\\[AzQ]|\(\?[A-Za-z]*-/u
/**
 * Patterns made of pieces none of which takes a newline: characters, `.`, classes of printable ones, groups, and flags but
 * `s`. Whatever is not listed here may take one. Each character begins one of these pieces at most, so that this takes
 * linear time.
 */
const STAYS_IN_LINE =
  /^(?:[^\\[\]{}(\p{Cc}]|\((?!\?)|\(\?(?:[imU]+[:)]|:|P<\w+>)|\{\d+(?:,\d*)?\}|\\(?:[dwSbB]|[!-/:-@[-`{-~])|\[(?!\^)(?:[ -Z_-~^]|\\(?:[dwS]|[!-/:-@[-`{-~]))+\])*$/u

/** Throws `invalid_pattern` where the text is not valid RE2. */
export function createMatcher(pattern: string): Matcher {
  const single = compilePattern(pattern)
  const literal = Buffer.from(requiredLiteral(pattern))
  const searchSize = createSearchSize()
  const staysInLine = STAYS_IN_LINE.test(pattern)
  if (LITERAL.test(pattern)) return { literal, literalDecides: true, lines: undefined, staysInLine, single, searchSize }
  const lines = NOT_BY_LINE.test(pattern) ? undefined : compilePattern(pattern, 'gm')
  return { literal, literalDecides: false, lines, staysInLine, single, searchSize }
}

/** Entries of a dictionary that match: a byte for each, 1 where it does, and none of those outside of [from, to). */
export interface Hits extends Stretch {
  hits: Uint8Array
}

/** The entries in which the pattern matches somewhere. Absent never does. */
export async function matchEntries(dictionary: Dictionary, matcher: Matcher, yieldIfDue: Yielder): Promise<Hits> {
  const hits = new Uint8Array(dictionary.count)
  const { literal, literalDecides, staysInLine, single, searchSize } = matcher
  const search = staysInLine ? matchWithinLines : matchLines
  let lines = dictionary.hasNewlines ? undefined : matcher.lines
  const match = (piece: Stretch) => {
    // What runs over newlines once would do so at each entry, and search the rest of the piece each time.
    if (lines !== undefined && !search(dictionary, piece, lines, hits)) lines = undefined
    if (lines === undefined) matchSingles(dictionary, piece, single, hits)
  }
  const matchInPieces = async (stretch: Stretch) => {
    for (let from = stretch.from; from < stretch.to; await yieldIfDue()) {
      const piece = pieceOf(dictionary, stretch, from, searchSize.bytes)
      searchSize.measure(() => match(piece))
      from = piece.to
    }
  }
  const stretches = stretchesOf(dictionary, literal)
  for (const stretch of stretches) {
    await yieldIfDue()
    if (literalDecides) matchLiteral(dictionary, stretch, literal, hits)
    else if (holds(dictionary, stretch, literal)) await matchInPieces(stretch)
  }
  return { hits, from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 }
}

/** So many bytes of a stretch, and the rest of the entry in which they end. */
function pieceOf(dictionary: Dictionary, { to }: Stretch, from: number, bytes: number): Stretch {
  const { offsets } = dictionary
  return { from, to: entryAt(dictionary, Math.min(offsets[from]! + bytes, offsets[to]! - 1)) + 1 }
}

/** The stretches whose entries may hold the literal; without a filter, all of them. */
function stretchesOf(dictionary: Dictionary, literal: Buffer): Stretch[] {
  const { grams, count, offsets } = dictionary
  if (grams !== undefined) {
    const { firstEntries } = grams
    // Entry 0 stands for absent.
    return blocksThatMayHold(grams, literal).map((block) => ({
      from: Math.max(1, firstEntries[block]!),
      to: firstEntries[block + 1]!,
    }))
  }
  const stretches: Stretch[] = []
  for (let from = 1; from < count; from = stretches.at(-1)!.to) {
    const last = entryAt(dictionary, Math.min(offsets[from]! + STRETCH_BYTES, offsets[count]! - 1))
    stretches.push({ from, to: last + 1 })
  }
  return stretches
}

function bytesOf({ bytes, offsets }: Dictionary, { from, to }: Stretch): Buffer {
  return bytes.subarray(offsets[from], offsets[to])
}

const holds = (dictionary: Dictionary, stretch: Stretch, literal: Buffer) =>
  literal.length === 0 || bytesOf(dictionary, stretch).includes(literal)

/**
 * Finds the literal in all entries at once. Entries are alike: where one holds it, the next is tried at the same place,
 * which is cheaper than another search.
 */
function matchLiteral(dictionary: Dictionary, stretch: Stretch, literal: Buffer, hits: Uint8Array): void {
  const { offsets, shared = NOTHING_SHARED } = dictionary
  const searched = bytesOf(dictionary, stretch)
  const base = offsets[stretch.from]!
  for (let at = searched.indexOf(literal); at >= 0; ) {
    let entry = entryAt(dictionary, base + at)
    const place = base + at - offsets[entry]!
    if (!fits(dictionary, entry, place, literal)) {
      at = searched.indexOf(literal, at + 1)
      continue
    }
    const end = place + literal.length
    do hits[entry++] = 1
    while (
      entry < stretch.to &&
      (shared[entry]! >= end || (fits(dictionary, entry, place, literal) && isAt(dictionary, entry, place, literal)))
    )
    at = entry < stretch.to ? searched.indexOf(literal, offsets[entry]! - base) : -1
  }
}

/** Whether a literal at that place of the entry would end within it. */
function fits({ offsets }: Dictionary, entry: number, place: number, { length }: Buffer): boolean {
  return offsets[entry]! + place + length < offsets[entry + 1]!
}

function isAt({ bytes, offsets }: Dictionary, entry: number, place: number, literal: Buffer): boolean {
  const start = offsets[entry]! + place
  for (let i = 0; i < literal.length; i++) if (bytes[start + i] !== literal[i]) return false
  return true
}

function matchSingles(dictionary: Dictionary, { from, to }: Stretch, single: Pattern, hits: Uint8Array): void {
  for (let entry = from; entry < to; entry++) if (single.test(entryOf(dictionary, entry) as never)) hits[entry] = 1
}

/**
 * Searches all entries of a stretch at once, for matches that have no newline. Where a match ends is known at a seventh of
 * the price of the match itself, and says in which entry it lies.
 */
function matchWithinLines(dictionary: Dictionary, stretch: Stretch, lines: Pattern, hits: Uint8Array): true {
  const { offsets, shared = NOTHING_SHARED } = dictionary
  const searched = bytesOf(dictionary, stretch)
  const base = offsets[stretch.from]!
  for (let entry = stretch.from; entry < stretch.to; ) {
    lines.lastIndex = offsets[entry]! - base
    if (!lines.test(searched as never)) break
    const end = base + lines.lastIndex
    if (end >= offsets[stretch.to]!) break
    entry = entryAt(dictionary, end)
    // The same bytes, and behind them one more that the pattern may have looked at, match again.
    const looked = end - offsets[entry]! + 1
    do hits[entry++] = 1
    while (entry < stretch.to && shared[entry]! >= looked)
  }
  return true
}

/**
 * Searches all entries of a stretch at once. A match that lies within an entry is a match of it. Returns false at the
 * first one that runs over the end of its entry, which says nothing of it.
 */
function matchLines(dictionary: Dictionary, stretch: Stretch, lines: Pattern, hits: Uint8Array): boolean {
  const { offsets } = dictionary
  const searched = bytesOf(dictionary, stretch)
  const base = offsets[stretch.from]!
  let entry = stretch.from
  while (entry < stretch.to) {
    lines.lastIndex = offsets[entry]! - base
    const match = lines.exec(searched as never)
    const start = base + (match?.index ?? searched.length)
    if (match === null || start >= offsets[stretch.to]!) return true
    entry = entryAt(dictionary, start)
    if (start + (match[0] as unknown as Buffer).length >= offsets[entry + 1]!) return false
    hits[entry++] = 1
  }
  return true
}
