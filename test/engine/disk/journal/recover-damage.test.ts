import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { encodeFrame, frameBytes } from '../../../../src/engine/disk/journal/frame.js'
import { createHeader, encodeHeader, FRAMES_START, HEADER_BYTES } from '../../../../src/engine/disk/journal/header.js'
import type { Damage } from '../../../../src/engine/disk/journal/recover.js'
import { createJournal } from '../../../../src/engine/disk/journal/writer.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { numberedBatch, recoverAll, told } from '../../../support/journal.js'
import { createModelFiles } from '../../../support/model-files.js'
import { below, mulberry32 } from '../../../support/random.js'
import { runs } from '../../../support/runs.js'

// Many small runs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const PATH = 'heads/7/journal'
const PAGE = 4096
const COPIES = [0, PAGE]
const FRAME_HEADER = 24
const WINDOWS = [64, PAGE, 1024 * 1024]
const random = mulberry32(4)
const garbage = (bytes: number) => Buffer.from(Array.from({ length: bytes }, () => below(random, 256)))

interface Frame {
  batch: IngestBatch
  start: number
  payloadEnd: number
  end: number
}

/** An undamaged journal, and the positions of the frames. */
interface Sample {
  bytes: Buffer
  marker: Uint8Array
  frames: Frame[]
}

async function sampleOf(batches: IngestBatch[]): Promise<Sample> {
  const files = createModelFiles()
  await files.makeDirectory('heads/7')
  const journal = createJournal(files, PATH, 'edge_logs')
  const frames: Frame[] = []
  for (const batch of batches) {
    await journal.append(batch)
    const start = journal.bytes - frameBytes(batch.ipc.length)
    frames.push({ batch, start, payloadEnd: start + 24 + batch.ipc.length, end: journal.bytes })
  }
  const bytes = files.peek(PATH)!
  return { bytes, marker: Uint8Array.from(bytes.subarray(8, 16)), frames }
}

async function recoverBytes(bytes: Buffer, windowBytes?: number) {
  const files = createModelFiles()
  files.put(PATH, bytes)
  return recoverAll(files, PATH, windowBytes)
}

/** Returns the expected result for a damaged file by comparison with the original file, without decoding. */
function expected(sample: Sample, after: Buffer) {
  const { bytes: before, frames } = sample

  const isSame = (start: number, end: number) => before.subarray(start, end).equals(after.subarray(start, end))
  const damaged = COPIES.filter((at) => !isSame(at, at + HEADER_BYTES))
  const stretches = damaged.map((at) => [at, at + HEADER_BYTES])
  const survivors = frames.filter(({ start, payloadEnd, end }) => end <= after.length && isSame(start, payloadEnd))
  if (after.length < FRAMES_START && isTornStart(sample, after)) {
    return { found: [], damage: [], torn: after.length > 0 ? [damageOf(0, after.length)] : [], length: 0 }
  }
  if ((damaged.length === COPIES.length && survivors.length === 0) || after.length < FRAMES_START) {
    return { found: [], damage: [damageOf(0, after.length)], torn: [], length: 0 }
  }
  let length = FRAMES_START
  for (const { start, end } of survivors) {
    stretches.push([length, start])
    length = end
  }
  const torn = isTornEnd(sample, after, length) ? [damageOf(length, after.length)] : []
  if (torn.length === 0) stretches.push([length, after.length])
  const damage = stretches.filter(([start, end]) => start !== end).map(([start, end]) => damageOf(start!, end!))
  return { found: survivors.map(({ batch }) => batch), damage, torn, length }
}

/**
 * Whether a kill in the first write leaves this: 64 bytes of the first copy, which start with the magic, then zeros.
 */
function isTornStart({ bytes }: Sample, after: Buffer): boolean {
  const known = after.length < HEADER_BYTES ? Math.min(after.length, 6) : after.length
  return bytes.subarray(0, known).equals(after.subarray(0, known))
}

/** Whether a kill in a write leaves this behind `length`: a part of the marker, or the header of a longer frame. */
function isTornEnd({ bytes, frames, marker }: Sample, after: Buffer, length: number): boolean {
  const tail = after.subarray(length)
  if (tail.length < FRAME_HEADER) {
    return tail.length > 0 && tail.subarray(0, 8).equals(marker.subarray(0, Math.min(8, tail.length)))
  }
  const frame = frames.find(({ start }) => start === length)
  if (frame === undefined || after.length >= frame.end) return false
  return tail.subarray(0, FRAME_HEADER).equals(bytes.subarray(length, length + FRAME_HEADER))
}

const damageOf = (offset: number, end: number): Damage => ({ path: PATH, offset, bytes: end - offset })

async function check(sample: Sample, after: Buffer, windowBytes?: number) {
  const { found, damage, torn, length, batches, rows, header, damaged } = await recoverBytes(after, windowBytes)
  const should = expected(sample, after)
  expect(told(found)).toEqual(told(should.found))
  expect({ damage, torn, length }).toEqual({ damage: should.damage, torn: should.torn, length: should.length })
  const isAtEnd = damage.length === 1 && damage[0]!.offset >= FRAMES_START && damage[0]!.offset === length
  expect(damaged).toBe(damage.length === 0 ? 'nowhere' : isAtEnd ? 'end' : 'inside')
  expect([batches, rows]).toEqual([found.length, found.reduce((sum, batch) => sum + batch.rows, 0)])
  expect(header === undefined).toBe(length === 0)
  return { found, damage }
}

const SIZES = [40, 5, 3000, 64, 9000, 17, 128, 1, 8, 4096, 77, 24]
const sample = await sampleOf(SIZES.map((bytes, i) => numberedBatch(i + 1, bytes, random)))
const { bytes: whole, frames, marker } = sample
const numbers = (batches: IngestBatch[]) => batches.map(({ rows }) => rows)
const all = numbers(frames.map(({ batch }) => batch))

/** Returns the file with other bytes at a position. */
function patched(at: number, bytes: Uint8Array): Buffer {
  const result = Buffer.alloc(Math.max(whole.length, at + bytes.length))
  whole.copy(result)
  result.set(bytes, at)
  return result
}
/** Returns the file with one changed byte. */
const changed = (at: number, file = whole) => {
  const result = Buffer.from(file)
  result[at]! ^= 1
  return result
}
const zeroed = (start: number, end: number) => patched(start, Buffer.alloc(end - start))
const number32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const part = (first: number, last: number) => whole.subarray(frames[first]!.start, frames[last]!.end)
/** Bytes of a journal that another head left on the disk, at the same positions. */
const stranger = encodeFrame(createHeader('edge_logs').marker, whole.length, frames[0]!.batch)
const endOf = (frame: number) => frames[frame]!.end
const startOf = (frame: number) => frames[frame]!.start

/** Each damage, the numbers (from 1) of the batches that are lost, and the number of stretches reported. */
const TABLE: [damage: string, bytes: Buffer, lost: number[] | 'all', stretches: number][] = [
  ['none', whole, [], 0],
  ['an empty file', Buffer.alloc(0), 'all', 0],
  ['a file of zeroes', Buffer.alloc(whole.length), 'all', 1],
  ['a file of nonsense', garbage(whole.length), 'all', 1],
  ['a file cut in its header', whole.subarray(0, FRAMES_START - 1), 'all', 0],
  ['a file cut in its header and changed', changed(70, whole.subarray(0, FRAMES_START - 1)), 'all', 1],
  ['a file cut behind its header', whole.subarray(0, FRAMES_START), 'all', 0],
  ['the first page zeroed', zeroed(0, PAGE), [], 1],
  ['the second page zeroed', zeroed(PAGE, 2 * PAGE), [1, 2, 3, 4, 5], 2],
  ['a page in the middle zeroed', zeroed(3 * PAGE, 4 * PAGE), [5], 1],
  ['the last page zeroed', zeroed(whole.length & -PAGE, whole.length), [10, 11, 12], 1],
  ['both headers damaged', Buffer.from(zeroed(0, 1).fill(0, PAGE, PAGE + 1)), [], 2],
  ['both headers zeroed', zeroed(0, FRAMES_START), [], 2],
  ['the first 8 KiB zeroed', zeroed(0, 2 * PAGE), [1, 2, 3, 4, 5], 3],
  ['the first 8 KiB of nonsense', patched(0, garbage(2 * PAGE)), [1, 2, 3, 4, 5], 3],
  ['all zeroed but the last frame', zeroed(0, startOf(11)), all.slice(0, -1), 3],
  ['both headers damaged, and a frame', changed(startOf(3) + 30, zeroed(0, FRAMES_START)), [4], 3],
  ['both headers damaged, and the last frame cut', zeroed(0, FRAMES_START).subarray(0, startOf(11) + 30), [12], 2],
  ['both headers of another file', patched(0, encodeHeader(createHeader('edge_logs'))), [], 2],
  ['one header damaged', patched(10, Uint8Array.of(whole[10]! ^ 4)), [], 1],
  ['the other header damaged', patched(PAGE + 63, Uint8Array.of(whole[PAGE + 63]! ^ 128)), [], 1],
  ['a length too large', patched(startOf(3) + 8, number32(72)), [4], 1],
  ['a length too small', patched(startOf(3) + 8, number32(56)), [4], 1],
  ['a length beyond the file', patched(startOf(3) + 8, number32(1 << 20)), [4], 1],
  ['a length beyond all bounds', patched(startOf(3) + 8, number32(0xffffffff)), [4], 1],
  ['a length of zero', patched(startOf(3) + 8, number32(0)), [4], 1],
  ['other rows', patched(startOf(3) + 12, number32(5)), [4], 1],
  ['a bad CRC of the payload', patched(startOf(3) + 16, number32(5)), [4], 1],
  ['a bad CRC of the header', patched(startOf(3) + 20, number32(5)), [4], 1],
  ['a bad marker', patched(startOf(3), number32(5)), [4], 1],
  ['a bad payload', patched(startOf(3) + 24, number32(5)), [4], 1],
  ['two bad frames side by side', changed(startOf(4), changed(startOf(3) + 30)), [4, 5], 1],
  ['two bad frames apart', changed(startOf(5), changed(startOf(3))), [4, 6], 2],
  ['a frame zeroed from its middle', zeroed(startOf(4) + 4000, endOf(4)), [5], 1],
  ['the last frame cut in its middle', whole.subarray(0, startOf(11) + 30), [12], 0],
  ['the last frame cut in its header', whole.subarray(0, startOf(11) + 10), [12], 0],
  [
    'the last frame cut, then zeroes',
    Buffer.concat([whole.subarray(0, startOf(11) + 30), Buffer.alloc(PAGE)]),
    [12],
    1,
  ],
  ['the last frame cut in its header, changed', changed(startOf(11) + 4, whole.subarray(0, startOf(11) + 10)), [12], 1],
  ['a frame over another', patched(startOf(2), part(3, 3)), [3], 1],
  ['frames over others of their size', patched(startOf(4), part(2, 2)), [5], 1],
  ['the last frames twice', Buffer.concat([whole, part(9, 11)]), [], 1],
  ['a tail of zeroes', Buffer.concat([whole, Buffer.alloc(10_000)]), [], 1],
  ['a tail of nonsense', Buffer.concat([whole, garbage(10_001)]), [], 1],
  ['a tail of one byte', Buffer.concat([whole, Uint8Array.of(marker[0]! ^ 4)]), [], 1],
  ['a tail of one byte of a marker', Buffer.concat([whole, marker.subarray(0, 1)]), [], 0],
  ['a tail of markers', Buffer.concat([whole, ...Array(1000).fill(marker)]), [], 1],
  ['a tail of markers off their place', Buffer.concat([whole, garbage(3), ...Array(1000).fill(marker)]), [], 1],
  ['a frame of another file behind the last', Buffer.concat([whole, ...stranger]), [], 1],
]

describe('D4: a damaged journal', () => {
  it.each(TABLE)('with %s gives every batch that is whole, and says what is not', async (_, bytes, lost, stretches) => {
    for (const windowBytes of WINDOWS) {
      const { found, damage } = await check(sample, bytes, windowBytes)
      expect(numbers(found)).toEqual(lost === 'all' ? [] : all.filter((n) => !lost.includes(n)))
      expect(damage.length).toBe(stretches)
    }
  })

  it('does not take a log text for a frame, not even one made of this file', async () => {
    const text = Buffer.concat([Buffer.alloc(8), part(0, 1), part(3, 3)])
    const logged = await sampleOf([frames[0]!.batch, { source: 'edge_logs', rows: 2, ipc: text }, frames[1]!.batch])
    // The same marker, as if the author of the text had known it, once inside and once outside an undamaged frame.
    for (const at of COPIES) logged.bytes.set(whole.subarray(at, at + HEADER_BYTES), at)
    for (const { start, batch } of logged.frames) {
      Buffer.concat(encodeFrame(marker, start, batch)).copy(logged.bytes, start)
    }
    expect(numbers((await check(logged, logged.bytes)).found)).toEqual([1, 2, 2])
    const damaged = Buffer.from(logged.bytes)
    damaged[logged.frames[1]!.start + 9]! ^= 1
    expect(numbers((await check(logged, damaged)).found)).toEqual([1, 2])
  })

  it('finds the next frame wherever it lies to the 4 KiB that are searched at once', async () => {
    for (let bytes = PAGE - 40; bytes <= PAGE + 160; bytes += 8) {
      const near = await sampleOf([bytes, 16, 16].map((size, i) => numberedBatch(i + 1, size, random)))
      const [first, second] = near.frames as [Frame, Frame]
      const damaged = Buffer.from(near.bytes)
      damaged[first.start + 9]! ^= 1
      expect(numbers((await check(near, damaged)).found)).toEqual([2, 3])
      // An unaligned marker, from which a search of 4 KiB would end within the next frame's marker.
      damaged.set(near.marker, Math.max(first.start + 28, second.start - PAGE - 4))
      expect(numbers((await check(near, damaged)).found)).toEqual([2, 3])
    }
  })

  it('gives nothing altered after any of 1,000 flipped bits', async () => {
    const inHeaders = fc.tuple(fc.constantFrom(...COPIES), fc.nat(HEADER_BYTES - 1)).map(([at, byte]) => at + byte)
    const inFrames = fc.tuple(fc.constantFrom(...frames), fc.nat(39)).map(([{ start }, byte]) => start + byte)
    const anywhere = fc.nat(whole.length - 1)
    const byte = fc.oneof(inHeaders, inFrames, anywhere, anywhere)
    const flip = async (at: number, bit: number, windowBytes: number) => {
      const { found } = await check(sample, patched(at, Uint8Array.of(whole[at]! ^ (1 << bit))), windowBytes)
      expect(found.length).toBeGreaterThanOrEqual(frames.length - 1)
    }
    await fc.assert(fc.asyncProperty(byte, fc.nat(7), fc.constantFrom(...WINDOWS), flip), { numRuns: runs(2_000) })
  })

  it('gives nothing altered after any damage', async () => {
    const place = fc.oneof(fc.nat(whole.length), fc.constantFrom(...frames.flatMap(({ start, end }) => [start, end])))
    const stretch = fc.uint8Array({ maxLength: 200 })
    const overwrite = fc.tuple(place, stretch).map(([at, bytes]) => (file: Buffer) => {
      Buffer.from(bytes).copy(file, Math.min(at, file.length))
      return file
    })
    const copy = fc.tuple(place, place, fc.nat(9000)).map(([from, to, bytes]) => (file: Buffer) => {
      file.subarray(from, from + bytes).copy(file, Math.min(to, file.length))
      return file
    })
    const cut = place.map((at) => (file: Buffer) => file.subarray(0, at))
    const extend = stretch.map((bytes) => (file: Buffer) => Buffer.concat([file, bytes]))
    const damages = fc.array(fc.oneof(overwrite, copy, cut, extend), { minLength: 1, maxLength: 5 })
    const property = fc.asyncProperty(damages, fc.constantFrom(...WINDOWS), async (steps, windowBytes) => {
      await check(
        sample,
        steps.reduce((file, step) => step(Buffer.from(file)), whole),
        windowBytes,
      )
    })
    await fc.assert(property, { numRuns: runs(1_000) })
  })
})

describe('D3: a torn journal', () => {
  it('cut at each byte of its last three frames gives all before the cut, and says so once', async () => {
    const small = await sampleOf([32, 8, 19, 40, 5].map((bytes, i) => numberedBatch(i + 1, bytes, random)))
    const ends = small.frames.map(({ end }) => end)
    for (let cut = ends[1]!; cut <= small.bytes.length; cut++) {
      const { found, damage, torn } = await recoverBytes(small.bytes.subarray(0, cut))
      const before = small.frames.filter(({ end }) => end <= cut)
      expect(found).toEqual(before.map(({ batch }) => batch))
      expect([damage, torn]).toEqual([[], ends.includes(cut) ? [] : [damageOf(before.at(-1)!.end, cut)]])
    }
  })

  it('cut in its header has nothing to give', async () => {
    for (let cut = 0; cut < FRAMES_START; cut += 13) {
      expect(await recoverBytes(whole.subarray(0, cut))).toEqual({
        header: undefined,
        length: 0,
        batches: 0,
        rows: 0,
        found: [],
        damage: [],
        torn: cut === 0 ? [] : [damageOf(0, cut)],
        damaged: 'nowhere',
      })
    }
  })
})
