import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../src/base/memory/byte-reader.js'
import { ByteWriter, bytesOfCount } from '../../../src/base/memory/byte-writer.js'

const count = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 32, 2 ** 53 - 1, 2 ** 53),
)

describe('bytes that are written', () => {
  it('are read back in order, whatever their sizes', () => {
    const piece = fc.record({
      byte: fc.nat(255),
      count,
      uint: fc.nat(2 ** 32 - 1),
      double: fc.double(),
      doubles: fc.float64Array({ maxLength: 40 }),
      bytes: fc.uint8Array({ maxLength: 400 }),
    })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const out = new ByteWriter()
        for (const { byte, count, uint, double, doubles, bytes } of pieces) {
          out.addByte(byte)
          out.addCount(count)
          out.addUint32(uint)
          out.addDouble(double)
          out.addDoubles(doubles)
          out.addSized(bytes)
        }
        const reader = new ByteReader(out.copy())
        const read = pieces.map(({ doubles }) => ({
          byte: reader.readByte(),
          count: reader.readCount(),
          uint: reader.readUint32(),
          double: reader.readDouble(),
          doubles: reader.readDoubles(doubles.length),
          bytes: Uint8Array.from(reader.readSized()),
        }))
        expect(read).toEqual(pieces)
        expect(reader.isAtEnd).toBe(true)
      }),
    )
  })

  it('take as many bytes for a count as is said', () => {
    fc.assert(
      fc.property(count, (count) => {
        const out = new ByteWriter()
        out.addCount(count)
        expect(out.length).toBe(bytesOfCount(count))
      }),
    )
  })

  it('can be removed, and a copy stays as it was', () => {
    const out = new ByteWriter()
    out.addByte(1)
    const copy = out.copy()
    out.clear()
    out.addByte(2)
    expect([...copy, ...out.view]).toEqual([1, 2])
  })

  it('are an error where they end too early', () => {
    const out = new ByteWriter()
    out.addCount(300)
    out.addDouble(1)
    for (let length = 0; length < out.length; length++) {
      const reader = new ByteReader(out.copy().subarray(0, length))
      expect(() => [reader.readCount(), reader.readDouble()]).toThrow(RangeError)
    }
    expect(() => new ByteReader(Buffer.of(5, 1)).readSized()).toThrow('5 bytes at 1 of 2')
  })
})
