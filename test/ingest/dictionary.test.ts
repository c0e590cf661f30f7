import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Dictionary } from '../../src/ingest/dictionary.js'

function textOf({ values, offsets }: Dictionary, code: number): string {
  return Buffer.from(values.subarray(offsets[code], offsets[code + 1])).toString('latin1')
}

function intern(dictionary: Dictionary, text: string): number {
  const bytes = Buffer.from(`x${text}y`, 'latin1')
  return dictionary.intern(bytes, 1, bytes.length - 1)
}

function find(dictionary: Dictionary, text: string): number {
  const bytes = Buffer.from(text, 'latin1')
  return dictionary.find(bytes, 0, bytes.length)
}

it('gives codes as a Map would, in the order of first sight', () => {
  const text = fc.oneof(fc.constantFrom('', '__proto__', 'constructor', 'a', 'b'), fc.string({ maxLength: 3 }))
  fc.assert(
    fc.property(
      fc.array(
        text.map((t) => Buffer.from(t).toString('latin1')),
        { maxLength: 300 },
      ),
      (texts) => {
        const dictionary = new Dictionary()
        const model = new Map<string, number>()
        for (const value of texts) {
          expect(find(dictionary, value)).toBe(model.get(value) ?? -1)
          if (!model.has(value)) model.set(value, model.size)
          expect(intern(dictionary, value)).toBe(model.get(value))
        }
        expect(dictionary.size).toBe(model.size)
        for (const [value, code] of model) expect(textOf(dictionary, code)).toBe(value)
      },
    ),
  )
})

it('keeps thousands apart, long ones too, and forgets them', () => {
  const dictionary = new Dictionary()
  const texts = Array.from({ length: 5000 }, (_, i) => `${i}${'x'.repeat(i % 97)}`)
  expect(texts.map((text) => intern(dictionary, text))).toEqual(texts.map((_, i) => i))
  expect(texts.map((text) => find(dictionary, text))).toEqual(texts.map((_, i) => i))
  dictionary.clear()
  expect([dictionary.size, find(dictionary, '7')]).toEqual([0, -1])
  expect(intern(dictionary, 'fresh')).toBe(0)
  expect(textOf(dictionary, 0)).toBe('fresh')
})
