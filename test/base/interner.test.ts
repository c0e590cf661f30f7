import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Interner } from '../../src/base/interner.js'

function textOf({ bytes, offsets }: Interner, code: number): string {
  return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString('latin1')
}

function intern(interner: Interner, text: string): number {
  const bytes = Buffer.from(`x${text}y`, 'latin1')
  return interner.intern(bytes, 1, bytes.length - 1)
}

function find(interner: Interner, text: string): number {
  const bytes = Buffer.from(text, 'latin1')
  return interner.find(bytes, 0, bytes.length)
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
        const interner = new Interner(0)
        const model = new Map<string, number>()
        for (const value of texts) {
          expect(find(interner, value)).toBe(model.get(value) ?? -1)
          if (!model.has(value)) model.set(value, model.size)
          expect(intern(interner, value)).toBe(model.get(value))
        }
        expect(interner.count).toBe(model.size)
        for (const [value, code] of model) expect(textOf(interner, code)).toBe(value)
      },
    ),
  )
})

it('keeps thousands apart, long ones too, and forgets them', () => {
  const interner = new Interner(0)
  const texts = Array.from({ length: 5000 }, (_, i) => `${i}${'x'.repeat(i % 97)}`)
  expect(texts.map((text) => intern(interner, text))).toEqual(texts.map((_, i) => i))
  expect(texts.map((text) => find(interner, text))).toEqual(texts.map((_, i) => i))
  interner.clear()
  expect([interner.count, find(interner, '7')]).toEqual([0, -1])
  expect(intern(interner, 'fresh')).toBe(0)
  expect(textOf(interner, 0)).toBe('fresh')
})
