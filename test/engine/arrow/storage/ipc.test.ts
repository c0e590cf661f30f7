import { BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchMessage, createMessageWriter } from '../../../../src/engine/arrow/storage/ipc.js'

describe('the messages of batches that are alike', () => {
  it('are, byte by byte, what encoding each of them gives', () => {
    const { bytes, write } = createMessageWriter(2, 5)
    const number = fc.oneof(fc.maxSafeNat(), fc.nat(1000))
    const region = fc.record({ offset: number, length: number })
    const regions = fc.array(region, { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), regions, fc.integer({ min: 1 }), (rows, buffers, bodyBytes) => {
        const target = Buffer.alloc(bytes, 0xff)
        write(target, rows, buffers, bodyBytes)
        const nodes = [new FieldNode(rows, 0), new FieldNode(rows, 0)]
        const encoded = buffers.map(({ offset, length }) => new BufferRegion(offset, length))
        expect(target.equals(batchMessage(rows, nodes, encoded, bodyBytes))).toBe(true)
      }),
    )
  })
})
