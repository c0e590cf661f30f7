import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import {
  countMatches,
  eachMatch,
  firstMatch,
  matches,
  REPLACES_AT_ONCE,
  replaceMatches,
} from '../../../src/base/pattern/match.js'
import { compilePattern, type Pattern } from '../../../src/base/pattern/pattern.js'
import { threadCpuMs } from '../../../src/base/process/thread-cpu.js'
import { foldCase } from '../../../src/base/text/fold-case.js'
import { splitAt } from '../../../src/base/text/text-search.js'
import { partOf } from '../../support/runs.js'
import { inTries } from '../../support/tries.js'

const LONGEST_MS = 50
const TRIES = 8
const TIMEOUT_MS = 120_000

/** Returns the CPU time of a call that may be refused, in a separate turn of the event loop. */
async function msOf(call: () => unknown): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve))
  const startedMs = threadCpuMs()
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(LogweirError)
  }
  return threadCpuMs() - startedMs
}

const leastMs = (call: () => unknown) =>
  inTries(
    TRIES,
    () => msOf(call),
    (ms) => ms <= LONGEST_MS,
  )

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

const pieces: Record<string, string> = {
  'repeated letters': 'a',
  'near misses': `${'a'.repeat(40)}b`,
  'letters in no order': Array.from({ length: 4096 }, (_, i) => ((i * 7919) % 4093 < 2046 ? 'a' : 'b')).join(''),
  'combining marks': '\u0301\u0327',
  'a letter and marks': 'a\u0301\u0327',
  'empty matches': ' .',
  lines: 'ab\n',
  'letters of two bytes': 'é',
}
/** Lengths from 1 KiB to 1 MiB. */
const lengths = [2 ** 10, 2 ** 14, 2 ** 17, 2 ** 18, 2 ** 20]

const patterns = [
  'ab',
  'a*b',
  'a.*#|b',
  '(a|b)(.*)(b)',
  '[ab]*a[ab]{300}c',
  'a[ab]{900}c',
  '(?i)k{1000}',
  '.{0,1000}x',
  '\\pL{19}\\pN',
  '\\b',
  '',
  '(a?){500}b',
  '(?s).*?(.)\\z',
  '^(\\w+\\s?)*$',
  'x'.repeat(1_000),
  `(${'a|'.repeat(490)}b)+c`,
  '[^q]{999}q',
  '((a|aa|aaa){1,30})*',
]

const replacements: Record<string, (pattern: Pattern, text: string) => unknown> = {
  replaceMatches: (pattern, text) => {
    countMatches(pattern, text)
    return replaceMatches(pattern, text, '-', false)
  },
  'replaceMatches with groups': (pattern, text) => {
    countMatches(pattern, text)
    return replaceMatches(pattern, text, '$1', true)
  },
}

const searches: Record<string, (pattern: Pattern, text: string) => unknown> = {
  matches,
  firstMatch,
  ...(REPLACES_AT_ONCE && replacements),
  eachMatch: (pattern, text) => {
    countMatches(pattern, text)
    return eachMatch(pattern, text, false, () => {})
  },
  'eachMatch with groups': (pattern, text) => {
    countMatches(pattern, text)
    return eachMatch(pattern, text, true, () => {})
  },
}

describe.each(Object.keys(pieces))('O3b: %s', { timeout: TIMEOUT_MS }, (name) => {
  const piece = pieces[name]!
  it.each(
    partOf(patterns, 4, Object.keys(pieces).indexOf(name)),
  )(`O3b: %j takes at most ${LONGEST_MS} ms in a text of any length`, async (pattern) => {
    for (const length of lengths) {
      const text = filled(piece, length)
      for (const [name, search] of Object.entries(searches)) {
        const ms = await leastMs(() => search(compilePattern(pattern), text))
        expect(ms, `${name} in ${length} characters`).toBeLessThanOrEqual(LONGEST_MS)
      }
    }
  })

  it(`O3b: is compared in normal form, and searched for parts of any length, in at most ${LONGEST_MS} ms`, async () => {
    for (const length of lengths) {
      const text = filled(piece, length)
      expect(await leastMs(() => foldCase(text)), `foldCase of ${length}`).toBeLessThanOrEqual(LONGEST_MS)
      for (const part of [
        piece,
        text.slice(0, length / 2),
        `${text.slice(0, length / 4)}#${text.slice(0, length / 4)}`,
      ]) {
        const ms = await leastMs(() => splitAt(part, text))
        expect(ms, `${part.length} in ${length}`).toBeLessThanOrEqual(LONGEST_MS)
      }
    }
  })
})
