import { describe, expect, it } from 'vitest'
import { napiZstd } from '../../../src/base/compression/napi-zstd.js'
import { wasmZstd } from '../../../src/base/compression/wasm-zstd.js'
import { zlibZstd } from '../../../src/base/compression/zlib-zstd.js'
import { ZSTD_ENGINE } from '../../../src/base/compression/zstd.js'
import { compressBound, type ZstdEngine, type ZstdParameters } from '../../../src/base/compression/zstd-engine.js'
import { MIB } from '../../../src/base/units.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { compressFrame, decompressFrame } from '../../support/zstd-frames.js'

/** All engines that this Node has, the fastest first. */
const ENGINES = [napiZstd(), zlibZstd(), await wasmZstd()].filter((engine) => engine !== undefined)
const NAMES = ENGINES.map(({ name }) => name)
const PAIRS = ENGINES.flatMap((writer) => ENGINES.map((reader) => [writer.name, reader.name, writer, reader] as const))

const FAST: ZstdParameters = { compressionLevel: 1, hashLog: 13 }
const SETS: ZstdParameters[] = [
  FAST,
  { ...FAST, minMatch: 4 },
  { compressionLevel: 12, minMatch: 6, hashLog: 18, chainLog: 18 },
  { compressionLevel: 12, minMatch: 3 },
]

const random = mulberry32(testSeed())
const noise = (bytes: number) => Buffer.from(Uint8Array.from({ length: bytes }, () => below(random, 256)))
const WORDS = Array.from({ length: 500 }, () => noise(1 + below(random, 9)).toString('hex'))

/** Words of a small vocabulary: shrinks to a half or less, and no block is like the one before. */
function text(bytes: number): Buffer {
  const words: string[] = []
  for (let left = bytes; left > 0; left -= words.at(-1)!.length) words.push(WORDS[below(random, WORDS.length)]!)
  return Buffer.from(words.join('')).subarray(0, bytes)
}

const roomFor = (content: Buffer) => Buffer.alloc(compressBound(content.length) + 128)

function compressed(engine: ZstdEngine, content: Buffer, parameters = FAST): Buffer {
  const target = roomFor(content)
  return target.subarray(0, engine.createCompressor(parameters).compress(target, content))
}

async function inSteps(engine: ZstdEngine, content: Buffer, parameters = FAST, afterStep = async () => {}) {
  const target = roomFor(content)
  const bytes = await engine.createCompressor(parameters).compressInSteps(target, content, MIB, afterStep)
  return target.subarray(0, bytes)
}

function decompressed(engine: ZstdEngine, frame: Buffer, bytes: number): Buffer {
  const target = Buffer.alloc(bytes, 0xa5)
  return target.subarray(0, engine.decompress(target, frame))
}

function startOf(engine: ZstdEngine, frame: Buffer, bytes: number): Buffer {
  const target = Buffer.alloc(bytes, 0xa5)
  engine.decompressStart(target, frame)
  return target
}

const u32 = (value: number) => [...new Uint8Array(Uint32Array.of(value).buffer)]

/** Returns whether a frame says its length, and has no checksum: RFC 8878, section 3.1.1.1.1. */
function hasSizeOnly(frame: Buffer): boolean {
  const descriptor = frame[4]!
  return (descriptor & 0xe0) !== 0 && (descriptor & 0x07) === 0
}

it('takes the fastest engine that is there', () => {
  expect(ZSTD_ENGINE).toBe(NAMES[0])
  expect(NAMES.at(-1)).toBe('@hpcc-js/wasm-zstd')
})

it('knows how large a frame can get', () => {
  expect([0, 1, 131_071, 131_072, 10_000_000].map(compressBound)).toEqual([64, 64, 131_582, 131_584, 10_039_062])
  const content = noise(300_000)
  for (const engine of ENGINES) expect(compressed(engine, content).length).toBeGreaterThan(content.length)
})

describe.each(PAIRS)('what %s has compressed, %s', (_, __, writer, reader) => {
  const contents = [...[0, 1, 2, 100, 2000, 131_072, 131_073, 470_000].map(text), noise(300_000), Buffer.alloc(400_000)]

  it.each(SETS)('decompresses, with %o', async (parameters) => {
    for (const content of contents) {
      const frames = [compressed(writer, content, parameters), await inSteps(writer, content.subarray(0), parameters)]
      for (const frame of content.length === 0 ? frames.slice(0, 1) : frames) {
        expect(hasSizeOnly(frame)).toBe(true)
        expect(decompressed(reader, frame, content.length).equals(content)).toBe(true)
        expect(decompressed(reader, frame, content.length + 1).equals(content)).toBe(true)
      }
    }
  })

  it('decompresses the start of', () => {
    for (const parameters of [FAST, SETS[2]!]) {
      for (const content of contents) {
        const frame = compressed(writer, content, parameters)
        for (const bytes of [0, 1, 17, 131_071, 131_072, 131_073, 262_145, content.length - 1, content.length]) {
          if (bytes < 0 || bytes > content.length) continue
          expect(startOf(reader, frame, bytes).equals(content.subarray(0, bytes))).toBe(true)
        }
        expect(() => startOf(reader, frame, content.length + 1)).toThrow()
      }
    }
  })

  it('decompresses if it is large', async () => {
    const content = Buffer.concat([text(2 * MIB), noise(2 * MIB), text(MIB), Buffer.alloc(4 * MIB), text(MIB)])
    const frame = await inSteps(writer, content)
    expect(hasSizeOnly(frame)).toBe(true)
    expect(decompressed(reader, frame, content.length).equals(content)).toBe(true)
    expect(startOf(reader, frame, 3 * MIB).equals(content.subarray(0, 3 * MIB))).toBe(true)
    expect(compressed(writer, content).length).toBeLessThan(0.6 * content.length)
  })
})

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', (_, engine) => {
  it('reads frames of other programs, and these its frames', () => {
    const content = text(100_000)
    expect(decompressed(engine, Buffer.from(compressFrame(content)), content.length).equals(content)).toBe(true)
    expect(content.equals(decompressFrame(compressed(engine, content)))).toBe(true)
  })

  it('fails if the content has another length, or if more follows', () => {
    const content = text(3000)
    const frame = compressed(engine, content)
    expect(() => decompressed(engine, frame, 2999)).toThrow()
    expect(decompressed(engine, frame, 5000)).toHaveLength(3000)
    for (const more of [frame, Buffer.from('x'), Buffer.alloc(4)]) {
      expect(() => decompressed(engine, Buffer.concat([frame, more]), 3000)).toThrow()
    }
    for (const bytes of [0, 1, 3, 5, 10, frame.length - 1]) {
      expect(attempt(() => decompressed(engine, frame.subarray(0, bytes), 3000), 3000)).toBeUndefined()
      expect(() => startOf(engine, frame.subarray(0, bytes), 3000)).toThrow()
    }
  })

  it('reads the start of a frame that is cut later, and says where that is not all', () => {
    const content = noise(300_000)
    const frame = compressed(engine, content)
    const cut = frame.subarray(0, 150_000)
    expect(startOf(engine, cut, 1000).equals(content.subarray(0, 1000))).toBe(true)
    expect(() => startOf(engine, cut, 200_000)).toThrow('ends too early')
    expect(startOf(engine, frame, 200_000).equals(content.subarray(0, 200_000))).toBe(true)
  })

  it('reads the start of a frame of small blocks, and of no frame that is all empty blocks', () => {
    const content = noise(400_000)
    // A single segment with a size of 4 bytes, then blocks of 10,000 bytes as they are: RFC 8878, section 3.1.1.
    const header = Buffer.from([...compressed(engine, content).subarray(0, 4), 0xa0, ...u32(content.length)])
    const blocks = Array.from({ length: 40 }, (_, i) => [
      Buffer.from(u32((10_000 << 3) | Number(i === 39)).slice(0, 3)),
      content.subarray(10_000 * i, 10_000 * (i + 1)),
    ])
    const frame = Buffer.concat([header, ...blocks.flat()])
    expect(decompressed(engine, frame, content.length).equals(content)).toBe(true)
    for (const bytes of [1, 10_000, 25_000, 131_073, 300_000, 400_000]) {
      expect(startOf(engine, frame, bytes).equals(content.subarray(0, bytes))).toBe(true)
    }
    expect(() => startOf(engine, Buffer.concat([header, Buffer.alloc(1_000_000)]), 300_000)).toThrow()
  })

  it('compresses several at a time in steps, and waits after each step', async () => {
    const contents = [text(3_500_000), noise(2_000_000), text(MIB), text(5)]
    const steps = contents.map(() => 0)
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    const frames = await Promise.all(
      contents.map((content, i) =>
        inSteps(engine, content, FAST, async () => {
          const taken = ++steps[i]!
          await turn()
          expect(steps[i]).toBe(taken)
        }),
      ),
    )
    expect(steps.map((taken, i) => taken >= Math.ceil(contents[i]!.length / MIB))).toEqual(contents.map(() => true))
    expect(frames.map((frame, i) => decompressed(engine, frame, contents[i]!.length).equals(contents[i]!))).toEqual(
      contents.map(() => true),
    )
  })

  it('ends if it may not go on after a step, and works afterwards', async () => {
    const stop = new Error('stop')
    const content = text(2_500_000)
    await expect(inSteps(engine, content, FAST, () => Promise.reject(stop))).rejects.toBe(stop)
    expect(decompressed(engine, await inSteps(engine, content), content.length).equals(content)).toBe(true)
  })
})

/** Returns the result of a frame: the bytes, or undefined for an error. A content of another length is an error. */
function attempt(read: () => Buffer, bytes: number): Buffer | undefined {
  try {
    const content = read()
    return content.length === bytes ? content : undefined
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
}

/** Expects that engines which give bytes of a damaged frame give the same. Returns how many fail. */
function expectNoneToDiffer(frame: Buffer, bytes: number, read: typeof decompressed): number {
  const results = ENGINES.map((engine) => attempt(() => read(engine, frame, bytes), bytes))
  const found = results.filter((content) => content !== undefined)
  for (const content of found) expect(content.equals(found[0]!)).toBe(true)
  return results.length - found.length
}

describe('a damaged frame', () => {
  it('is an error, or the same bytes for all, whichever bit of a small frame is damaged', () => {
    const content = Buffer.from('GET /rest/v1/users 200 | GET /rest/v1/users 404 | GET /auth/v1/user 200'.repeat(3))
    for (const frame of ENGINES.map((engine) => compressed(engine, content, SETS[3]))) {
      let failures = 0
      for (let bit = 0; bit < 8 * frame.length; bit++) {
        const damaged = Buffer.from(frame)
        damaged[bit >>> 3]! ^= 1 << (bit & 7)
        const failed = expectNoneToDiffer(damaged, content.length, decompressed)
        // The magic number: no engine takes it for a frame.
        if (bit < 32) expect(failed).toBe(ENGINES.length)
        failures += failed
        expectNoneToDiffer(damaged, content.length, startOf)
        expectNoneToDiffer(damaged, 20, startOf)
      }
      expect(failures).toBeGreaterThan(32 * ENGINES.length)
    }
  })

  it.each(['text', 'noise'])('of much %s is an error, or the same bytes for all', (kind) => {
    const content = kind === 'text' ? text(300_000) : noise(200_000)
    const frames = ENGINES.flatMap((engine) => SETS.map((parameters) => compressed(engine, content, parameters)))
    for (let run = 0; run < runs(500); run++) {
      const damaged = damage(frames[run % frames.length]!, random)
      expectNoneToDiffer(damaged, content.length, decompressed)
      for (const bytes of [1, 100_000, content.length - 1]) expectNoneToDiffer(damaged, bytes, startOf)
    }
  })
})

/** Flips bits, repeats or drops bytes: half of the time near the start, where the sizes are. */
function damage(frame: Buffer, random: Random): Buffer {
  const at = below(random, random() < 0.5 ? 40 : frame.length)
  const kind = below(random, 4)
  if (kind === 0) return frame.subarray(0, at)
  if (kind === 1) return Buffer.concat([frame.subarray(0, at), frame.subarray(at + 1 + below(random, 20))])
  if (kind === 2) return Buffer.concat([frame.subarray(0, at + 1), frame.subarray(at)])
  const damaged = Buffer.from(frame)
  damaged[at]! ^= 1 << below(random, 8)
  return damaged
}
