import { expect, it } from 'vitest'
import { createFramePieces } from '../../../src/base/compression/frame-pieces.js'
import { createZstdStream } from '../../../src/base/compression/wasm-zstd.js'
import { KIB, MIB } from '../../../src/base/units.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { compressFrame } from '../../support/zstd-frames.js'

/** `zstd --check` of three lines: a frame that ends with a checksum. */
const CHECKED = Buffer.from('KLUv/SRYFQEAyHsiYSI6MSwidCI6IngifQp7ImEiOjIzfQoCAJYqDxB8AfhPUYY=', 'base64')
const LONG = 'x'.repeat(25)
const CHECKED_TEXT = `{"a":1,"t":"${LONG}"}\n{"a":2,"t":"${LONG}"}\n{"a":3}\n`

/** A frame of other data, of one of 16 numbers. */
function skippable(number: number, bytes: number): Buffer {
  const frame = Buffer.alloc(8 + bytes, 0x28)
  frame.writeUInt32LE(0x184d2a50 + number, 0)
  frame.writeUInt32LE(bytes, 4)
  return frame
}

/** Decompresses chunks piece by piece. */
async function contentOf(chunks: readonly Uint8Array[]) {
  const [stream, frames] = [await createZstdStream(), createFramePieces()]
  const parts = chunks.flatMap((chunk) => Array.from(frames.push(chunk), (piece) => stream.push(piece)))
  return { content: Buffer.concat(parts), isWhole: frames.isWhole(), at: frames.at() }
}

const textOf = async (chunks: readonly Uint8Array[]) => (await contentOf(chunks)).content.toString()

it('has the content of frames, skippable frames and empty frames, in chunks cut at every byte', async () => {
  const parts = [
    skippable(3, 5),
    CHECKED,
    skippable(0, 0),
    compressFrame(Buffer.from('b\n')),
    CHECKED,
    skippable(15, 1),
  ]
  const all = Buffer.concat([...parts, compressFrame(new Uint8Array(0))])
  const expected = { content: Buffer.from(`${CHECKED_TEXT}b\n${CHECKED_TEXT}`), isWhole: true, at: all.length }
  for (let cut = 0; cut <= all.length; cut++)
    expect(await contentOf([all.subarray(0, cut), all.subarray(cut)]), `cut at ${cut}`).toEqual(expected)
  expect(await contentOf([...all].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
})

it('knows at which bytes a frame has ended', async () => {
  const all = Buffer.concat([CHECKED, skippable(1, 4), CHECKED])
  const ends = [0, CHECKED.length, CHECKED.length + 12, all.length]
  for (let cut = 0; cut <= all.length; cut++) {
    const frames = createFramePieces()
    for (const { bytes } of frames.push(all.subarray(0, cut))) expect(bytes.length).toBeGreaterThan(0)
    expect([cut, frames.isWhole()]).toEqual([cut, ends.includes(cut)])
    expect(frames.at()).toBeLessThanOrEqual(cut)
  }
})

it('has the content of random frames in random chunks', async () => {
  const seed = testSeed()
  for (let run = 0; run < runs(100); run++) {
    const random = mulberry32(seed + run)
    const content = () => {
      const words = Array.from({ length: 1 + below(random, 200) }, () => `${random()}`.slice(0, 1 + below(random, 18)))
      const repeats = below(random, oneOf(random, [2, 50, 4_000]))
      return Buffer.from(words.join('').repeat(repeats))
    }
    const contents = Array.from({ length: 1 + below(random, 4) }, content)
    const all = Buffer.concat(
      contents.flatMap((one) => [compressFrame(one), skippable(below(random, 16), below(random, 9))]),
    )
    const chunks: Buffer[] = []
    for (let at = 0; at < all.length; at += chunks.at(-1)!.length)
      chunks.push(all.subarray(at, at + 1 + below(random, oneOf(random, [10, 3_000, MIB]))))
    const { content: found, isWhole } = await contentOf(chunks)
    expect([found.equals(Buffer.concat(contents)), isWhole], `seed ${seed + run}`).toEqual([true, true])
  }
})

it('has pieces with at most 128 KiB of content', async () => {
  const [stream, frames] = [await createZstdStream(), createFramePieces()]
  const content = Buffer.alloc(3 * MIB, 'ab')
  const parts = Array.from(frames.push(compressFrame(content)), (piece) => stream.push(piece))
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(128 * KIB)
  expect(Buffer.concat(parts).equals(content)).toBe(true)
})

it('never has other content than that of a frame with a checksum, whichever bit is wrong', async () => {
  for (let bit = 0; bit < CHECKED.length * 8; bit++) {
    const damaged = Buffer.from(CHECKED)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    const outcome = await contentOf([damaged]).catch((error: Error) => error.message)
    const isTold = typeof outcome === 'string' || !outcome.isWhole
    if (!isTold) expect(outcome.content.toString(), `bit ${bit}`).toBe(CHECKED_TEXT)
  }
})

it.each([
  ['text', Buffer.from('{"a":1}\n')],
  ['another frame', Buffer.from([0x1f, 0x8b, 8, 0])],
  ['zeros', Buffer.alloc(4)],
])('refuses %s behind a frame', async (_, bytes) => {
  await expect(contentOf([CHECKED, bytes])).rejects.toThrow('no zstd frame begins here')
  expect(await textOf([CHECKED])).toBe(CHECKED_TEXT)
})
