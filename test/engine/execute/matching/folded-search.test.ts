import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedSearch } from '../../../../src/engine/execute/matching/folded-search.js'

function placesOf(text: Uint8Array, part: Buffer, next = (place: number) => place + 1): number[] {
  const places: number[] = []
  foldedSearch(part)(text, (place) => {
    places.push(place)
    return next(place)
  })
  return places
}

/** The same, byte by byte. */
function expectedPlaces(text: Uint8Array, part: Uint8Array): number[] {
  const lower = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)
  return [...text.keys()].filter(
    (place) => place + part.length <= text.length && part.every((byte, i) => lower(text[place + i]!) === byte),
  )
}

/** Letters, and bytes next to letters, which the bit of the case turns into other bytes, too. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '@', '`', '[', '{', 'é', ' ', '\0'), maxLength: 90 })

describe('a search that ignores the case of ASCII letters', () => {
  it('finds every place, whatever is behind the text', () => {
    const given = text.chain((one) => {
      const bytes = Buffer.from(one)
      const own = fc.tuple(fc.nat(bytes.length), fc.nat(40)).map(([at, length]) => {
        const part = bytes.toString('latin1', at, at + length).replace(/[AB]/g, (letter) => letter.toLowerCase())
        return Buffer.from(part, 'latin1')
      })
      const other = fc
        .string({ unit: fc.constantFrom('a', 'b', '{', '`', ' '), maxLength: 3 })
        .map((part) => Buffer.from(part))
      return fc.tuple(fc.constant(bytes), fc.oneof(own, other))
    })
    let found = 0
    fc.assert(
      fc.property(given, ([bytes, part]) => {
        if (part.length === 0) return
        const expected = expectedPlaces(bytes, part)
        expect(placesOf(bytes, part)).toEqual(expected)
        found += expected.length
      }),
      { numRuns: 2_000 },
    )
    expect(found).toBeGreaterThan(200)
  })

  it('goes on from the place that it is told', () => {
    expect(placesOf(Buffer.from('aAaAaA'), Buffer.from('aa'), (place) => place + 2)).toEqual([0, 2, 4])
    expect(placesOf(Buffer.from('aAaAaA'), Buffer.from('aa'), () => 6)).toEqual([0])
  })

  it('finds the end of texts larger than its memory, and nothing of larger texts before', () => {
    const large = Buffer.alloc(3_000_000, 'x')
    large.write('END', large.length - 3)
    expect(placesOf(large, Buffer.from('end'))).toEqual([2_999_997])
    expect(placesOf(Buffer.from('en'), Buffer.from('end'))).toEqual([])
    expect(placesOf(Buffer.alloc(100, 'x'), Buffer.from('end'))).toEqual([])
  })
})
