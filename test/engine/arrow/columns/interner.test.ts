import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Interner } from '../../../../src/base/interner.js'

const internAll = (interner: Interner, texts: readonly (string | Buffer)[]) =>
  texts.map((text) => {
    const bytes = Buffer.from(text as string)
    return interner.intern(Buffer.concat([Buffer.from('x'), bytes, Buffer.from('y')]), 1, 1 + bytes.length)
  })

const entries = ({ count, offsets, bytes }: Interner) =>
  Array.from({ length: count }, (_, code) => bytes.subarray(offsets[code]!, offsets[code + 1]! - 1).toString('latin1'))

/** Codes in order of first appearance, by a Map. */
function expectedCodes(texts: readonly string[]): number[] {
  const codes = new Map<string, number>()
  return texts.map((text) => {
    const code = codes.get(text) ?? codes.size
    codes.set(text, code)
    return code
  })
}

/** What the interner hashes with: FNV-1a, folded. Here only to find texts that collide. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function collidingTexts(): string[] {
  const seen = new Map<number, string>()
  const found: string[] = []
  for (let i = 0; found.length < 6; i++) {
    const [text, hash] = [`k${i}`, hashOf(`k${i}`)]
    const other = seen.get(hash)
    if (other !== undefined) found.push(other, text)
    seen.set(hash, text)
  }
  return found
}

describe('an interner', () => {
  it('numbers distinct texts in order of first appearance, and keeps their bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 150 }), (texts) => {
        const interner = new Interner()
        const utf8 = texts.map((text) => Buffer.from(text).toString('latin1'))
        expect(internAll(interner, texts)).toEqual(expectedCodes(utf8))
        expect(entries(interner)).toEqual([...new Set(utf8)])
        expect(interner.hasNewlines).toBe(utf8.some((text) => text.includes('\n')))
        expect(interner.offsets[interner.count]).toBe(utf8.length && entries(interner).join('\n').length + 1)
      }),
    )
  })

  it('tells texts of the same hash apart', () => {
    const texts = collidingTexts()
    expect(new Set(texts).size).toBe(6)
    expect(internAll(new Interner(), [...texts, ...texts])).toEqual(expectedCodes([...texts, ...texts]))
  })

  it('tells a text, its beginning, and itself with a newline behind apart', () => {
    expect(internAll(new Interner(), ['ab', 'a', '', 'ab\n', '\n', 'ab', ''])).toEqual([0, 1, 2, 3, 4, 0, 2])
  })

  it('grows over many texts and over long ones, and counts the bytes that it holds', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) =>
      i % 5_000 === 0 ? `${i}`.padEnd(100_000, 'z') : `text ${i}`,
    )
    const interner = new Interner()
    const emptyBytes = interner.byteLength
    expect(internAll(interner, texts)).toEqual(texts.map((_, i) => i))
    expect(internAll(interner, texts)).toEqual(texts.map((_, i) => i))
    expect(entries(interner)).toEqual(texts)
    const visible = interner.offsets.byteLength + interner.bytes.byteLength
    // A hash of 4 bytes a code, and two slots of 4 bytes a code at least.
    expect(interner.byteLength - visible).toBeGreaterThanOrEqual(texts.length * 12)
    expect(interner.byteLength - visible).toBeLessThanOrEqual(texts.length * 12 * 4)
    expect(emptyBytes).toBeLessThan(4096)
  })

  it('takes bytes that are not UTF-8', () => {
    const interner = new Interner()
    expect(internAll(interner, [Buffer.of(0xff), Buffer.of(0xfe), Buffer.of(0xff)])).toEqual([0, 1, 0])
  })

  it('leaves what was taken of it readable when it grows', () => {
    const interner = new Interner()
    internAll(interner, ['first', 'second'])
    const { bytes, offsets } = interner
    internAll(
      interner,
      Array.from({ length: 1000 }, (_, i) => `${i}`),
    )
    expect(bytes.subarray(offsets[1]!, offsets[2]! - 1).toString()).toBe('second')
  })
})
