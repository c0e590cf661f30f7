import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ColdTexts } from '../../../../src/engine/execute/columns/batch.js'
import { createTextTest } from '../../../../src/engine/execute/matching/match-texts.js'
import { FUNCTIONS, type FunctionName } from '../../../../src/plan/functions/table.js'
import { runs } from '../../../support/runs.js'
import { noYield, SLOW_PATTERN, slowTexts } from '../../store/support.js'

const NAMES = [
  'regexp_contains',
  'contains',
  'eq',
  'starts_with',
  'ends_with',
  'like',
  'ilike',
  'contains_substr',
] as const

/** The texts of the rows from `from` on. */
function textsOf(texts: readonly string[], from: number): ColdTexts {
  const bytes = texts.map((text) => Buffer.from(text))
  const offsets = new Int32Array(texts.length + 1)
  for (const [i, { length }] of bytes.entries()) offsets[i + 1] = offsets[i]! + length
  return { from, to: from + texts.length, offsets, bytes: Buffer.concat(bytes) }
}

/** Returns the indexes of the texts that pass, among the texts at `asked`. */
async function passing(fn: FunctionName, value: string, texts: readonly string[], asked = [...texts.keys()]) {
  const test = createTextTest(fn, value)!
  const rows = await test.passing(
    textsOf(texts, 7),
    Uint32Array.from(asked, (i) => i + 7),
    noYield,
  )
  const found = [...rows].map((row) => row - 7)
  for (const i of found) expect(Buffer.from(texts[i]!).includes(test.literal)).toBe(true)
  return found
}

/** Returns the same by the function, text by text. */
function passingAlone(fn: FunctionName, value: string, texts: readonly string[], asked = [...texts.keys()]): number[] {
  const cell = FUNCTIONS[fn].bind([(i) => texts[i]!, () => value], [undefined, value])
  return asked.filter((i) => cell(i) === true)
}

const unit = fc.constantFrom(
  'a',
  'b',
  'A',
  'B',
  'k',
  '\n',
  'é',
  'É',
  '😀',
  '%',
  '_',
  '\\',
  '.',
  '/',
  ' ',
  'ſ',
  'K',
  'İ',
  'ª',
)
const text = fc.string({ unit, maxLength: 6 })
const piece = fc.constantFrom('%', '%', '_', '\\%', '\\_', '\\', 'a', 'b', 'ab', 'é', '\n', '.', '(', '[a]', 's', 'k')
const likeText = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
const token = fc.constantFrom(
  'a',
  'b',
  'ab',
  '.',
  '.*',
  '\\n',
  '\\s',
  '^',
  '$',
  '\\b',
  'é',
  '[^a]',
  '(?:a|b)',
  '(?i)',
  '(?s).',
  '\\/',
)
const pattern = fc.array(token, { maxLength: 5 }).map((tokens) => tokens.join(''))

/** A pattern that ends with a backslash which nothing follows is refused. */
const likePattern = likeText.filter((value) => !/^(?:[^\\]|\\.)*\\$/su.test(value))

describe('a test of many texts', () => {
  it('gives the same as its function in every text', async () => {
    const given = fc.constantFrom(...NAMES).chain((fn) => {
      const value = fn === 'regexp_contains' ? pattern : fn === 'like' || fn === 'ilike' ? likePattern : text
      const texts = fc.array(text, { maxLength: 12 })
      return fc.tuple(fc.constant(fn), value, texts, fc.infiniteStream(fc.boolean()))
    })
    await fc.assert(
      fc.asyncProperty(given, async ([fn, value, texts, isAsked]) => {
        const asked = [...texts.keys()].filter(() => isAsked.next().value)
        expect(await passing(fn, value, texts, asked)).toEqual(passingAlone(fn, value, texts, asked))
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('does not take parts of two neighbours for one text', async () => {
    const texts = ['tim', 'eout', 'timeout', 'xtim', 'eouttimeout', '', 'tim']
    for (const fn of ['contains', 'contains_substr', 'regexp_contains'] as const) {
      expect(await passing(fn, 'timeout', texts)).toEqual([2, 4])
      expect(await passing(fn, 'timeout', ['timeou', 'timeout', 'timeou', 't', 'imeout'])).toEqual([1])
    }
    expect(await passing('contains', 'timeout', texts, [0, 1, 4, 6])).toEqual([4])
    expect(await passing('eq', 'tim', texts)).toEqual([0, 6])
    expect(await passing('eq', '', texts)).toEqual([5])
    expect(await passing('like', '', texts)).toEqual([5])
    expect(await passing('like', '%out%', texts)).toEqual([1, 2, 4])
  })

  it('knows a literal of a pattern and of the fixed parts of `like`', () => {
    const literalOf = (fn: FunctionName, value: string) => createTextTest(fn, value)!.literal.toString()
    expect(literalOf('regexp_contains', 'status=\\d+ timeout')).toBe(' timeout')
    expect(literalOf('like', '%a\\%b_long part%')).toBe('long part')
    expect(literalOf('ilike', '%a%')).toBe('')
    expect(literalOf('starts_with', 'GET')).toBe('GET')
  })

  it('is none for other functions, invalid patterns and half surrogates', () => {
    for (const fn of NAMES) expect(createTextTest(fn, 'a\ud83d')).toBeUndefined()
    for (const value of ['(', '[', 'a'.repeat(1_001)]) expect(createTextTest('regexp_contains', value)).toBeUndefined()
    expect(createTextTest('like', 'a'.repeat(1_001))).toBeUndefined()
    expect(createTextTest('lower', 'a')).toBeUndefined()
  })

  it('yields between searches of a slow pattern', async () => {
    let yields = 0
    const count = () => {
      yields++
      return undefined
    }
    const texts = slowTexts(60)
    await createTextTest('regexp_contains', SLOW_PATTERN)!.passing(
      textsOf(texts, 0),
      Uint32Array.from(texts.keys()),
      count,
    )
    expect(yields).toBeGreaterThan(3)
  })
})
