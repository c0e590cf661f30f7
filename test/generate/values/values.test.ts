import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRandom, logNormal, oneIn } from '../../../src/generate/values/random.js'
import { TemplateWriter } from '../../../src/generate/values/template-writer.js'
import { hex16, ipv4, uuidText } from '../../../src/generate/values/text.js'
import { createTimeFormatter } from '../../../src/generate/values/times.js'

const outOf = (write: (out: TemplateWriter) => void) => {
  const out = new TemplateWriter(createRandom(1))
  write(out)
  return out.take().toString()
}

it('writes text and numbers as a string template would', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.oneof(fc.integer(), fc.nat(), fc.double()),
      (text, number) => {
        expect(outOf((out) => out.put`a${text}\u00e9${number}\n`)).toBe(`a${text}\u00e9${number}\n`)
      },
    ),
  )
})

it('writes letters beyond ASCII as UTF-8, wherever they stand', () => {
  for (const text of ['Z\u00fcrich', '\u00ff', 'a\u2713', '\u6771\u4eac', '\ud83d\ude00!']) {
    expect(outOf((out) => out.put`<${text}>`)).toBe(`<${text}>`)
  }
})

it('writes a piece that writes itself, the same each time', () => {
  const ray = hex16(createRandom(3))
  const [left, right] = outOf((out) => out.put`${ray}|${ray}`).split('|')
  expect(left).toMatch(/^[0-9a-f]{16}$/)
  expect(right).toBe(left)
})

it('hands out a chunk once it is full, and starts anew', () => {
  const out = new TemplateWriter(createRandom(1))
  const fill = () => {
    for (let lines = 1; ; lines++) {
      out.put`${'x'.repeat(999)}\n`
      const chunk = out.takeIfFull()
      if (chunk !== undefined) return { lines, bytes: chunk.length }
    }
  }
  expect(fill()).toEqual({ lines: 263, bytes: 263_000 })
  expect(fill()).toEqual({ lines: 263, bytes: 263_000 })
  expect(out.take()).toHaveLength(0)
})

it('spells times like Date does, with microseconds', () => {
  const time = createTimeFormatter()
  fc.assert(
    fc.property(fc.nat(4e15), (timestampUs) => {
      const date = new Date(Math.floor(timestampUs / 1000))
      const micros = String(timestampUs % 1000).padStart(3, '0')
      expect(time.iso(timestampUs)).toBe(date.toISOString().replace('Z', `${micros}Z`))
      expect(time.http(timestampUs)).toBe(date.toUTCString())
    }),
  )
})

it('makes addresses and UUIDs of the right form', () => {
  const random = createRandom(2)
  for (let i = 0; i < 1_000; i++) {
    const parts = outOf((out) => out.put`${ipv4(random)}`)
      .split('.')
      .map(Number)
    expect(parts).toHaveLength(4)
    expect(parts.every((part) => part >= 0 && part < 256)).toBe(true)
    expect(uuidText(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})

it('draws evenly, and log-normally around the median', () => {
  const random = createRandom(4)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 100_000; i++) counts[random.below(10)]!++
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(600)
  const values = Array.from({ length: 20_001 }, () => logNormal(random, 48, 1.1)).sort((a, b) => a - b)
  expect(values[10_000]! / 48).toBeCloseTo(1, 1)
  expect(Array.from({ length: 10_000 }, () => oneIn(random, 4)).filter(Boolean).length / 10_000).toBeCloseTo(0.25, 1)
})
