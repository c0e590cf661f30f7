import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ABSENT, entryAt, entryOf, pickEntries, withGrams } from '../../../../src/engine/execute/columns/dictionary.js'
import { dictionary, textsOf } from '../../store/support.js'

const arbitraryText = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '😀'), maxLength: 5 })
const arbitraryTexts = fc.uniqueArray(arbitraryText, { maxLength: 40 })

describe('a dictionary', () => {
  it('keeps a code for absent that no text has', () => {
    const made = dictionary(['', 'a'])
    expect(ABSENT).toBe(0)
    expect([...entryOf(made, ABSENT)]).toEqual([0xff])
    expect(textsOf(made)).toEqual(['', 'a'])
  })

  it('finds the entry of each byte, the newline behind it included', () => {
    fc.assert(
      fc.property(arbitraryTexts, (texts) => {
        const made = dictionary(texts)
        const expected = [0, 0, ...texts.flatMap((text, i) => Array(Buffer.byteLength(text) + 1).fill(i + 1))]
        expect(expected.map((_, position) => entryAt(made, position))).toEqual(expected)
      }),
    )
  })
})

describe('what entries share with the ones before them', () => {
  const sharedOf = (a: Buffer, b: Buffer) => {
    let length = 0
    while (length < Math.min(255, a.length, b.length) && a[length] === b[length]) length++
    return length
  }

  it('is counted to the byte, up to 255', () => {
    const nothing = { firstEntries: new Uint32Array(1), bits: new Uint8Array(0) }
    const long = fc.tuple(fc.constantFrom('', 'a'.repeat(250), 'a'.repeat(300)), fc.string({ maxLength: 12 }))
    const texts = fc.uniqueArray(
      fc.oneof(
        arbitraryText,
        long.map((parts) => parts.join('')),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(texts, (given) => {
        const { shared } = withGrams(dictionary(given), nothing)
        const entries = given.map((text) => Buffer.from(text))
        const expected = entries.map((entry, i) => (i === 0 ? 0 : sharedOf(entries[i - 1]!, entry)))
        expect([...shared!]).toEqual([0, ...expected])
      }),
    )
  })
})

describe('picking', () => {
  it('copies the entries asked for, in the order asked for, behind the one for absent', () => {
    fc.assert(
      fc.property(
        arbitraryTexts.chain((texts) => fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts.map((_, i) => i)))),
        ([texts, chosen]) => {
          const from = dictionary(texts)
          const picked = pickEntries(
            from,
            Uint32Array.from(chosen, (i) => i + 1),
          )
          expect(textsOf(picked)).toEqual(chosen.map((i) => texts[i]))
          expect([...entryOf(picked, ABSENT)]).toEqual([0xff])
          expect(picked.bytes.length).toBe(picked.offsets[picked.count])
          if (textsOf(picked).some((text) => text.includes('\n'))) expect(picked.hasNewlines).toBe(true)
        },
      ),
    )
  })

  it('holds memory of its own, of the exact size', () => {
    const from = dictionary(['abc', 'de'])
    const { bytes, offsets } = pickEntries(from, Uint32Array.of(2))
    expect([bytes.buffer.byteLength, offsets.buffer.byteLength]).toEqual([5, 12])
    from.bytes.fill(0)
    expect(bytes.toString('latin1')).toBe('\xff\nde\n')
  })
})
