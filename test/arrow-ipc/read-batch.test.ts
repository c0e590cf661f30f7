import { CompressionType, Message, RecordBatchReader } from 'apache-arrow'
import { BodyCompression } from 'apache-arrow/ipc/metadata/message'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchMessage, END_OF_STREAM, framed } from '../../src/arrow-ipc/message.js'
import { type ColumnView, readBatch } from '../../src/arrow-ipc/read-batch.js'
import { batchSchema } from '../../src/common/columns.js'
import { decodeBatch } from '../../src/engine/execute/open-batch/append-batch.js'
import { arbitraryRecords } from '../engine/store/files/segments.js'
import { toBatch } from '../support/batch.js'
import { edge } from '../support/records.js'

const hexOf = ({ buffer, byteOffset }: ArrayBufferView, bytes: number) =>
  Buffer.from(buffer, byteOffset, bytes).toString('hex')

/** Returns the contents of a column as plain values, bit by bit. */
function contentsOf({ nullCount, nullBitmap, values, valueOffsets, dictionary }: ColumnView, rows: number): unknown {
  const nulls = nullCount > 0 ? hexOf(nullBitmap, (rows + 7) >> 3) : ''
  if (valueOffsets?.length > 0) {
    return { nulls, ends: [...valueOffsets.subarray(0, rows + 1)], texts: hexOf(values, valueOffsets[rows]!) }
  }
  const bytes = values instanceof Uint32Array ? 8 : values.BYTES_PER_ELEMENT
  return { nulls, values: hexOf(values, bytes * rows), entries: dictionary && contentsOf(dictionary, dictionary.rows) }
}

describe('the columns of a batch that has arrived', () => {
  it('are those that apache-arrow finds, wherever the batch stands', () =>
    fc.assert(
      fc.property(arbitraryRecords, fc.nat(9), (records, shift) => {
        const batch = toBatch(records[0]!.source, records)
        const ipc = Buffer.concat([Buffer.alloc(shift), batch.ipc]).subarray(shift)
        const columns = readBatch({ ...batch, ipc })!
        const [decoded] = [...RecordBatchReader.from(batch.ipc)]
        const expected = decoded!.schema.fields.map(({ name }, i) => {
          const { nullCount, nullBitmap, values, valueOffsets, dictionary } = decoded!.data.children[i]!
          const entries = dictionary && {
            ...(contentsOf({ ...dictionary.data[0]! } as never, dictionary.length) as object),
          }
          const { buffer, byteOffset } = values
          // Times are words, and sets of bits integers.
          const isBits = values instanceof Uint32Array
          const words = isBits ? new Int32Array(buffer, byteOffset) : new Uint32Array(buffer, byteOffset)
          const plain = isBits || values instanceof BigInt64Array ? words : values
          const column = contentsOf(
            { nullCount, nullBitmap, values: plain, valueOffsets } as never,
            batch.rows,
          ) as object
          return [name, { ...column, ...(entries && { entries }) }]
        })
        const actual = [...columns].map(([name, column]) => [name, contentsOf(column, batch.rows)])
        expect(actual).toEqual(expected)
      }),
      { numRuns: 200 },
    ))

  it('follow the schema that stands in the batch, also where the one before had another', () => {
    const now = toBatch('edge_logs', [edge()])
    const other = { ...now, ipc: toBatch('auth_logs', [{ ...edge(), source: 'auth_logs' }]).ipc }
    for (const [batch, names] of [
      [now, batchSchema('edge_logs').names],
      [other, batchSchema('auth_logs').names],
      [now, batchSchema('edge_logs').names],
    ] as const) {
      expect([...readBatch(batch)!.keys()]).toEqual(names)
    }
  })

  it('are refused where it is no record batch of so many rows', () => {
    const batch = toBatch('edge_logs', [edge(), edge()])
    const schema = framed(Message.from(batchSchema('edge_logs')))
    const compressed = batchMessage(2, [], [], 0, { compression: new BodyCompression(CompressionType.ZSTD) })
    const plain = batchMessage(2, [], [], 0)
    for (const ipc of [
      new Uint8Array(0),
      END_OF_STREAM,
      schema,
      Buffer.concat([schema, END_OF_STREAM, batch.ipc]),
      Buffer.concat([plain, END_OF_STREAM]),
      Buffer.concat([schema, compressed, END_OF_STREAM]),
    ]) {
      expect(readBatch({ ...batch, ipc })).toBeUndefined()
      expect(() => decodeBatch({ ...batch, ipc })).toThrow(
        new TypeError('A batch of edge_logs must be one record batch of 2 rows.'),
      )
    }
    expect(readBatch({ ...batch, rows: 3 })).toBeUndefined()
  })
})
