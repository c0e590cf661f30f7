import { describe, expect, it } from 'vitest'
import {
  BUFFER_ROOM_BYTES,
  compressBound,
  contentBytes,
  fromBuffer,
  toBuffer,
  writeBuffer,
} from '../../../../src/engine/arrow/storage/zstd.js'
import { noPause } from '../support.js'

const written = (content: Uint8Array) => {
  const target = Buffer.alloc(compressBound(content.length) + BUFFER_ROOM_BYTES)
  return target.subarray(0, writeBuffer(target, content))
}

const text = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, i) => 97 + ((i * i) % 23)))

describe('a compressed buffer', () => {
  it.each([0, 1, 2, 100, 70_000, 2 ** 20, 2 ** 20 + 1, 3_000_000])('gives back its %d bytes', async (bytes) => {
    for (const buffer of [written(text(bytes)), await toBuffer(text(bytes), noPause)]) {
      expect(contentBytes(buffer)).toBe(bytes)
      expect(fromBuffer(buffer).equals(text(bytes))).toBe(true)
      expect(buffer.length).toBeLessThan(100 + bytes)
    }
  })

  it('lets others have a turn while it is made', async () => {
    let pauses = 0
    await toBuffer(text(3_500_000), () => void pauses++)
    expect(pauses).toBeGreaterThanOrEqual(4)
  })
})
