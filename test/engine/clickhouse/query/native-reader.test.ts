import { describe, expect, it } from 'vitest'
import { type NativeColumn, readNative, reversedBlock } from '../../../../src/engine/clickhouse/query/native-reader.js'
import { nativeBlock, nativeInt64, nativeNullableFloat64, nativeText } from '../../../clickhouse/native.js'

const TEXTS = ['', 'é😀', 'x'.repeat(300), '\0']
const BLOCK = nativeBlock(
  [
    { name: 'time', type: 'Int64', data: nativeInt64([1n, -1n, 2n ** 40n, 0n]) },
    { name: 'number', type: 'Nullable(Float64)', data: nativeNullableFloat64([1.5, null, -0, null]) },
    { name: 'text', type: 'String', data: Buffer.concat(TEXTS.map(nativeText)) },
    { name: 'flags', type: 'UInt8', data: Buffer.from([1, 2, 3, 255]) },
  ],
  4,
)

const textsOf = ({ values, valueOffsets }: NativeColumn) =>
  [...valueOffsets.slice(1)].map((end, row) =>
    Buffer.from((values as Buffer).subarray(valueOffsets[row], end)).toString(),
  )

describe('reading the Native format', () => {
  it('returns the columns of each block', () => {
    const blocks = [...readNative(Buffer.concat([BLOCK, nativeBlock([], 0), BLOCK]))]
    expect(blocks.map(({ rows }) => rows)).toEqual([4, 0, 4])
    const { columns } = blocks[2]!
    const times = columns.get('time')!.values as Uint32Array
    expect([...new BigInt64Array(times.buffer)]).toEqual([1n, -1n, 2n ** 40n, 0n])
    expect(columns.get('number')).toMatchObject({ nullCount: 2, nullBitmap: Uint8Array.of(0b0101) })
    expect([...columns.get('number')!.values]).toEqual([1.5, 0, -0, 0])
    expect(textsOf(columns.get('text')!)).toEqual(TEXTS)
    expect([...columns.get('flags')!.values]).toEqual([1, 2, 3, 255])
  })

  it('returns them from the last to the first', () => {
    const [block] = [...readNative(BLOCK)].map(reversedBlock)
    const { columns } = block!
    const times = columns.get('time')!.values as Uint32Array
    expect([...new BigInt64Array(times.buffer)]).toEqual([0n, 2n ** 40n, -1n, 1n])
    expect(columns.get('number')).toMatchObject({ nullCount: 2, nullBitmap: Uint8Array.of(0b1010) })
    expect([...columns.get('number')!.values]).toEqual([0, -0, 0, 1.5])
    expect(textsOf(columns.get('text')!)).toEqual(TEXTS.toReversed())
    expect([...columns.get('flags')!.values]).toEqual([255, 3, 2, 1])
  })

  it('refuses an answer that ends too early, wherever', () => {
    for (let length = 1; length < BLOCK.length; length++) {
      expect(() => [...readNative(BLOCK.subarray(0, length))], `${length} bytes`).toThrow(RangeError)
    }
  })

  it('refuses a type that no query selects', () => {
    const block = nativeBlock([{ name: 'a', type: 'Array(String)', data: Buffer.alloc(8) }], 1)
    expect(() => [...readNative(block)]).toThrow('Cannot read a column of the type Array(String).')
  })
})
