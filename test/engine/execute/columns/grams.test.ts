import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeDictionary } from '../../../../src/engine/execute/columns/dictionary.js'
import { candidateBlocks, GRAM_BYTES, gramHashes } from '../../../../src/engine/execute/columns/grams.js'
import { dictionary } from '../../store/support.js'
import { uniform } from '../accumulators/distributions.js'

const KIB = 1024
const next = uniform(4)
const hex = (length: number) => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('')

/** Ten projects' refs: 20 letters each. */
const REFS = Array.from({ length: 10 }, () =>
  Array.from({ length: 20 }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join(''),
)
/** About 2 MiB of texts of very different lengths. The texts of a project are adjacent. */
const TEXTS = Array.from({ length: 3000 }, (_, i) => {
  return `https://${REFS[Math.floor(i / 300)]}.co/${hex(i % 100 === 0 ? 20_000 : i % 1000)}`
})
const MADE = dictionary(TEXTS)
const FILTER = closeDictionary(MADE).grams!

/** Returns the blocks with an entry that contains the literal. */
function blocksWith(literal: string): number[] {
  const { firstEntries } = FILTER
  const blocks = [...firstEntries.keys()].slice(0, -1)
  return blocks.filter((block) =>
    TEXTS.slice(Math.max(0, firstEntries[block]! - 1), firstEntries[block + 1]! - 1).some((text) =>
      text.includes(literal),
    ),
  )
}

describe('a filter of grams', () => {
  it('cuts the entries into blocks, each of them in one', () => {
    const firsts = [...FILTER.firstEntries]
    expect([firsts[0], firsts.at(-1)]).toEqual([0, MADE.count])
    const sizes = firsts.slice(1).map((end, block) => MADE.offsets[end]! - MADE.offsets[firsts[block]!]!)
    expect(sizes.slice(0, -1).every((size) => size >= 64 * KIB && size <= 64 * KIB + 20_100)).toBe(true)
    expect(sizes.reduce((a, b) => a + b, 0)).toBe(MADE.offsets[MADE.count])
  })

  it('never leaves a block out that holds the literal', () => {
    const within = fc
      .tuple(fc.nat(TEXTS.length - 1), fc.nat(), fc.integer({ min: 1, max: 40 }))
      .map(([i, start, length]) => TEXTS[i]!.substr(start % TEXTS[i]!.length, length))
    fc.assert(
      fc.property(fc.oneof(within, fc.string({ maxLength: 6 })), (literal) => {
        const blocks = candidateBlocks(FILTER, gramHashes(Buffer.from(literal)))
        expect(blocks).toEqual([...new Set([...blocks, ...blocksWith(literal)])].sort((a, b) => a - b))
      }),
    )
  })

  it('leaves out most blocks that do not hold it', () => {
    for (const ref of REFS) {
      const left = candidateBlocks(FILTER, gramHashes(Buffer.from(ref))).length
      expect(left).toBeGreaterThanOrEqual(blocksWith(ref).length)
      expect(left).toBeLessThanOrEqual(blocksWith(ref).length + 2)
    }
    expect(candidateBlocks(FILTER, gramHashes(Buffer.from('nowhere-to-be-found')))).toEqual([])
  })

  it('keeps every block for a literal shorter than a gram', () => {
    const all = [...FILTER.firstEntries.keys()].slice(0, -1)
    for (const literal of ['', '-', '---'.slice(0, GRAM_BYTES - 1)]) {
      expect(candidateBlocks(FILTER, gramHashes(Buffer.from(literal)))).toEqual(all)
    }
  })

  it('takes bytes above 127', () => {
    const made = dictionary([...Array.from({ length: 200 }, () => hex(1000)), '日本語\u{1f600}'])
    const filter = closeDictionary(made).grams!
    const last = filter.firstEntries.length - 2
    expect(candidateBlocks(filter, gramHashes(Buffer.from('本語\u{1f600}')))).toContain(last)
  })

  it('is not made for few bytes', () => {
    expect(closeDictionary(dictionary(['a', 'b'])).grams).toBeUndefined()
  })
})
