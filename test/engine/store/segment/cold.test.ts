import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMessage } from '../../../../src/arrow-ipc/file.js'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { identity } from '../../../../src/engine/store/sealing/sort.js'
import { COMPRESSION, coldColumnsInMemory, type Effort, sealCold } from '../../../../src/engine/store/segment/cold.js'
import { createColdReader } from '../../../../src/engine/store/segment/cold-reader.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { decompressFrame } from '../../../support/zstd-frames.js'
import { uniform } from '../../execute/accumulators/distributions.js'
import { atOnce, headOf, noYield } from '../support.js'

const MIB = 1024 * 1024
const { rows: BATCH_ROWS, bytes: BATCH_BYTES } = COMPRESSION.low

const sealed = (records: readonly TestRecord[], order = identity(records.length)) =>
  sealCold(headOf(records).cold, order, noYield)

const textsOf = ({ id, event_message, metadata }: TestRecord) => [id, event_message, metadata]

/** Reads rows in sequence with one reader. */
function reading(cold: Awaited<ReturnType<typeof sealed>>) {
  const read = createColdReader(coldColumnsInMemory(cold))
  return (row: number) => {
    const { id, event_message, metadata } = atOnce(read(row))
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

/** Returns the rows that apache-arrow reads from the file, as texts. */
function readByArrow(file: Uint8Array): unknown[][] {
  return tableFromIPC(file)
    .toArray()
    .map((row) => Object.values(row.toJSON()))
}

describe('sealed cold columns', () => {
  it('are an Arrow IPC file, of which apache-arrow reads every row', async () => {
    compressionRegistry.set(CompressionType.ZSTD, { decode: decompressFrame })
    await fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        const { file } = await sealed(records)
        expect(readByArrow(file)).toEqual(records.map(textsOf))
      }),
    )
    const many = Array.from({ length: 1000 }, (_, i) => edge({ id: `${i}` }))
    expect(readByArrow((await sealed(many)).file)).toEqual(many.map(textsOf))
  })

  it('have every buffer compressed, with its length in front', async () => {
    const { readBatch } = coldColumnsInMemory(await sealed([edge({ id: 'a', event_message: '', metadata: '{}' })]))
    const { buffers } = decodeMessage(atOnce(readBatch(0)).bytes)
    expect(buffers.map((buffer) => (buffer.length === 0 ? 0 : buffer.readBigInt64LE()))).toEqual([
      ...[0, 8n, 1n],
      ...[0, 8n, 0],
      ...[0, 8n, 2n],
    ])
  })

  it('are the same bytes whatever stood in the memory before', async () => {
    const records = Array.from({ length: 300 }, (_, i) => edge({ id: `${i}`, event_message: noise(i) }))
    const head = headOf(records)
    const first = await sealCold(head.cold, identity(300), noYield)
    head.cold.bytes.fill(0xff, head.cold.usedBytes)
    const second = await sealCold(head.cold, identity(300), noYield)
    expect(second.file.equals(first.file)).toBe(true)
  })

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
    const cold = await sealed(records, Uint32Array.of(3, 0))
    expect([0, 1].map((row) => reading(cold)(row)[0])).toEqual(['d', 'a'])
    expect([...cold.firstRows]).toEqual([0, 2])
  })

  it.each([
    1,
    BATCH_ROWS - 1,
    BATCH_ROWS,
    BATCH_ROWS + 1,
    2 * BATCH_ROWS,
    3000,
  ])('cut %d short rows into batches', async (length) => {
    const records = Array.from({ length }, (_, i) => edge({ id: `${i}` }))
    const cold = await sealed(records)
    const full = Math.floor(length / BATCH_ROWS)
    const borders = Array.from({ length: full + 1 }, (_, i) => i * BATCH_ROWS)
    expect([...cold.firstRows]).toEqual(length % BATCH_ROWS === 0 ? borders : [...borders, length])
    const row = reading(cold)
    for (const at of [0, ...borders.flatMap((border) => [border - 1, border]), length - 1])
      if (at >= 0 && at < length) expect(row(at)[0]).toBe(`${at}`)
  })

  it(
    'are cut into longer batches, and are smaller, ' + 'where there is more effort: as much as there is at each',
    async () => {
      const records = Array.from({ length: 2000 }, (_, i) =>
        edge({
          id: `${(i * 7919) % 2003}`,
          metadata: `{"a":"${'b'.repeat(i % 91)}","b":${(i * i) % 1009},"c":[${i}]}`,
        }),
      )
      const { low, high } = COMPRESSION
      const sealedWith = async (effort: () => Effort) => {
        const cold = await sealCold(headOf(records).cold, identity(records.length), noYield, effort)
        const row = reading(cold)
        expect(records.map((_, at) => row(at))).toEqual(records.map(textsOf))
        expect(readByArrow(cold.file)).toEqual(records.map(textsOf))
        return cold
      }
      const least = await sealedWith(() => 'low')
      const most = await sealedWith(() => 'high')
      expect(least.file.equals((await sealed(records)).file)).toBe(true)
      expect([...most.firstRows]).toEqual([0, 1, 2, 3].map((batch) => batch * high.rows).concat(2000))
      expect(most.file.length).toBeLessThan(0.99 * least.file.length)
      const efforts: Effort[] = ['high', 'low', 'low']
      const { firstRows } = await sealedWith(() => efforts.shift() ?? 'high')
      const border = high.rows + 2 * low.rows
      expect([...firstRows]).toEqual([0, high.rows, high.rows + low.rows, border, border + high.rows, 2000])
    },
  )

  it('close a batch at the row that fills it', async () => {
    const half = BATCH_BYTES / 2 - 2
    const records = [half, half, half - 1, half, 1, BATCH_BYTES * 3, 1, 1].map((bytes, i) =>
      edge({ event_message: noise(bytes, i) }),
    )
    const cold = await sealed(records)
    expect([...cold.firstRows]).toEqual([0, 2, 5, 6, 8])
    expect(records.map((_, i) => reading(cold)(i))).toEqual(records.map(textsOf))
  })

  it('hold rows of 1 MiB between small ones', async () => {
    const big = [noise(1000).repeat(1049).slice(0, MIB), '\0'.repeat(MIB), 'é'.repeat(MIB / 2)]
    const records = ['', ...big, 'x', ''].map((event_message, i) =>
      edge({ id: `${i}`, event_message, metadata: `[{"n":${i}}]` }),
    )
    const row = reading(await sealed(records))
    for (const at of [5, 0, 3, 1, 4, 2]) expect(row(at)).toEqual(textsOf(records[at]!))
  })

  it('are decompressed by column: others are empty, even damaged ones', async () => {
    const cold = await sealed(Array.from({ length: 3 }, (_, i) => edge({ id: `${i}`, event_message: noise(99) })))
    const { buffers } = decodeMessage(atOnce(coldColumnsInMemory(cold).readBatch(0)).bytes)
    buffers[5]!.fill(0, 8)
    const read = createColdReader(coldColumnsInMemory(cold), ['metadata', 'id'])
    const { id, event_message, metadata } = atOnce(read(2))
    expect([id, event_message, metadata].map(String)).toEqual(['2', '', edge().metadata])
    expect(() => createColdReader(coldColumnsInMemory(cold))(2)).toThrow()
  })

  it('leave what a reader gave alone when it reads on', async () => {
    const file = await sealed([edge({ id: 'a', event_message: noise(BATCH_BYTES) }), edge({ id: 'b' })])
    const read = createColdReader(coldColumnsInMemory(file))
    const first = atOnce(read(0))
    expect(decodeUtf8(atOnce(read(1)).id)).toBe('b')
    expect(decodeUtf8(first.id)).toBe('a')
  })

  it('count the bytes that they hold, which are fewer than those of the text', async () => {
    const records = Array.from({ length: 2500 }, (_, i) => edge({ event_message: `GET | 200 | ${i}` }))
    const whole = await sealed(records)
    const cold = coldColumnsInMemory(whole)
    // The file itself, and two lists of batches + 1 numbers of 4 bytes.
    expect(cold.memoryBytes).toBe(whole.file.byteLength + 2 * 4 * (Math.ceil(2500 / BATCH_ROWS) + 1))
    expect(cold.memoryBytes).toBeLessThan(2500 * 14)
  })

  it('pause between batches, where a pause may throw', async () => {
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
