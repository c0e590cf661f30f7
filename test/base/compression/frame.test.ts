import { expect, it } from 'vitest'
import { addContentSize, endOfBlocks } from '../../../src/base/compression/frame.js'

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
/** A header with a content size of 4 bytes, in a single segment. */
const HEADER = [...MAGIC, 0xa0, 0, 0, 0, 0]

const block = (type: number, size: number, content: number, isLast = 0) => {
  const header = isLast | (type << 1) | (size << 3)
  return [header & 255, (header >>> 8) & 255, header >>> 16, ...new Array<number>(content).fill(7)]
}

it('finds the ends of blocks: as they are, of a repeated byte, compressed', () => {
  const blocks = [block(0, 10, 10), block(1, 100_000, 1), block(2, 300, 300), block(0, 5, 5, 1)]
  const frame = Uint8Array.from([...HEADER, ...blocks.flat()])
  expect([0, 1, 2, 3].map((count) => endOfBlocks(frame, count))).toEqual([9, 22, 26, 329])
  // Whatever follows the last block is read as well: it is an error.
  expect([4, 5].map((count) => endOfBlocks(Uint8Array.from([...frame, 1, 2, 3]), count))).toEqual([340, 340])
  for (const cut of [0, 3, 8, 10, 15, 23]) expect(endOfBlocks(frame.subarray(0, cut), 3)).toBe(cut)
})

it.each([
  [0x00, 6],
  [0x20, 6],
  [0x40, 8],
  [0x60, 7],
  [0x83, 14],
  [0xa1, 10],
  [0xc2, 16],
  [0xe0, 13],
])('knows the length of a header with the descriptor %d', (descriptor, bytes) => {
  const frame = Uint8Array.from([...MAGIC, descriptor, ...new Array<number>(30).fill(0)])
  expect(endOfBlocks(frame, 0)).toBe(bytes)
})

it('adds the size of the content to a stream, and to no frame that has it', () => {
  const stream = [...MAGIC, 0x00, 0x48, ...block(0, 2, 2, 1)]
  const target = Buffer.from([...stream, 0, 0, 0, 0])
  expect(addContentSize(target, stream.length, 0x01020304)).toBe(target.length)
  expect([...target]).toEqual([...MAGIC, 0x80, 0x48, 4, 3, 2, 1, ...block(0, 2, 2, 1)])
  expect(() => addContentSize(Buffer.from([...HEADER, 0, 0, 0, 0]), 9, 1)).toThrow('has a content size')
})
