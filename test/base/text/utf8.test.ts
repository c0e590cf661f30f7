import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../src/base/text/utf8.js'

describe('decodeUtf8', () => {
  it('decodes any bytes as a Buffer does, those of a buffer that grows too', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const growing = new Uint8Array(new ArrayBuffer(bytes.length, { maxByteLength: 100 }))
        growing.set(bytes)
        expect([decodeUtf8(bytes), decodeUtf8(growing)]).toEqual(Array(2).fill(Buffer.from(bytes).toString()))
      }),
    )
  })

  it('keeps a byte order mark, which is part of a stored text', () => {
    expect(decodeUtf8(Buffer.from('\ufeffa'))).toBe('\ufeffa')
  })
})
