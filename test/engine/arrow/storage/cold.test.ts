import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_BYTES, coldBytes, createColdReader, sealCold } from '../../../../src/engine/arrow/storage/cold.js'
import { identity } from '../../../../src/engine/arrow/storage/sort.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { uniform } from '../accumulators/distributions.js'
import { bufferBytes, headOf, noPause } from '../support.js'

const MIB = 1024 * 1024

const sealed = (records: readonly TestRecord[], order = identity(records.length)) =>
  sealCold(headOf(records).cold, order, noPause)

const textsOf = ({ id, event_message, metadata }: TestRecord) => [id, event_message, metadata]

/** Reads rows one after another with one reader. */
function reading(blocks: Awaited<ReturnType<typeof sealed>>) {
  const read = createColdReader(blocks)
  return (row: number) => {
    const { id, event_message, metadata } = read(row)
    return [id, event_message, metadata].map(String)
  }
}

/** Text that does not compress. */
const noise = (length: number, seed = 1) => {
  const next = uniform(seed)
  return Buffer.from(Array.from({ length }, () => 33 + Math.floor(next() * 90))).toString()
}

const arbitraryRecords = fc.array(
  fc
    .record({
      id: fc.string({ maxLength: 5 }),
      event_message: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.nat(300).map((n) => 'é\n'.repeat(n)),
      ),
      metadata: fc.nat(200).map((n) => `{"a":"${'b'.repeat(n)}"}`),
    })
    .map(edge),
  { minLength: 1, maxLength: 30 },
)

describe('sealed cold columns', () => {
  it('give back every row, in the order of sealing, asked for in any order', async () => {
    const shuffled = arbitraryRecords.chain((records) => {
      const rows = [...records.keys()]
      const all = { minLength: rows.length }
      return fc.tuple(fc.constant(records), fc.shuffledSubarray(rows, all), fc.shuffledSubarray(rows, all))
    })
    await fc.assert(
      fc.asyncProperty(shuffled, async ([records, order, asked]) => {
        const row = reading(await sealed(records, Uint32Array.from(order)))
        for (const at of asked) expect(row(at)).toEqual(textsOf(records[order[at]!]!))
      }),
    )
  })

  it('may be a part of the rows', async () => {
    const records = ['a', 'b', 'c', 'd'].map((id) => edge({ id }))
    const blocks = await sealed(records, Uint32Array.of(3, 0))
    expect([0, 1].map((row) => reading(blocks)(row)[0])).toEqual(['d', 'a'])
    expect([...blocks.firstRows]).toEqual([0, 2])
  })

  it.each([1, 1023, 1024, 1025, 2048, 3000])('cut %d short rows into blocks of 1,024', async (length) => {
    const records = Array.from({ length }, (_, i) => edge({ id: `${i}` }))
    const blocks = await sealed(records)
    const full = Math.floor(length / 1024)
    const borders = Array.from({ length: full + 1 }, (_, i) => i * 1024)
    expect([...blocks.firstRows]).toEqual(length % 1024 === 0 ? borders : [...borders, length])
    const row = reading(blocks)
    for (const at of [0, 1023, 1024, 2047, 2048, length - 1]) if (at < length) expect(row(at)[0]).toBe(`${at}`)
  })

  it('close a block at the row that fills it', async () => {
    const half = BLOCK_BYTES / 2 - 2
    const records = [half, half, half - 1, half, 1, BLOCK_BYTES * 3, 1, 1].map((bytes, i) =>
      edge({ event_message: noise(bytes, i) }),
    )
    const blocks = await sealed(records)
    expect([...blocks.firstRows]).toEqual([0, 2, 5, 6, 8])
    expect(records.map((_, i) => reading(blocks)(i))).toEqual(records.map(textsOf))
  })

  it('hold rows of 1 MiB between small ones', async () => {
    const big = [noise(1000).repeat(1049).slice(0, MIB), '\0'.repeat(MIB), 'é'.repeat(MIB / 2)]
    const records = ['', ...big, 'x', ''].map((event_message, i) =>
      edge({ id: `${i}`, event_message, metadata: `[{"n":${i}}]` }),
    )
    const row = reading(await sealed(records))
    for (const at of [5, 0, 3, 1, 4, 2]) expect(row(at)).toEqual(textsOf(records[at]!))
  })

  it('leave what a reader gave alone when it reads on', async () => {
    const read = createColdReader(
      await sealed([edge({ id: 'a', event_message: noise(BLOCK_BYTES) }), edge({ id: 'b' })]),
    )
    const first = read(0)
    expect(read(1).id.toString()).toBe('b')
    expect(first.id.toString()).toBe('a')
  })

  it('count the bytes that they hold, which are fewer than those of the text', async () => {
    const blocks = await sealed(Array.from({ length: 2500 }, (_, i) => edge({ event_message: `GET | 200 | ${i}` })))
    expect(coldBytes(blocks)).toBe(bufferBytes(blocks))
    expect(coldBytes(blocks)).toBeLessThan(2500 * 12)
  })

  it('pause between blocks, where a pause may throw', async () => {
    const records = Array.from({ length: 3000 }, () => edge())
    let pauses = 0
    await sealCold(headOf(records).cold, identity(3000), () => void pauses++)
    expect(pauses).toBeGreaterThanOrEqual(2)
    const stop = new Error('stop')
    const stopped = sealCold(headOf(records).cold, identity(3000), () => {
      throw stop
    })
    await expect(stopped).rejects.toBe(stop)
  })
})
