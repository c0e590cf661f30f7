import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { compressBound } from '../../../../src/base/compression/zstd-engine.js'
import { KIB } from '../../../../src/base/units.js'
import {
  BUFFER_ROOM_BYTES,
  type Codec,
  contentBytes,
  fromBuffer,
  startOfBuffer,
  toBuffer,
  writeBuffer,
} from '../../../../src/engine/store/segment/zstd.js'
import { noYield } from '../support.js'

const written = (content: Uint8Array, codec: Codec) => {
  const target = Buffer.alloc(compressBound(content.length) + BUFFER_ROOM_BYTES)
  return target.subarray(0, writeBuffer(target, content, codec))
}

function text(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  for (let i = 0; i < bytes; i++) content[i] = 97 + ((i * i) % 23)
  return content
}

/** Microseconds of a day, about ascending, as 64-bit integers: neighbours share their upper bytes. */
function times(count: number): Buffer {
  const microseconds = (i: number) => Math.floor((i * 86e9) / count) + ((i * 7_919_317) % 1e7)
  return Buffer.from(
    BigInt64Array.from({ length: count }, (_, i) => 1_795_000_000_000_000n + BigInt(microseconds(i))).buffer,
  )
}

describe('a compressed buffer', () => {
  it.each([0, 1, 2, 100, 70_000, 2 ** 20, 2 ** 20 + 1, 3_000_000])('gives back its %d bytes', async (bytes) => {
    const content = text(bytes)
    const codecs: Codec[] = ['texts', 'numbers', 'smallTexts', 'smallOffsets']
    const buffers = codecs.map((codec) => [written(content, codec), toBuffer(content, codec, noYield)])
    for (const buffer of await Promise.all(buffers.flat())) {
      expect(contentBytes(buffer)).toBe(bytes)
      expect(fromBuffer(buffer).equals(content)).toBe(true)
      expect(buffer.length).toBeLessThan(100 + bytes)
    }
  })

  it.each([1000, 200_000])('of %d numbers is smaller where it is made as one of numbers', async (count) => {
    const bytesOf = async (codec: Codec) => (await toBuffer(times(count), codec, noYield)).length
    expect(await bytesOf('numbers')).toBeLessThan(0.85 * (await bytesOf('texts')))
  })

  it('gives back its first bytes, whatever was read before, and all where zstd makes these at once', () => {
    const content = text(470_000)
    const buffer = written(content, 'texts')
    const lastBlockAt = 3 * 128 * KIB
    for (const bytes of [1, 470_000, 131_072, 0, 131_073, 469_999, 17, lastBlockAt, lastBlockAt + 1]) {
      const start = startOfBuffer(buffer, bytes)
      expect(start).toHaveLength(bytes > lastBlockAt ? 470_000 : bytes)
      expect(start.equals(content.subarray(0, start.length))).toBe(true)
      expect(fromBuffer(buffer).equals(content)).toBe(true)
    }
    expect(startOfBuffer(Buffer.alloc(0), 0)).toHaveLength(0)
  })

  it('that is cut gives what is there, and says where that is not all', () => {
    const noise = randomBytes(300_000)
    const buffer = written(noise, 'texts')
    const cut = buffer.subarray(0, buffer.length / 2)
    expect(startOfBuffer(cut, 1000).equals(noise.subarray(0, 1000))).toBe(true)
    expect(() => startOfBuffer(cut, 200_000)).toThrow('ends too early')
    expect(() => startOfBuffer(cut, 300_000)).toThrow()
    expect(() => fromBuffer(cut)).toThrow()
  })

  it.each([-1, 1, 100, 200_000])('is an error if its length is wrong by %d', (difference) => {
    const content = text(300_000)
    const buffer = Buffer.from(written(content, 'texts'))
    buffer.writeUInt32LE(content.length + difference)
    expect(() => fromBuffer(buffer)).toThrow()
  })

  it('lets others have a turn while it is made', async () => {
    let pauses = 0
    await toBuffer(text(3_500_000), 'texts', () => void pauses++)
    expect(pauses).toBeGreaterThanOrEqual(4)
  })
})
