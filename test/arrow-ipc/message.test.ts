import { CompressionType } from 'apache-arrow'
import { BodyCompression, BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchMessage, createMessageWriter } from '../../src/arrow-ipc/message.js'

const COLUMNS = 2
const BUFFERS = 5

describe('the messages of batches that are alike', () => {
  it.each([
    ['plain', {}],
    ['compressed', { compression: new BodyCompression(CompressionType.ZSTD) }],
    ['of a dictionary', { dictionaryId: 3 }],
    ['of the first dictionary', { dictionaryId: 0 }],
  ])('are, byte by byte, what encoding each of them gives: %s', (_, kind) => {
    const { bytes, write } = createMessageWriter(COLUMNS, BUFFERS, kind)
    const number = fc.oneof(fc.maxSafeNat(), fc.nat(1000))
    const rows = fc.integer({ min: 1, max: 2 ** 40 })
    const regions = fc.array(fc.record({ offset: number, length: number }), { minLength: BUFFERS, maxLength: BUFFERS })
    const nulls = fc.option(fc.array(number, { minLength: COLUMNS, maxLength: COLUMNS }), { nil: undefined })
    fc.assert(
      fc.property(rows, regions, fc.integer({ min: 1 }), nulls, (rows, buffers, bodyBytes, nulls) => {
        const target = Buffer.alloc(bytes, 0xff)
        write(target, rows, buffers, bodyBytes, nulls)
        const nodes = Array.from({ length: COLUMNS }, (_, i) => new FieldNode(rows, nulls?.[i] ?? 0))
        const encoded = buffers.map(({ offset, length }) => new BufferRegion(offset, length))
        expect(target.equals(batchMessage(rows, nodes, encoded, bodyBytes, kind))).toBe(true)
      }),
    )
  })
})
