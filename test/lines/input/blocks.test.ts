import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { createBlockCutter } from '../../../src/lines/input/blocks.js'
import { BLOCK_BYTES } from '../../../src/lines/scan/scan-block.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Cuts inputs, each in chunks, and returns the blocks and the number of lines that were left out. */
function cut(inputs: readonly (readonly Uint8Array[])[], isFlushed = false) {
  const blocks: Buffer[] = []
  const cutter = createBlockCutter((block) => blocks.push(Buffer.from(block)))
  for (const chunks of inputs) {
    for (const chunk of chunks) {
      cutter.push(chunk)
      if (isFlushed) cutter.flush()
    }
    cutter.endInput()
  }
  return { blocks, tooLong: cutter.tooLong() }
}

/** The lines of blocks, each of which must be whole: without the line breaks. */
const linesIn = (blocks: readonly Buffer[]) =>
  blocks.flatMap((block) => block.toString('latin1').replace(/\n$/, '').split('\n'))

describe('blocks of lines', () => {
  const content = Buffer.concat([MARK, Buffer.from('{"a":1}\r\n\n \r\nö€😀\nno break')])
  const lines = linesIn([content.subarray(3)])

  it('have the same lines if cut at every byte, flushed or not', () => {
    for (let at = 0; at <= content.length; at++)
      for (const isFlushed of [false, true]) {
        const { blocks, tooLong } = cut([[content.subarray(0, at), content.subarray(at)]], isFlushed)
        expect([at, linesIn(blocks), tooLong]).toEqual([at, lines, 0])
      }
    const bytes = Array.from(content, (byte) => Uint8Array.of(byte))
    expect(linesIn(cut([bytes], true).blocks)).toEqual(lines)
  })

  it('start anew with each input: the last line ends, and a byte order mark is dropped', () => {
    const { blocks } = cut([[content], [], [MARK], [content], [Buffer.from('x')]])
    expect(linesIn(blocks)).toEqual([...lines, ...lines, 'x'])
  })

  it('keep a byte order mark that is not at the start', () => {
    const marks = Buffer.concat([MARK, MARK, Buffer.from('\n'), MARK, Buffer.from('\n')])
    const text = MARK.toString('latin1')
    expect(linesIn(cut([[marks]]).blocks)).toEqual([text, text])
    expect(linesIn(cut([[Buffer.from('\n'), marks]], true).blocks)).toEqual(['', text + text, text])
  })

  it('have no line that does not fit, and count those lines once', () => {
    for (const bytes of [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 3 * BLOCK_BYTES + 7])
      for (const isFlushed of [false, true])
        for (const end of ['\n', '\nb\n', '']) {
          const all = Buffer.concat([Buffer.from('a\n'), Buffer.alloc(bytes, 'x'), Buffer.from(end)])
          for (const chunkBytes of [all.length, MIB, 65_537]) {
            const chunks: Buffer[] = []
            for (let at = 0; at < all.length; at += chunkBytes) chunks.push(all.subarray(at, at + chunkBytes))
            const { blocks, tooLong } = cut([chunks, [Buffer.from('c')]], isFlushed)
            // A long line may also be passed on, for the scanner to leave out.
            const found = linesIn(blocks)
            const passed = found.filter((line) => line.length === bytes).length
            expect([bytes, end, chunkBytes, passed + tooLong]).toEqual([bytes, end, chunkBytes, 1])
            expect(found.filter((line) => line.length !== bytes)).toEqual(
              end.includes('b') ? ['a', 'b', 'c'] : ['a', 'c'],
            )
            expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(BLOCK_BYTES)
          }
        }
  })

  it('have the lines of random inputs in random chunks, in order', () => {
    const seed = testSeed()
    for (let run = 0; run < runs(40); run++) {
      const random = mulberry32(seed + run)
      const [count, mostBytes] = oneOf(random, [
        [5, 300_000],
        [100, 20_000],
        [3_000, 200],
      ] as const)
      const many = Array.from({ length: below(random, count) }, (_, i) => `${i}:`.padEnd(below(random, mostBytes), 'y'))
      const all = Buffer.from(many.map((line) => `${line}\n`).join(''))
      const chunks: Buffer[] = []
      for (let at = 0; at < all.length; at += chunks.at(-1)!.length)
        chunks.push(all.subarray(at, at + 1 + below(random, oneOf(random, [50_000, MIB, 5 * MIB]))))
      const { blocks, tooLong } = cut([chunks], random() < 0.5)
      const isSame = Buffer.concat(blocks).equals(all)
      const areWhole = blocks.every((block) => block.at(-1) === 10 && block.length <= BLOCK_BYTES)
      expect([isSame, areWhole, tooLong], `seed ${seed + run}`).toEqual([true, true, 0])
    }
  })
})
