import { LogweirError } from '../../../base/errors.js'
import { DIRECT_STEPS, matches } from '../../../base/pattern/match.js'
import { compilePattern, type Pattern, withoutCaptures } from '../../../base/pattern/pattern.js'
import { requiredLiteral } from '../../../base/pattern/required-literal.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { type Search, searchForBytes } from '../../../base/text/text-search.js'
import { KIB } from '../../../base/units.js'
import { type Dictionary, entryAt, entryOf } from '../columns/dictionary.js'
import { candidateBlocks, gramHashes } from '../columns/grams.js'
import { createSearchSize, type SearchSize } from './search-size.js'

/** Finds the entries of a dictionary that a pattern matches, without an RE2 call for each entry. */
export interface Matcher {
  /** Bytes that occur in every entry that matches. Empty if no such bytes are known. */
  literal: Buffer
  /** The {@link gramHashes} of the literal. */
  hashes: readonly number[]
  /** Finds the literal in bytes. */
  search: Search<Buffer>
  /** Whether every entry that contains the literal matches. */
  literalDecides: boolean
  /** Matches many entries at once, each as a line. Undefined if matching by line changes the meaning of the pattern. */
  lines: Pattern | undefined
  /** Whether all matches are certain to contain no newline. */
  staysInLine: boolean
  /** Matches a single entry. */
  single: Pattern
  searchSize: SearchSize
}

/** Adjacent entries: [from, to). */
interface EntryRange {
  from: number
  to: number
}

/** For a dictionary without numbers of shared bytes. */
const NOTHING_SHARED = new Uint8Array(0)
/** The most steps to search several entries at once: a chunk may end with a long entry. */
const MOST_STEPS = 2 * DIRECT_STEPS
/** Bytes of entries per range, if the dictionary has no gram filter. */
const RANGE_BYTES = 64 * KIB

const LITERAL = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/su
/** Anchors at the ends of the text, and flags that remove `m`, have another meaning if entries are lines. */
const NOT_BY_LINE = /\\[AzQ]|\(\?[A-Za-z]*-/u
/**
 * Match, at `lastIndex`, the tokens of a pattern that cannot match a newline: characters, `.`, groups, flags except `s`
 * and repetitions, escapes, and classes of printable characters. Any other token may match a newline.
 */
const IN_LINE_TOKENS = [
  /[^\\[\]{}(\p{Cc}]|\((?!\?)|\(\?(?:[imU]+[:)]|:|P<\w+>)|\{\d+(?:,\d*)?\}/uy,
  /\\(?:[dwSbB]|[!-/:-@[-`{-~])/uy,
  /\[(?!\^)(?:[ -Z_-~^]|\\(?:[dwS]|[!-/:-@[-`{-~]))+\]/uy,
]

/** Prepares a pattern. Throws `invalid_pattern` if the text is not valid RE2. */
export function createMatcher(pattern: string): Matcher {
  const single = compilePattern(pattern)
  const literal = Buffer.from(requiredLiteral(pattern))
  const hashes = gramHashes(literal)
  const searchSize = createSearchSize(single.size)
  const staysInLine = hasOnlyInLineTokens(pattern)
  const literalDecides = LITERAL.test(pattern)
  const lines = literalDecides || NOT_BY_LINE.test(pattern) ? undefined : compilePattern(withoutCaptures(pattern), 'gm')
  const search = searchForBytes(literal)
  return { literal, search, hashes, literalDecides, lines, staysInLine, single, searchSize }
}

/** Prepares a text that matching entries contain. The text has at least one character and no newline. */
export const literalMatcher = (text: string): Matcher => createMatcher(text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'))

/**
 * Whether a pattern consists of {@link IN_LINE_TOKENS}. At most one token matches at each position: takes linear time.
 */
function hasOnlyInLineTokens(pattern: string): boolean {
  for (let at = 0; at < pattern.length; ) {
    const start = at
    const token = IN_LINE_TOKENS.find((one) => {
      one.lastIndex = start
      return one.test(pattern)
    })
    if (token === undefined) return false
    at = token.lastIndex
  }
  return true
}

/** Entries to find in a column: all codes with `hits[code] === 1`. All hits are in [from, to). */
export interface Hits {
  hits: Uint8Array
  from: number
  to: number
}

/** The entries that match, and the errors of entries that are too long for the pattern. */
export interface Matched extends Hits {
  failures: ReadonlyMap<number, LogweirError>
}

/** Finds the entries in which the pattern matches somewhere. The entry for absent never matches. */
export async function matchEntries(dictionary: Dictionary, matcher: Matcher, yieldIfDue: Yielder): Promise<Matched> {
  const hits = new Uint8Array(dictionary.count)
  const failures = new Map<number, LogweirError>()
  const { literal, hashes, literalDecides, staysInLine, single, searchSize } = matcher
  const matchAll = unlessTooSlow(staysInLine ? matchWithinLines : matchLines)
  let lines = dictionary.hasNewlines ? undefined : matcher.lines
  const match = (chunk: EntryRange) => {
    // A pattern that matched over a newline once would do so at each entry, and search the rest of the chunk each time.
    const isLong = single.size * bytesOf(dictionary, chunk).length > MOST_STEPS
    if (lines !== undefined && !isLong && !matchAll(dictionary, chunk, lines, hits)) lines = undefined
    if (lines === undefined || isLong) matchSingles(dictionary, chunk, single, { hits, failures })
  }
  const matchInChunks = async (range: EntryRange) => {
    for (let from = range.from; from < range.to; await yieldIfDue()) {
      const chunk = chunkOf(dictionary, range, from, searchSize.bytes)
      searchSize.measure(() => match(chunk))
      from = chunk.to
    }
  }
  const ranges = candidateRanges(dictionary, hashes)
  for (const range of ranges) {
    await yieldIfDue()
    if (literalDecides) matchLiteral(dictionary, range, matcher, hits)
    else if (literal.length === 0 || matcher.search(bytesOf(dictionary, range), 0) >= 0) await matchInChunks(range)
  }
  return { hits, from: ranges[0]?.from ?? 0, to: ranges.at(-1)?.to ?? 0, failures }
}

/** Returns a search of many entries that returns false if the pattern takes too long on them. */
function unlessTooSlow(search: typeof matchLines): typeof matchLines {
  return (...of) => {
    try {
      return search(...of)
    } catch (error) {
      if (error instanceof LogweirError) return false
      throw error
    }
  }
}

/** Returns the entries from `from` on of about `bytes` bytes, up to the end of the last entry. */
function chunkOf(dictionary: Dictionary, { to }: EntryRange, from: number, bytes: number): EntryRange {
  const { offsets } = dictionary
  return { from, to: entryAt(dictionary, Math.min(offsets[from] + bytes, offsets[to] - 1)) + 1 }
}

/**
 * Returns the ranges of entries that may contain a literal, given the hashes of the literal. All ranges without a gram
 * filter.
 */
function candidateRanges(dictionary: Dictionary, hashes: readonly number[]): EntryRange[] {
  const { grams, count, offsets } = dictionary
  if (grams !== undefined) {
    const { firstEntries } = grams
    // Entry 0 means absent.
    return candidateBlocks(grams, hashes).map((block) => ({
      from: Math.max(1, firstEntries[block]),
      to: firstEntries[block + 1],
    }))
  }
  const ranges: EntryRange[] = []
  for (let from = 1; from < count; from = ranges.at(-1)!.to) {
    const last = entryAt(dictionary, Math.min(offsets[from] + RANGE_BYTES, offsets[count] - 1))
    ranges.push({ from, to: last + 1 })
  }
  return ranges
}

function bytesOf({ bytes, offsets }: Dictionary, { from, to }: EntryRange): Buffer {
  return bytes.subarray(offsets[from], offsets[to])
}

/**
 * Searches all entries of a range at once for the literal. Entries are alike: if an entry contains the literal, the
 * next entry is tested at the same offset first, which is cheaper than another search.
 */
function matchLiteral(dictionary: Dictionary, range: EntryRange, { literal, search }: Matcher, hits: Uint8Array): void {
  const { offsets, shared = NOTHING_SHARED } = dictionary
  const searched = bytesOf(dictionary, range)
  const base = offsets[range.from]
  for (let at = search(searched, 0); at >= 0; ) {
    let entry = entryAt(dictionary, base + at)
    const place = base + at - offsets[entry]
    if (!fits(dictionary, entry, place, literal)) {
      at = search(searched, at + 1)
      continue
    }
    const end = place + literal.length
    do hits[entry++] = 1
    while (
      entry < range.to &&
      (shared[entry] >= end || (fits(dictionary, entry, place, literal) && isAt(dictionary, entry, place, literal)))
    )
    at = entry < range.to ? search(searched, offsets[entry] - base) : -1
  }
}

/** Whether a literal at that offset of the entry would end within the entry. */
function fits({ offsets }: Dictionary, entry: number, place: number, { length }: Buffer): boolean {
  return offsets[entry] + place + length < offsets[entry + 1]
}

function isAt({ bytes, offsets }: Dictionary, entry: number, place: number, literal: Buffer): boolean {
  const start = offsets[entry] + place
  for (let i = 0; i < literal.length; i++) if (bytes[start + i] !== literal[i]) return false
  return true
}

function matchSingles(
  dictionary: Dictionary,
  { from, to }: EntryRange,
  single: Pattern,
  { hits, failures }: { hits: Uint8Array; failures: Map<number, LogweirError> },
): void {
  for (let entry = from; entry < to; entry++) {
    try {
      if (matches(single, entryOf(dictionary, entry))) hits[entry] = 1
    } catch (error) {
      if (!(error instanceof LogweirError)) throw error
      failures.set(entry, error)
    }
  }
}

/**
 * Searches all entries of a range at once, for a pattern without newlines in its matches. The end of a match is enough
 * to find the entry, and costs a seventh of the match itself.
 */
function matchWithinLines(dictionary: Dictionary, range: EntryRange, { re2 }: Pattern, hits: Uint8Array): true {
  const { offsets, shared = NOTHING_SHARED } = dictionary
  const searched = bytesOf(dictionary, range)
  const base = offsets[range.from]
  for (let entry = range.from; entry < range.to; ) {
    const found = re2.endFrom(searched, offsets[entry] - base)
    const end = base + found
    if (found < 0 || end >= offsets[range.to]) break
    entry = entryAt(dictionary, end)
    // The pattern may have read the byte after the match. An entry that shares the matched bytes and that byte matches
    // too.
    const readBytes = end - offsets[entry] + 1
    do hits[entry++] = 1
    while (entry < range.to && shared[entry] >= readBytes)
  }
  return true
}

/**
 * Searches all entries of a range at once. A match within an entry is a match of that entry. Returns false at the first
 * match that continues over the end of the entry, which decides nothing about the entry.
 */
function matchLines(dictionary: Dictionary, range: EntryRange, { re2 }: Pattern, hits: Uint8Array): boolean {
  const { offsets } = dictionary
  const searched = bytesOf(dictionary, range)
  const base = offsets[range.from]
  let entry = range.from
  while (entry < range.to) {
    re2.lastIndex = offsets[entry] - base
    const match = re2.exec(searched)
    const start = base + (match?.index ?? searched.length)
    if (match === null || start >= offsets[range.to]) return true
    entry = entryAt(dictionary, start)
    if (start + match[0].length >= offsets[entry + 1]) return false
    hits[entry++] = 1
  }
  return true
}
