import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Interner } from '../../../src/base/memory/interner.js'

type Text = string | Uint8Array

/** Calls a function with a range of bytes that contains the text, between other bytes. */
function within<T>(text: Text, call: (bytes: Uint8Array, start: number, end: number) => T): T {
  const bytes = Buffer.concat([Buffer.from('x'), Buffer.from(text as string), Buffer.from('y')])
  return call(bytes, 1, bytes.length - 1)
}

const intern = (interner: Interner, text: Text) => within(text, interner.intern.bind(interner))
const append = (interner: Interner, text: Text) => within(text, interner.append.bind(interner))
const internAll = (interner: Interner, texts: readonly Text[]) => texts.map((text) => intern(interner, text))

const entryOf = ({ offsets, bytes }: Interner, code: number) =>
  bytes.subarray(offsets[code]!, offsets[code + 1]! - 1).toString()
const entries = (interner: Interner) => Array.from({ length: interner.count }, (_, code) => entryOf(interner, code))

/** Returns codes in order of first appearance, computed by a Map. */
function expectedCodes(texts: readonly string[]): number[] {
  const codes = new Map<string, number>()
  return texts.map((text) => {
    const code = codes.get(text) ?? codes.size
    codes.set(text, code)
    return code
  })
}

/**
 * Records the reads of `offsets`: a lookup reads offsets only for entries with the same hash. Returns a function that
 * interns a text and returns the first entry that the lookup compared.
 */
function recordComparisons(interner: Interner) {
  let { offsets } = interner
  let reads: number[] | undefined
  const spyOn = (original: typeof offsets) =>
    new Proxy(original, {
      get(target, key) {
        const value = Reflect.get(target, key)
        if (typeof value === 'function') return value.bind(target)
        if (key !== 'length') reads?.push(Number(key))
        return value
      },
      set: (target, key, value) => Reflect.set(target, key, value),
    })
  let spied = spyOn(offsets)
  Object.defineProperty(interner, 'offsets', {
    get: () => (reads === undefined ? offsets : spied),
    set: (next) => {
      if (next === spied) return
      offsets = next
      spied = spyOn(next)
    },
  })
  return (text: string): number | undefined => {
    const { count } = interner
    reads = []
    intern(interner, text)
    const [first] = reads
    reads = undefined
    // Adding a new entry first reads the end of the previous entries.
    return first === count ? undefined : first
  }
}

/** Returns pairs of different texts with equal hashes, found by trial, so that the hash function does not matter. */
function collidingPairs(count: number): [string, string][] {
  const interner = new Interner()
  const firstCompared = recordComparisons(interner)
  const pairs: [string, string][] = []
  for (let i = 0; pairs.length < count; i++) {
    if (i === 3_000_000) throw new Error(`Only ${pairs.length} collisions among ${i} texts.`)
    const other = firstCompared(`text ${i}`)
    if (other !== undefined) pairs.push([`text ${other}`, `text ${i}`])
  }
  return pairs
}

const arbitraryText = fc.oneof(
  fc.constantFrom('', '__proto__', 'constructor', 'a', 'b', 'abcd', 'abcde'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const arbitraryTexts = fc.array(
  arbitraryText.map((text) => Buffer.from(text).toString()),
  { maxLength: 300 },
)

describe('an interner', () => {
  it('gives codes as a Map would, in the order of first sight, and keeps the bytes', () => {
    fc.assert(
      fc.property(arbitraryTexts, (texts) => {
        const interner = new Interner()
        const model = new Map<string, number>()
        for (const text of texts) {
          if (!model.has(text)) model.set(text, model.size)
          expect(intern(interner, text)).toBe(model.get(text))
        }
        expect(entries(interner)).toEqual([...model.keys()])
        expect(interner.hasNewlines).toBe(texts.some((text) => text.includes('\n')))
        const bytes = Buffer.from([...model.keys()].map((text) => `${text}\n`).join(''))
        expect(interner.bytes.subarray(0, interner.offsets[interner.count])).toEqual(bytes)
      }),
    )
  })

  it('tells texts of the same hash apart', () => {
    const pairs = collidingPairs(3)
    for (const [one, other] of pairs) {
      const interner = new Interner()
      const firstCompared = recordComparisons(interner)
      intern(interner, one)
      expect([firstCompared(one), firstCompared(other), firstCompared(`${other}!`)]).toEqual([0, 0, undefined])
      expect(entries(interner)).toEqual([one, other, `${other}!`])
    }
    const texts = pairs.flat()
    expect(new Set(texts).size).toBe(6)
    const interner = new Interner()
    expect(internAll(interner, [...texts, ...texts])).toEqual(expectedCodes([...texts, ...texts]))
    expect(entries(interner)).toEqual(texts)
  })

  it('tells a text, its beginning, and itself with a newline or a zero behind apart', () => {
    const texts = [
      'ab',
      'a',
      '',
      'ab\n',
      '\n',
      'ab',
      '',
      'abcd',
      'abc',
      'abcd\0',
      'abc\0',
      'dcba',
      'abcd',
      '\0',
      '\0\0',
    ]
    expect(internAll(new Interner(), texts)).toEqual(expectedCodes(texts))
  })

  it('takes the entries of another one, which stays as it is', () => {
    fc.assert(
      fc.property(arbitraryTexts, arbitraryTexts, (texts, others) => {
        const [interner, other] = [new Interner(), new Interner()]
        internAll(interner, texts)
        internAll(other, others)
        const distinct = entries(other)
        const codes = distinct.map((_, code) => interner.internFrom(other, code))
        expect(codes).toEqual(expectedCodes([...texts, ...distinct]).slice(texts.length))
        expect(entries(interner)).toEqual([...new Set([...texts, ...others])])
        expect(interner.hasNewlines).toBe([...texts, ...others].some((text) => text.includes('\n')))
        expect(entries(other)).toEqual(distinct)
      }),
    )
  })

  it('has copies that go their own way', () => {
    fc.assert(
      fc.property(arbitraryTexts, arbitraryTexts, arbitraryTexts, (texts, ofCopy, ofOriginal) => {
        const interner = new Interner(1)
        internAll(interner, texts)
        const copy = interner.copy()
        internAll(copy, ofCopy)
        internAll(interner, ofOriginal)
        for (const [one, more] of [
          [copy, ofCopy],
          [interner, ofOriginal],
        ] as const) {
          const all = [...texts, ...more]
          expect(entries(one)).toEqual([...new Set(all)])
          expect(one.hasNewlines).toBe(all.some((text) => text.includes('\n')))
          expect(internAll(one, all)).toEqual(expectedCodes(all))
        }
      }),
    )
  })

  it('without hashes gives no entries to another one', () => {
    const other = new Interner()
    append(other, 'a')
    expect(() => new Interner().internFrom(other, 0)).toThrow(TypeError)
    expect(() => intern(other.copy(), 'a')).toThrow(TypeError)
  })

  it('grows over many texts and over long ones, and counts the bytes that it holds', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) =>
      i % 5_000 === 0 ? `${i}`.padEnd(100_000, 'z') : `text ${i}${'x'.repeat(i % 97)}`,
    )
    const interner = new Interner()
    const emptyBytes = interner.byteLength
    const codes = texts.map((_, i) => i)
    expect(internAll(interner, texts)).toEqual(codes)
    expect(internAll(interner, texts)).toEqual(codes)
    expect(entries(interner)).toEqual(texts)
    const visible = interner.offsets.byteLength + interner.bytes.byteLength
    // Per code: a hash of 4 bytes, and at least two slots of 4 bytes.
    expect(interner.byteLength - visible).toBeGreaterThanOrEqual(texts.length * 12)
    expect(interner.byteLength - visible).toBeLessThanOrEqual(texts.length * 12 * 4)
    expect(emptyBytes).toBeLessThan(4096)
  })

  it('forgets all entries, and begins anew', () => {
    const interner = new Interner()
    internAll(interner, ['a\n', ...Array.from({ length: 5000 }, (_, i) => `${i}`)])
    const { byteLength } = interner
    interner.clear()
    expect([interner.count, interner.hasNewlines]).toEqual([0, false])
    expect(internAll(interner, ['fresh', '7', 'fresh'])).toEqual([0, 1, 0])
    expect(entries(interner)).toEqual(['fresh', '7'])
    expect(interner.byteLength).toBe(byteLength)
  })

  it('appends entries end to end, equal ones too, with codes in their order', () => {
    fc.assert(
      fc.property(arbitraryTexts, (texts) => {
        const interner = new Interner()
        const first = intern(interner, 'first')
        expect(texts.map((text) => append(interner, text))).toEqual(texts.map((_, i) => i + 1))
        expect(entries(interner)).toEqual(['first', ...texts])
        expect(interner.count).toBe(texts.length + 1)
        expect(interner.hasNewlines).toBe(texts.some((text) => text.includes('\n')))
        const bytes = Buffer.from(['first', ...texts].map((text) => `${text}\n`).join(''))
        expect(interner.bytes.subarray(0, interner.offsets[interner.count])).toEqual(bytes)
        expect(first).toBe(0)
      }),
    )
  })

  it('appends many entries and long ones, in room of its texts alone', () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => (i % 1_000 === 0 ? 'z'.repeat(100_000 + i) : `text ${i % 7}`))
    const interner = new Interner()
    const emptyBytes = interner.byteLength - interner.offsets.byteLength - interner.bytes.byteLength
    for (const text of texts) append(interner, text)
    expect(entries(interner)).toEqual(texts)
    expect(interner.byteLength - interner.offsets.byteLength - interner.bytes.byteLength).toBe(emptyBytes)
  })
})

it('an interner takes bytes that are not UTF-8', () => {
  const interner = new Interner()
  expect(internAll(interner, [Buffer.of(0xff), Buffer.of(0xfe), Buffer.of(0xff)])).toEqual([0, 1, 0])
})

it('what was taken of an interner stays readable when it grows', () => {
  const interner = new Interner()
  internAll(interner, ['first', 'second'])
  const { bytes, offsets } = interner
  const more = Array.from({ length: 1000 }, (_, i) => `${i}`)
  internAll(interner, more)
  for (const text of more) append(interner, text)
  expect(bytes.subarray(offsets[1]!, offsets[2]! - 1).toString()).toBe('second')
})
