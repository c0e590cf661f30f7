import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KIB } from '../../../src/base/units.js'
import { createRejectEntries } from '../../../src/ingest/thread/reject-entries.js'
import { runs } from '../../support/runs.js'

/** Encodes lines as entries of invalid JSON, and returns the emitted chunks with the last chunk. */
function encode(lines: readonly Uint8Array[], maxEntryBytes: number): Buffer[] {
  const chunks: Buffer[] = []
  const collect = (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  const entries = createRejectEntries(maxEntryBytes, false, collect)
  for (const [i, bytes] of lines.entries()) entries.add(i + 1, 'invalid_json', bytes, 0, bytes.length)
  collect(entries.take())
  return chunks
}

/** Returns the entry of a line by the means of Node. */
function entryOf(bytes: Uint8Array, line: number): string {
  const buffer = Buffer.from(bytes)
  const content = isUtf8(buffer) ? { text: buffer.toString() } : { base64: buffer.toString('base64') }
  return `${JSON.stringify({ line, reason: 'invalid_json', ...content })}\n`
}

const lineBytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\0', '\x1f', '\x7f', '\u2028', 'é', 'a') }).map(Buffer.from),
)

describe('entries of rejects', () => {
  it('are what JSON.stringify writes, in whole chunks within the limit', () => {
    fc.assert(
      fc.property(fc.array(lineBytes, { maxLength: 50 }), (lines) => {
        const chunks = encode(lines, 1000)
        expect(Buffer.concat(chunks).toString()).toBe(lines.map((bytes, i) => entryOf(bytes, i + 1)).join(''))
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(1000)
        for (const chunk of chunks) expect(chunk.length === 0 || chunk.at(-1) === 0x0a).toBe(true)
      }),
      { numRuns: runs(2_000) },
    )
  })

  it('have any line number and any length', () => {
    const long = Buffer.alloc(2_000 * KIB, '\x01')
    const lines = [Buffer.from('a'), long, Buffer.from('b'), ...Array(20_000).fill(Buffer.from('c'))]
    const chunks = encode(lines, 100_000 * KIB)
    expect(Buffer.concat(chunks).toString() === lines.map((line, i) => entryOf(line, i + 1)).join('')).toBe(true)
    expect(chunks.length).toBeGreaterThan(4)
    const entries = createRejectEntries(1000, false, () => {})
    for (const line of [1, 9, 10, 99, 100, 2 ** 31, 2 ** 32, 123_456_789_012]) {
      entries.add(line, 'too_deep', Buffer.from(' x '), 1, 2)
      expect(Buffer.from(entries.take()).toString()).toBe(
        `${JSON.stringify({ line, reason: 'too_deep', text: 'x' })}\n`,
      )
    }
  })

  it('have lengths instead of texts where records are masked, none for a line of which only the head is known', () => {
    const entries = createRejectEntries(1000, true, () => {})
    const bytes = Buffer.from('{"password":"x"}')
    entries.add(1, 'invalid_field', bytes, 0, bytes.length)
    entries.add(2, 'line_too_long', bytes, 0, 5)
    expect(Buffer.from(entries.take()).toString()).toBe(
      '{"line":1,"reason":"invalid_field","length":16}\n{"line":2,"reason":"line_too_long","length":null}\n',
    )
  })
})
