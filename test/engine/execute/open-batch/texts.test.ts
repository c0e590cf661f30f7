import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import type { ColdTexts } from '../../../../src/engine/execute/columns/batch.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import {
  bytesOfOpenBatch,
  contentBytesOf,
  createOpenBatch,
  type OpenBatch,
  reuseOpenBatch,
} from '../../../../src/engine/execute/open-batch/open-batch.js'
import { snapshot } from '../../../../src/engine/execute/open-batch/snapshot.js'
import {
  joinedPlaces,
  piecesOf,
  type Texts,
  textAt,
  textsBytes,
} from '../../../../src/engine/execute/open-batch/texts.js'
import { toBatch } from '../../../support/batch.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { bufferBytes } from '../../store/support.js'

const KIB = 1024

function append(head: OpenBatch, records: readonly TestRecord[], release?: () => void) {
  decodeBatch({ ...toBatch('edge_logs', records), release }, true)(head)
}

const textsOf = (cold: Texts, row: number) => [0, 1, 2].map((column) => decodeUtf8(textAt(cold, row, column)))
const expectedOf = ({ id, event_message, metadata }: TestRecord) => [id, event_message, metadata]

const textBytesOf = (records: readonly TestRecord[]) => Buffer.byteLength(records.flatMap(expectedOf).join(''))

/** Numbers of rows that fit the first memory, or need more. */
const rows = (count: number, bytes: number, mark: string) =>
  Array.from({ length: count }, (_, i) =>
    edge({ id: `${mark}${i}`, event_message: mark.repeat(bytes), metadata: { i } }),
  )

const arbitraryBatch = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(0, 1, 50, 20 * KIB, 300 * KIB), fc.constantFrom('a', 'b', 'é'))
  .map(([count, bytes, mark]) => rows(count, bytes, mark))

describe('the texts of an open head', () => {
  it('hold every row of small and large batches, and snapshots stay what they were', () => {
    fc.assert(
      fc.property(fc.array(arbitraryBatch, { minLength: 1, maxLength: 8 }), (batches) => {
        const head = createOpenBatch('edge_logs')
        head.readers = 1
        const snapshots = batches.map((batch) => {
          append(head, batch)
          return { ...head.cold }
        })
        const all = batches.flat().map(expectedOf)
        snapshots.forEach((cold, i) => {
          const held = batches.slice(0, i + 1).flat()
          held.forEach((_, row) => {
            if (textsOf(cold, row).join() !== all[row]!.join()) expect(textsOf(cold, row)).toEqual(all[row])
          })
          expect(cold.usedBytes).toBe(textBytesOf(held))
        })
      }),
      { numRuns: runs(30) },
    )
  })

  it('may stay in the memory of large batches, and equal copied ones', () => {
    const lengths = fc.constantFrom(0, 1, 50, 20 * KIB, 600 * KIB)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(arbitraryBatch, lengths, fc.boolean()), { minLength: 1, maxLength: 8 }),
        (given) => {
          const [copied, adopting] = [createOpenBatch('edge_logs'), createOpenBatch('edge_logs')]
          for (const [batch, bytes, isHeld] of given) {
            const records = [...batch, ...rows(2, bytes, 'h')]
            append(copied, records)
            append(adopting, records, isHeld ? () => {} : undefined)
          }
          const isLarge = ([batch, bytes, isHeld]: (typeof given)[0]) =>
            isHeld && textBytesOf([...batch, ...rows(2, bytes, 'h')]) >= 1024 * KIB
          expect(adopting.batches.length).toBe(given.filter(isLarge).length)
          expect(contentBytesOf(adopting)).toBe(contentBytesOf(copied))
          for (let row = 0; row < copied.rows; row++) {
            expect(textsOf(adopting.cold, row)).toEqual(textsOf(copied.cold, row))
          }
          const [read, expected] = [snapshot(adopting), snapshot(copied)]
          for (const column of ['id', 'event_message', 'metadata'] as const) {
            for (let row = 0; row < copied.rows; ) {
              const texts = expected.readColdTexts!(column, row) as ColdTexts
              expect(read.readColdTexts!(column, row)).toEqual(texts)
              row = texts.to
            }
          }
          const joined = Buffer.concat(piecesOf(adopting.cold))
          const places = joinedPlaces(adopting.cold, adopting.rows)
          for (let row = 0; row < copied.rows; row++) {
            const text = (column: number) =>
              joined.toString('utf8', places[6 * row + 2 * column], places[6 * row + 2 * column + 1])
            expect([0, 1, 2].map(text)).toEqual(textsOf(copied.cold, row))
          }
        },
      ),
      { numRuns: runs(30) },
    )
  })

  it('copy what they are given: a batch whose memory is written over leaves them alone', () => {
    const head = createOpenBatch('edge_logs')
    const given = [rows(1, 10, 'a'), rows(2, 300 * KIB, 'c')]
    for (const records of given) {
      const batch = toBatch('edge_logs', records)
      decodeBatch(batch)(head)
      batch.ipc.fill(0xee)
    }
    expect([0, 1, 2].map((row) => textsOf(head.cold, row))).toEqual(given.flat().map(expectedOf))
  })

  it.each([0, 1])('give the memory that they have outgrown back where nobody reads it: %d readers', (readers) => {
    const head = createOpenBatch('edge_logs')
    append(head, rows(1, 10, 'a'))
    head.readers = readers
    const [small, kept] = [head.cold.places, head.timestampsUs]
    append(head, rows(100, 10, 'b'))
    expect(small.length > 0).toBe(readers > 0)
    expect(head.timestampsUs).toBe(kept)
    expect(kept.length).toBeGreaterThan(0)
  })

  it('grow where they stand, with little room ahead', () => {
    const head = createOpenBatch('edge_logs')
    append(head, rows(1, 1000, 'b'))
    const { bytes } = head.cold
    for (let i = 1; i < 3000; i++) append(head, rows(1, 1000, 'b'))
    expect(head.cold.bytes).toBe(bytes)
    expect(bytes.length).toBeGreaterThanOrEqual(head.cold.usedBytes)
    expect(bytes.length).toBeLessThanOrEqual(1.26 * head.cold.usedBytes)
    for (const row of [0, 127, 128, 2999]) expect(textsOf(head.cold, row)).toEqual(expectedOf(rows(1, 1000, 'b')[0]!))
  })

  it('begin anew in memory of a head that is no more, and show nothing of its rows', () => {
    const before = createOpenBatch('edge_logs')
    append(before, rows(400, 100, 'x'))
    const bytes = textsBytes(before.cold)
    const head = reuseOpenBatch('edge_logs', before)
    expect([head.rows, contentBytesOf(head), textsBytes(head.cold)]).toEqual([0, 0, bytes])
    const records = [...rows(3, 7, 'y'), edge(), ...rows(500, 120, 'z')]
    for (let row = 0; row < records.length; row += 50) append(head, records.slice(row, row + 50))
    expect(records.map((_, row) => textsOf(head.cold, row))).toEqual(records.map(expectedOf))
    expect(contentBytesOf(head)).toBe(textBytesOf(records) + records.length * 32)
  })

  it('go to a head of another source, and what else the head had is freed', () => {
    const before = createOpenBatch('edge_logs')
    append(before, rows(400, 100, 'x'))
    const { bytes } = before.cold
    const head = reuseOpenBatch('auth_logs', before)
    expect(head.cold.bytes).toBe(bytes)
    expect(bytes.length).toBeGreaterThan(40_000)
    expect(before.timestampsUs).toHaveLength(0)
    expect(head.timestampsUs.length).toBeGreaterThan(0)
  })

  it('count the bytes that they keep in memory, room to grow included', () => {
    const head = createOpenBatch('edge_logs')
    for (const [count, bytes] of [
      [3, 5],
      [2, 300 * KIB],
      [900, 100],
      [1, 256 * KIB],
      [1, 0],
    ] as const) {
      append(head, rows(count, bytes, 'e'))
      expect(textsBytes(head.cold)).toBe(bufferBytes(head.cold))
      expect(bytesOfOpenBatch(head)).toBeGreaterThan(textsBytes(head.cold))
    }
  })

  it('take a batch that stands at an odd place of a larger buffer', () => {
    const batch = toBatch('edge_logs', rows(3, 10, 'f'))
    const ipc = Buffer.concat([Buffer.from('odd'), batch.ipc]).subarray(3)
    const head = createOpenBatch('edge_logs')
    decodeBatch({ ...batch, ipc })(head)
    expect(textsOf(head.cold, 2)).toEqual(expectedOf(rows(3, 10, 'f')[2]!))
  })
})
