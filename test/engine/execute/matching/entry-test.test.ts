import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Dictionary, withGrams } from '../../../../src/engine/execute/columns/dictionary.js'
import { createGramFilter } from '../../../../src/engine/execute/columns/grams.js'
import { clearEmpty, createEntryTest } from '../../../../src/engine/execute/matching/entry-test.js'
import { FUNCTIONS, type FunctionName } from '../../../../src/plan/functions/table.js'
import type { Scalar } from '../../../../src/plan/values/values.js'
import { runs } from '../../../support/runs.js'
import { dictionary, noYield, textsOf } from '../../store/support.js'

const unit = fc.constantFrom('a', 'b', 'A', 'k', 'é', '😀', '%', '_', '\\', '.', '/', ' ', 'K', '\n', '(', '-', '\t')
const text = fc.string({ unit, maxLength: 6 })
const likePattern = text.filter((value) => !/^(?:[^\\]|\\.)*\\$/su.test(value))
const pattern = fc
  .array(fc.constantFrom('a', 'b', '.', '.*', '^', '$', 'é', '[^a]', '(?:a|b)', '(?i)', '\\s'), { maxLength: 5 })
  .map((tokens) => tokens.join(''))

/** A call of a function that has a test: the function and the literals. */
const asked = fc.oneof(
  fc.tuple(
    fc.constantFrom<FunctionName>('eq', 'contains', 'contains_substr', 'starts_with', 'ends_with'),
    fc.tuple(text),
  ),
  fc.tuple(fc.constant<FunctionName>('in'), fc.array(text, { minLength: 1, maxLength: 4 })),
  fc.tuple(fc.constantFrom<FunctionName>('like', 'ilike'), fc.tuple(likePattern)),
  fc.tuple(fc.constant<FunctionName>('regexp_contains'), fc.tuple(pattern)),
)

/** A dictionary as an open batch has one, or the same with the filter and the shared bytes of a sealed column. */
function dictionaryOf(texts: readonly string[], isSealed: boolean): Dictionary {
  const open = dictionary(isSealed ? texts.toSorted() : texts)
  if (!isSealed) return open
  const offsets = open.offsets.slice(0, open.count + 1)
  const sealed = { ...open, offsets, bytes: open.bytes.subarray(0, offsets[open.count]) }
  return withGrams(sealed, createGramFilter(offsets, sealed.bytes, new Uint8Array(open.count)))
}

const alone = (fn: FunctionName, values: readonly Scalar[], entry: string) =>
  FUNCTIONS[fn].bind([() => entry, ...values.map((value) => () => value)], [undefined, ...values])(0)

describe('a test of all entries of a dictionary', () => {
  it('gives the same as its function for every entry', async () => {
    const given = fc.tuple(asked, fc.array(text, { maxLength: 30 }), fc.boolean())
    await fc.assert(
      fc.asyncProperty(given, async ([[fn, values], texts, isSealed]) => {
        const test = createEntryTest(fn, values)
        if (test === undefined) {
          expect(values.some((value) => value.includes('\n'))).toBe(true)
          return
        }
        const entries = dictionaryOf(texts, isSealed)
        const { hits } = await test(entries, noYield)
        const found = textsOf(entries).filter((_, i) => hits[i + 1] === 1)
        expect(found).toEqual(textsOf(entries).filter((entry) => alone(fn, values, entry) === true))
        expect(hits[0]).toBe(0)
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('is there for texts alone', () => {
    for (const value of [1, null, true, '\ud800']) expect(createEntryTest('eq', [value])).toBeUndefined()
    expect(createEntryTest('in', ['a', 1])).toBeUndefined()
    expect(createEntryTest('in', Array.from({ length: 17 }, String))).toBeUndefined()
    expect(createEntryTest('lower', ['a'])).toBeUndefined()
    expect(() => createEntryTest('regexp_contains', ['('])).toThrow(
      expect.objectContaining({ code: 'invalid_pattern' }),
    )
  })

  it('finds no empty text where empty texts are absent', async () => {
    const entries = dictionary(['', 'a'])
    const { hits } = await createEntryTest('like', ['%'])!(entries, noYield)
    expect([...hits]).toEqual([0, 1, 1])
    clearEmpty(hits, entries)
    expect([...hits]).toEqual([0, 0, 1])
  })
})
