import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findEntry, withGrams } from '../../../../src/engine/execute/columns/dictionary.js'
import { BITMAP_BYTES } from '../../../../src/engine/execute/columns/grams.js'
import { createMatcher, matchEntries } from '../../../../src/engine/execute/matching/match-pattern.js'
import { re2Of } from '../../../support/re2.js'
import { runs } from '../../../support/runs.js'
import { dictionary, SLOW_LETTERS, SLOW_PATTERN, slowTexts } from '../../store/support.js'

/** Returns the texts that match, each tested separately by the RE2 library. */
const matchedAlone = (pattern: string, texts: readonly string[]) => {
  const single = re2Of(pattern)
  return texts.filter((text) => single.test(text))
}

/** Searches within a turn of the event loop share a limit. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function found(pattern: string, texts: readonly string[]): Promise<string[]> {
  const plain = dictionary(texts)
  const { hits } = await matchEntries(plain, createMatcher(pattern), nextTurn)
  expect(hits.length).toBe(texts.length + 1)
  expect(hits[0]).toBe(0)
  // As a long dictionary: with a gram filter, which here excludes nothing, and with the numbers of shared bytes.
  const all = { firstEntries: Uint32Array.of(0, plain.count), bits: new Uint8Array(BITMAP_BYTES).fill(255) }
  expect((await matchEntries(withGrams(plain, all), createMatcher(pattern), nextTurn)).hits).toEqual(hits)
  return texts.filter((_, i) => hits[i + 1] === 1)
}

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'ab',
    '/',
    '\\.',
    '.',
    '(?s).',
    '(?s:.)',
    '\\|',
    '[^a]',
    '[^b\\n]',
    '\\s',
    '\\S',
    '\\W',
    '\\D',
    '[[:space:]]',
  ],
  ...[
    '^',
    '$',
    '\\A',
    '\\z',
    '\\b',
    '(?:a\\B|\\Bb)',
    '\\n',
    '\n',
    '(?-m)^',
    '(?m)^',
    '(?m)$',
    '(?i)A',
    '(?i:B)',
    '(?-i)a',
    '(?U)',
  ],
  ...['', '\\Qa.\\E', '\\pL', '\\PL', 'é', '\\x{e9}', '[^\\x{0}-\\x{60}]', '\\x0a', '(?:)', '\\x{ff}', '\\t'],
)
const quantified = fc.tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}')).map(([of, times]) => {
  return times === '' ? of : `(?:${of})${times}`
})
const sequence = fc.array(quantified, { maxLength: 4 }).map((parts) => parts.join(''))
const arbitraryPattern = fc.oneof(
  sequence,
  fc.tuple(sequence, sequence).map(([left, right]) => `${left}|${right}`),
  fc.tuple(sequence, sequence).map(([left, right]) => `^(?:${left}|${right})$`),
)
const arbitraryTexts = (...units: string[]) =>
  fc.uniqueArray(fc.string({ unit: fc.constantFrom(...units), maxLength: 5 }), { maxLength: 25 })

describe('matching a dictionary', () => {
  it.each([
    ['of texts without newlines', arbitraryTexts('a', 'b', 'é', '.', '/', ' ', 'A', '|')],
    ['of texts with newlines', arbitraryTexts('a', 'b', '\n', 'é')],
  ])('finds what matches alone: %s', async (_, texts) => {
    await fc.assert(
      fc.asyncProperty(arbitraryPattern, texts, async (pattern, given) => {
        // Sorted texts share more bytes with the previous texts.
        for (const texts of [given, given.toSorted()])
          expect(await found(pattern, texts)).toEqual(matchedAlone(pattern, texts))
      }),
      { numRuns: runs(3_000) },
    )
  })

  it.each([
    'a',
    'ab',
    'b\n',
    '\na',
    '.',
    'é',
    'b\nab',
    '\\.',
    '\\/',
    '\\-a',
    'a\\|b',
    '\\|',
  ])('finds the literal %j within entries, never across two', async (pattern) => {
    await fc.assert(
      fc.asyncProperty(arbitraryTexts('a', 'b', '\n', '.', 'é', '-', '/', '|'), async (texts) => {
        const literal = pattern.replaceAll('\\', '')
        const expected = texts.filter((text) => (pattern === '.' ? /[^\n]/u.test(text) : text.includes(literal)))
        expect(await found(pattern, texts)).toEqual(expected)
        expect((await found(pattern, texts.toSorted())).sort()).toEqual(expected.sort())
      }),
    )
  })

  it.each([
    ['b\n', ['ab', 'ab\n'], ['ab\n']],
    ['b\na', ['ab', 'ac'], []],
    ['(?s)b.a', ['ab', 'ac', 'b\na'], ['b\na']],
    ['b\\sa', ['ab', 'ac'], []],
    ['[^x]{4}', ['ab', 'ac', 'abcd'], ['abcd']],
    ['\\Ab', ['ab', 'b', 'bc'], ['b', 'bc']],
    ['a\\z', ['ab', 'a', 'ba'], ['a', 'ba']],
    ['^$', ['a', '', 'b'], ['']],
    ['a$', ['a\nb', 'b\na'], ['b\na']],
    ['^b', ['a\nb', 'b\na'], ['b\na']],
    ['', ['', 'a'], ['', 'a']],
    ['\\n', ['a', '', 'b'], []],
  ])('%j of %j finds %j', async (pattern, texts, expected) => {
    expect(await found(pattern, texts)).toEqual(expected)
  })

  it('never finds the entry of absent', async () => {
    for (const pattern of ['', '.*', '(?s).', '^', '\\x{fffd}', '[^a]', '\ufffd', 'ÿ', '(?s)^.$']) {
      expect(await found(pattern, [])).toEqual([])
      expect(await found(pattern, ['a\nb'])).toEqual(matchedAlone(pattern, ['a\nb']))
    }
  })
})

describe('a dictionary of many windows', () => {
  const urls = Array.from({ length: 9000 }, (_, i) => `https://p${i}.example.co/${'x'.repeat(i % 40)}`)
  const long = [...urls.slice(0, 3000), 'y'.repeat(70_000), ...urls.slice(3000), 'z'.repeat(200_000), 'last']
  const patterns = [
    'p1[0-9]+7\\.',
    '^https://p2',
    'x{39}$',
    'y{100}$|^z',
    '^last$',
    'co/$',
    '\\s',
    '[^q]{300}',
    'p8999.e',
    'p8999',
    '$',
    '\\z',
  ]

  it.each(patterns)('%j is found in every one', async (pattern) => {
    expect(await found(pattern, long)).toEqual(matchedAlone(pattern, long))
    const withNewline = [...long, 'a\nhttps://p2']
    expect(await found(pattern, withNewline)).toEqual(matchedAlone(pattern, withNewline))
  })

  it('is searched with pauses in between, which may throw', async () => {
    for (const pattern of ['^https://p2', '\\z']) {
      let pauses = 0
      await matchEntries(dictionary(urls), createMatcher(pattern), () => void pauses++)
      expect(pauses).toBeGreaterThanOrEqual(4)
      const stop = new Error('stop')
      const search = matchEntries(dictionary(urls), createMatcher(pattern), () => {
        throw stop
      })
      await expect(search).rejects.toBe(stop)
    }
  })
})

describe('a pattern that is found in many entries', () => {
  const texts = Array.from({ length: 3_000 }, (_, i) => `https://p${i % 7}.co/rest/v${i % 3}?id=${i}`)

  it.each([
    'p[0-3]\\.co.*(rest|auth)',
    '(?i:P)\\d',
    'id=\\d{2,3}$',
    '^https?://p[1-2]',
    'x*',
    '.*',
    '$',
    '\\S+v2',
    '(?m)^h.*9$',
    'v1[?]id',
    `${'a?'.repeat(490)}v[^0]`,
  ])('%j is found in all of them', async (pattern) => {
    expect(await found(pattern, texts)).toEqual(matchedAlone(pattern, texts))
  })

  it.each([
    'co[/-?]rest',
    '3\\W',
    'v1[^x]',
    'co(?s:.)rest',
    'é?\\x{2f}',
    '[[:^alpha:]]v',
    '\\D{4}',
  ])('%j too, which may match over the end of an entry', async (pattern) =>
    expect(await found(pattern, texts)).toEqual(matchedAlone(pattern, texts)))
})

it('is found where it is, though it takes long for each byte', async () => {
  const texts = [...slowTexts(10), `${'ab'.repeat(0.6 * SLOW_LETTERS)}c`, 'abc']
  expect(await found(SLOW_PATTERN, texts)).toEqual(matchedAlone(SLOW_PATTERN, texts))
})

describe('finding an entry', () => {
  it('gives the code of the text, or -1', () => {
    const texts = arbitraryTexts('a', 'b', '\n', 'é')
    fc.assert(
      fc.property(texts, texts, (entries, others) => {
        for (const text of [...entries, ...others, '', '\n', '\ufffd']) {
          const i = entries.indexOf(text)
          expect(findEntry(dictionary(entries), text)).toBe(i < 0 ? -1 : i + 1)
        }
      }),
    )
  })
})
