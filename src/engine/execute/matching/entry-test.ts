import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'
import type { FunctionName } from '../../../plan/functions/table.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { ColdTexts } from '../columns/batch.js'
import { ABSENT, type Dictionary, entryAt, findEntries } from '../columns/dictionary.js'
import { literalMatcher, type Matched, type Matcher, matchEntries } from './match-pattern.js'
import { createTextTest, matcherOf, type TextTest } from './match-texts.js'

/**
 * A condition on a text, decided for all entries of a dictionary at once. The entry for absent texts never passes.
 */
export type EntryTest = (dictionary: Dictionary, yieldIfDue: Yielder) => Promise<Matched>

/** The functions that have a test. */
export const ENTRY_TESTS: ReadonlySet<FunctionName> = new Set([
  ...(['eq', 'in', 'contains', 'contains_substr', 'starts_with', 'ends_with'] as const),
  ...(['like', 'ilike', 'regexp_contains'] as const),
])

/** Looking up more texts in the dictionary takes longer than evaluating the entries of the dictionary. */
const MOST_TEXTS = 16

/**
 * Returns the test of a function of a text and literals, which gives the same as the function for every entry.
 * Undefined if there is none: for other functions, for values that are no texts or have half surrogates, and for texts
 * with a newline, which ends each entry. Throws `invalid_pattern` if a pattern is invalid.
 */
export function createEntryTest(fn: FunctionName, values: readonly Scalar[]): EntryTest | undefined {
  if (!ENTRY_TESTS.has(fn)) return undefined
  const texts = values.filter((value) => typeof value === 'string' && value.isWellFormed()) as string[]
  if (texts.length < values.length || texts.length === 0 || texts.length > MOST_TEXTS) return undefined
  if (fn === 'in' || fn === 'eq') return equalTo(texts)
  const [text] = texts
  if (texts.length > 1) return undefined
  if (fn === 'like') return likeTest(text)
  const matcher = matcherOf(fn, text)
  return matcher === undefined ? comparing(fn, text) : matching(matcher)
}

/** Most patterns of LIKE are a text with `%` at one end or at both ends. */
function likeTest(pattern: string): EntryTest | undefined {
  const [, before, text, after] = /^(%?)([^%_\\]+)(%?)$/u.exec(pattern) ?? []
  if (text === undefined) return matching(matcherOf('like', pattern)!)
  if (before === '' && after === '') return equalTo([text])
  return comparing(before === '' ? 'starts_with' : after === '' ? 'ends_with' : 'contains', text)
}

function equalTo(texts: readonly string[]): EntryTest {
  return async (dictionary, yieldIfDue) => {
    const hits = new Uint8Array(dictionary.count)
    for (const text of texts) {
      for (const code of findEntries(dictionary, text)) {
        hits[code] = 1
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
    }
    return { hits, from: ABSENT + 1, to: dictionary.count, failures: NO_FAILURES }
  }
}

const NO_FAILURES: Matched['failures'] = new Map()

const matching =
  (matcher: Matcher): EntryTest =>
  (dictionary, yieldIfDue) =>
    matchEntries(dictionary, matcher, yieldIfDue)

function comparing(fn: FunctionName, text: string): EntryTest | undefined {
  if (text.includes('\n')) return undefined
  if (fn === 'starts_with') return startingWith(Buffer.from(text))
  if (fn === 'contains' && text !== '') return matching(literalMatcher(text))
  // A newline ends each entry.
  const test = createTextTest(fn, fn === 'ends_with' ? `${text}\n` : text)
  return test && ((dictionary, yieldIfDue) => passingEntries(dictionary, test, yieldIfDue))
}

/** Entries that are tested without a look at the clock. */
const ENTRIES_AT_ONCE = 2 ** 16

function startingWith(start: Buffer): EntryTest {
  return async (dictionary, yieldIfDue) => {
    const hits = new Uint8Array(dictionary.count)
    for (let from = ABSENT + 1; from < dictionary.count; from += ENTRIES_AT_ONCE) {
      await yieldIfDue()
      findStarts(dictionary, start, hits, from, Math.min(dictionary.count, from + ENTRIES_AT_ONCE))
    }
    return { hits, from: ABSENT + 1, to: dictionary.count, failures: NO_FAILURES }
  }
}

/** An entry that shares the first bytes with the entry before starts as that entry does. */
function findStarts(
  { offsets, bytes, shared }: Dictionary,
  start: Buffer,
  hits: Uint8Array,
  from: number,
  to: number,
): void {
  for (let code = from; code < to; code++) {
    if (shared !== undefined && code > ABSENT + 1 && shared[code] >= start.length) hits[code] = hits[code - 1]
    else if (offsets[code + 1] - offsets[code] > start.length && startsAt(bytes, offsets[code], start)) hits[code] = 1
  }
}

function startsAt(bytes: Buffer, at: number, start: Buffer): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[at + i] !== start[i]) return false
  return true
}

/** Bytes of entries that are searched at once. */
const SEARCHED_BYTES = MIB

async function passingEntries(dictionary: Dictionary, test: TextTest, yieldIfDue: Yielder): Promise<Matched> {
  const { count, offsets } = dictionary
  const hits = new Uint8Array(count)
  for (let from = ABSENT + 1; from < count; await yieldIfDue()) {
    const to = entryAt(dictionary, Math.min(offsets[from] + SEARCHED_BYTES, offsets[count] - 1)) + 1
    const entries = Uint32Array.from({ length: to - from }, (_, i) => from + i)
    for (const code of await test.passing(textsOf(dictionary, from, to), entries, yieldIfDue)) hits[code] = 1
    from = to
  }
  return { hits, from: ABSENT + 1, to: count, failures: NO_FAILURES }
}

/** The entries [from, to) of a dictionary as texts, each with the trailing newline. */
function textsOf({ offsets, bytes }: Dictionary, from: number, to: number): ColdTexts {
  const start = offsets[from]
  const ends = Int32Array.from(offsets.subarray(from, to + 1), (offset) => offset - start)
  return { from, to, offsets: ends, bytes: bytes.subarray(start, offsets[to]) }
}

/** Clears the hits of empty texts, which mean absent texts in some columns. */
export function clearEmpty(hits: Uint8Array, { count, offsets }: Dictionary): void {
  for (let code = ABSENT + 1; code < count; code++) if (offsets[code + 1] - 1 === offsets[code]) hits[code] = 0
}
