import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendToHead, createHead, type Head, headBytes } from '../../../../src/engine/arrow/storage/head.js'
import {
  type OpenCold,
  openColdBytes,
  readOpenCold,
  snapshotCold,
} from '../../../../src/engine/arrow/storage/open-cold.js'
import { toBatch } from '../../../support/batch.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { bufferBytes } from '../support.js'

const KIB = 1024

function append(head: Head, records: readonly TestRecord[]) {
  appendToHead(head, toBatch('edge_logs', records))
}

const textsOf = (cold: OpenCold, row: number) => Object.values(readOpenCold(cold, row)).map(String)
const expectedOf = ({ id, event_message, metadata }: TestRecord) => [id, event_message, metadata]

/** Rows whose batch is small, or so large that it is kept as it came. */
const rows = (count: number, bytes: number, mark: string) =>
  Array.from({ length: count }, (_, i) =>
    edge({ id: `${mark}${i}`, event_message: mark.repeat(bytes), metadata: { i } }),
  )

const arbitraryBatch = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(0, 1, 50, 20 * KIB, 300 * KIB), fc.constantFrom('a', 'b', 'é'))
  .map(([count, bytes, mark]) => rows(count, bytes, mark))

describe('open cold columns', () => {
  it('hold every row of small and large batches, and snapshots stay what they were', () => {
    fc.assert(
      fc.property(fc.array(arbitraryBatch, { minLength: 1, maxLength: 8 }), (batches) => {
        const head = createHead('edge_logs')
        const snapshots = batches.map((batch) => {
          append(head, batch)
          return snapshotCold(head.cold)
        })
        const all = batches.flat().map(expectedOf)
        snapshots.forEach((cold, i) => {
          const held = batches.slice(0, i + 1).flat()
          held.forEach((_, row) => {
            if (textsOf(cold, row).join() !== all[row]!.join()) expect(textsOf(cold, row)).toEqual(all[row])
          })
          expect(cold.textBytes).toBe(Buffer.byteLength(held.flatMap(expectedOf).join('')))
        })
      }),
      { numRuns: 25 },
    )
  })

  it('copy small batches together: no buffer for each', () => {
    const head = createHead('edge_logs')
    for (let i = 0; i < 500; i++) append(head, rows(1, 10, 'a'))
    expect(head.cold.chunks.length).toBe(1)
    expect(textsOf(head.cold, 499)).toEqual(expectedOf(rows(1, 10, 'a')[0]!))
  })

  it('begin a new chunk once one is full', () => {
    const head = createHead('edge_logs')
    for (let i = 0; i < 150; i++) append(head, rows(2, 32 * KIB, 'b'))
    const { chunks } = head.cold
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.length).toBeLessThan(10)
    expect(chunks.map(({ open }) => open)).toEqual(chunks.map((_, i) => i === chunks.length - 1))
    for (const row of [0, 127, 128, 299])
      expect(textsOf(head.cold, row)).toEqual(expectedOf(rows(2, 32 * KIB, 'b')[row % 2]!))
  })

  it('keep a large batch as it came', () => {
    const batch = toBatch('edge_logs', rows(2, 300 * KIB, 'c'))
    const head = createHead('edge_logs')
    appendToHead(head, batch)
    expect(readOpenCold(head.cold, 1).event_message.buffer).toBe(batch.ipc.buffer)
    append(head, rows(1, 1, 'd'))
    expect(head.cold.chunks.map(({ firstRow, open }) => [firstRow, open])).toEqual([
      [0, false],
      [2, true],
    ])
  })

  it('count the bytes that they keep in memory, those of a large batch once and whole', () => {
    const head = createHead('edge_logs')
    for (const [count, bytes] of [
      [3, 5],
      [2, 300 * KIB],
      [900, 100],
      [1, 256 * KIB],
      [1, 0],
    ] as const) {
      append(head, rows(count, bytes, 'e'))
      expect(openColdBytes(head.cold)).toBe(bufferBytes(head.cold))
      expect(headBytes(head)).toBeGreaterThan(openColdBytes(head.cold))
    }
  })

  it('take a batch that stands at an odd place of a larger buffer', () => {
    const batch = toBatch('edge_logs', rows(3, 10, 'f'))
    const ipc = Buffer.concat([Buffer.from('odd'), batch.ipc]).subarray(3)
    const head = createHead('edge_logs')
    appendToHead(head, { ...batch, ipc })
    expect(textsOf(head.cold, 2)).toEqual(expectedOf(rows(3, 10, 'f')[2]!))
  })
})
