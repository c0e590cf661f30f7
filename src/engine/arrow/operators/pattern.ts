import { compilePattern, type Pattern } from '../../../base/pattern.js'
import { type Dictionary, entryAt, entryOf } from '../columns/dictionary.js'
import type { Pause } from '../slices.js'

/** How to find the entries of a dictionary that a pattern matches, without one RE2 call an entry. */
export interface Matcher {
  /** Bytes that occur in an entry exactly where the pattern matches it; undefined for anything but a literal. */
  literal: Buffer | undefined
  /** Finds matches in many entries at once, each on a line of its own; undefined where that would change the meaning. */
  lines: Pattern | undefined
  /** Judges a single entry. */
  single: Pattern
}

/** So many bytes of entries are searched in one call: a slice of work at the slowest that RE2 gets. */
const WINDOW_BYTES = 64 * 1024
/** Single entries are judged in runs of this many between two pauses. */
const SINGLES = 1024

const LITERAL = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/su
/** The ends of the text, and flags that take `m` away, mean something else where entries are lines. */
const NOT_BY_LINE = /\\[AzQ]|\(\?[A-Za-z]*-/u

/** Throws `invalid_pattern` where the text is not valid RE2. */
export function createMatcher(pattern: string): Matcher {
  const single = compilePattern(pattern)
  if (LITERAL.test(pattern)) {
    return { literal: Buffer.from(pattern.replaceAll(/\\(.)/gsu, '$1')), lines: undefined, single }
  }
  return { literal: undefined, lines: NOT_BY_LINE.test(pattern) ? undefined : compilePattern(pattern, 'gm'), single }
}

/** One byte an entry of the dictionary: 1 where the pattern matches somewhere in it. Absent never matches. */
export async function matchEntries(dictionary: Dictionary, matcher: Matcher, pause: Pause): Promise<Uint8Array> {
  const hits = new Uint8Array(dictionary.count)
  if (matcher.literal !== undefined) matchLiteral(dictionary, matcher.literal, hits)
  else if (matcher.lines === undefined || dictionary.hasNewlines)
    await matchSingles(dictionary, matcher.single, 1, hits, pause)
  else await matchLines(dictionary, matcher.lines, matcher.single, hits, pause)
  return hits
}

function matchLiteral(dictionary: Dictionary, literal: Buffer, hits: Uint8Array): void {
  const { bytes, offsets } = dictionary
  const end = offsets[dictionary.count]!
  const searched = bytes.subarray(0, end)
  for (let at = searched.indexOf(literal, offsets[1]); at >= 0; ) {
    const entry = entryAt(dictionary, at)
    const isWithin = at + literal.length < offsets[entry + 1]!
    if (isWithin) hits[entry] = 1
    at = searched.indexOf(literal, isWithin ? offsets[entry + 1]! : at + 1)
  }
}

async function matchSingles(
  dictionary: Dictionary,
  single: Pattern,
  from: number,
  hits: Uint8Array,
  pause: Pause,
): Promise<void> {
  for (let entry = from; entry < dictionary.count; entry++) {
    if (single.test(entryOf(dictionary, entry) as never)) hits[entry] = 1
    if (entry % SINGLES === 0) await pause()
  }
}

/**
 * Searches windows of whole entries. A match that lies within an entry is a match of it. One that runs over the end of
 * its entry says nothing; that entry is judged alone, and so are all behind it, since a pattern that runs
 * over newlines once would do so again at each, and search the rest of the window each time.
 */
async function matchLines(
  dictionary: Dictionary,
  lines: Pattern,
  single: Pattern,
  hits: Uint8Array,
  pause: Pause,
): Promise<void> {
  const { bytes, offsets, count } = dictionary
  for (let entry = 1; entry < count; ) {
    const end = Math.min(count, Math.max(entry + 1, entryAt(dictionary, offsets[entry]! + WINDOW_BYTES)))
    const base = offsets[entry]!
    const window = bytes.subarray(base, offsets[end])
    lines.lastIndex = 0
    for (let match = lines.exec(window as never); match !== null; match = lines.exec(window as never)) {
      const start = base + match.index
      const matched = entryAt(dictionary, start)
      if (matched >= end) break
      const next = offsets[matched + 1]!
      if (start + (match[0] as unknown as Buffer).length >= next)
        return matchSingles(dictionary, single, matched, hits, pause)
      hits[matched] = 1
      lines.lastIndex = next - base
      if (next - base >= window.length) break
    }
    entry = end
    await pause()
  }
}

/** The code of a text, or -1. */
export function findEntry(dictionary: Dictionary, text: string): number {
  const searched = dictionary.bytes.subarray(0, dictionary.offsets[dictionary.count])
  const line = Buffer.from(`\n${text}\n`)
  for (let at = searched.indexOf(line); at >= 0; at = searched.indexOf(line, at + 1)) {
    const entry = entryAt(dictionary, at + 1)
    if (dictionary.offsets[entry] === at + 1 && dictionary.offsets[entry + 1] === at + line.length) return entry
  }
  return -1
}
