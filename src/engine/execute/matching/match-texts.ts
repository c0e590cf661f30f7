import { isAscii } from 'node:buffer'
import { LogweirError } from '../../../base/errors.js'
import { compilePattern } from '../../../base/pattern/pattern.js'
import { requiredLiteral } from '../../../base/pattern/required-literal.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { foldCase } from '../../../base/text/fold-case.js'
import { searchFor, searchForBytes } from '../../../base/text/text-search.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import { likePattern } from '../../../plan/functions/text.js'
import type { ColdTexts } from '../columns/batch.js'
import { type Dictionary, emptyEntries } from '../columns/dictionary.js'
import { gramHashes } from '../columns/grams.js'
import { messageGrams } from '../columns/message-filter.js'
import { type FoldedSearch, foldedSearch } from './folded-search.js'
import { createMatcher, type Matcher, matchEntries } from './match-pattern.js'
import { createSearchSize } from './search-size.js'

/** A condition on texts that are read many at once. */
export interface TextTest {
  /** Bytes that occur in every text that passes. Empty if no such bytes are known. */
  literal: Buffer
  /** The grams that the message of each row that passes has: see `MessageFilter`. */
  grams: readonly number[]
  /** Returns the rows with texts that pass. `rows` ascend and have their texts in `texts`. Yields between searches. */
  passing(texts: ColdTexts, rows: Uint32Array, yieldIfDue: Yielder): Uint32Array | Promise<Uint32Array>
}

/**
 * Returns the test of a function of a text and a literal, which gives the same as the function in every row. Undefined
 * if there is none: for other functions, for patterns that are invalid, and for half surrogates, which no UTF-8 has.
 */
export function createTextTest(fn: FunctionName, value: string): TextTest | undefined {
  if (!value.isWellFormed()) return undefined
  const literal = Buffer.from(value)
  if (fn === 'contains') return { literal, grams: messageGrams(literal), passing: containing(literal) }
  if (fn === 'contains_substr') return containingFolded(foldCase(value))
  if (fn === 'eq') return placed(literal, ({ length }, start) => (length === literal.length ? start : -1))
  if (fn === 'starts_with') return placed(literal, (_, start) => start)
  if (fn === 'ends_with') return placed(literal, ({ length }, start) => start + length - literal.length)
  const matcher = validMatcher(fn, value)
  return matcher && matching(matcher)
}

/** Texts that have the literal at a place, which depends on their length alone. */
function placed(literal: Buffer, placeOf: (text: { length: number }, start: number) => number): TextTest {
  return {
    literal,
    grams: messageGrams(literal),
    passing: ({ from, offsets, bytes }, rows) =>
      rows.filter((row) => {
        const start = offsets[row - from]
        const length = offsets[row - from + 1] - start
        const at = length < literal.length ? -1 : placeOf({ length }, start)
        return at >= 0 && bytes.compare(literal, 0, literal.length, at, at + literal.length) === 0
      }),
  }
}

/** Prepares the pattern of a function. Undefined for other functions. Throws as {@link createMatcher} does. */
export function matcherOf(fn: FunctionName, pattern: string): Matcher | undefined {
  if (fn === 'regexp_contains') return createMatcher(pattern)
  return fn === 'like' || fn === 'ilike' ? likeMatcher(pattern, fn === 'ilike') : undefined
}

function validMatcher(fn: FunctionName, pattern: string): Matcher | undefined {
  try {
    return matcherOf(fn, pattern)
  } catch (error) {
    // The function raises the error, in a row that evaluates the function.
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

/** In texts without a newline, for which `lines` is used, a dot needs no flag to match any character. */
function likeMatcher(pattern: string, ignoresCase: boolean): Matcher {
  const source = likePattern(pattern)
  const whole = `^(?:${source})$`
  const caseFlag = ignoresCase ? 'i' : ''
  const literal = Buffer.from(ignoresCase ? '' : requiredLiteral(source))
  const single = compilePattern(whole, `${caseFlag}s`)
  return {
    literal,
    search: searchForBytes(literal),
    hashes: gramHashes(literal),
    literalDecides: false,
    lines: pattern.includes('\n') ? undefined : compilePattern(whole, `${caseFlag}gm`),
    staysInLine: true,
    single,
    searchSize: createSearchSize(single.size),
  }
}

/** Texts in which a pattern matches. Texts that contain the literal are matched as the entries of a dictionary. */
function matching(matcher: Matcher): TextTest {
  const { literal, literalDecides } = matcher
  const findCandidates = containing(literal)
  return {
    literal,
    grams: messageGrams(literal),
    async passing(texts, rows, yieldIfDue) {
      const candidates = findCandidates(texts, rows)
      if (literalDecides || candidates.length === 0) return candidates
      const { hits, failures } = await matchEntries(entriesOf(texts, candidates), matcher, yieldIfDue)
      for (const error of failures.values()) throw error
      return candidates.filter((_, i) => hits[i + 1] === 1)
    },
  }
}

/** Returns a function that finds the rows with texts that contain the literal, by searches over all texts at once. */
function containing(literal: Buffer): (texts: ColdTexts, rows: Uint32Array) => Uint32Array {
  const search = searchForBytes(literal)
  return ({ from, offsets, bytes }, rows) => {
    if (literal.length === 0) return rows
    const found = new Uint32Array(rows.length)
    let count = 0
    let at = -1
    for (const row of rows) {
      const start = offsets[row - from]
      const end = offsets[row - from + 1]
      // From a short text on, a search would only find the literal in a later text, perhaps from many texts again.
      if (end - start < literal.length) continue
      if (at < start) at = search(bytes, start)
      if (at < 0) break
      // A hit that starts in this text may end in another text.
      if (at + literal.length <= end) found[count++] = row
    }
    return found.subarray(0, count)
  }
}

/** Texts that contain a folded part after folding. A text with a character beyond ASCII is folded letter by letter. */
function containingFolded(part: string): TextTest {
  const literal = Buffer.from(part)
  const search = searchFor(part)
  const eachPlace = foldedSearch(literal)
  return {
    literal: Buffer.alloc(0),
    grams: messageGrams(literal),
    async passing(texts, rows, yieldIfDue) {
      const { from, offsets, bytes } = texts
      const passes = foldedHits(texts, literal, eachPlace)
      if (!isAscii(bytes)) {
        for (const row of rows) {
          const text = bytes.subarray(offsets[row - from], offsets[row - from + 1])
          if (isAscii(text)) continue
          passes[row - from] = Number(search(foldCase(text.toString()), 0) >= 0)
          const pause = yieldIfDue()
          if (pause !== undefined) await pause
        }
      }
      return rows.filter((row) => passes[row - from] === 1)
    },
  }
}

/** Returns for each text whether the text contains a folded part, 1 or 0. Texts beyond ASCII may be wrong. */
function foldedHits({ offsets, bytes }: ColdTexts, literal: Buffer, eachPlace: FoldedSearch): Uint8Array {
  const hits = new Uint8Array(offsets.length - 1)
  if (literal.length === 0) return hits.fill(1)
  let text = 0
  eachPlace(bytes, (place) => {
    while (offsets[text + 1] <= place) text++
    // A hit that starts in this text may end in another text. Then no later hit ends in this text either.
    if (place + literal.length <= offsets[text + 1]) hits[text] = 1
    do text++
    while (text < hits.length && offsets[text + 1] - offsets[text] < literal.length)
    return offsets[text]
  })
  return hits
}

const NEWLINE = 0x0a

/** Returns the texts of some rows as a dictionary: entry i + 1 is the text of `rows[i]`. */
function entriesOf({ from, offsets: texts, bytes: source }: ColdTexts, rows: Uint32Array): Dictionary {
  let lineBytes = rows.length
  for (const row of rows) lineBytes += texts[row - from + 1] - texts[row - from]
  const { offsets, bytes } = emptyEntries(rows.length + 1, lineBytes)
  let end = offsets[1]
  for (let i = 0; i < rows.length; i++) {
    const index = rows[i] - from
    end += source.copy(bytes, end, texts[index], texts[index + 1])
    bytes[end++] = NEWLINE
    offsets[i + 2] = end
  }
  return { count: rows.length + 1, offsets, bytes, hasNewlines: source.includes(NEWLINE) }
}
