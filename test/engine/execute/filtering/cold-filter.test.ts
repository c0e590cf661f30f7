import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { coldFilter } from '../../../../src/engine/execute/filtering/cold-filter.js'
import { createTextTest } from '../../../../src/engine/execute/matching/match-texts.js'
import { writeSegment } from '../../../../src/engine/store/files/segment-file.js'
import { makeMessageFilter } from '../../../../src/engine/store/path-columns/make-path-columns.js'
import { below, mulberry32, oneOf } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { testSeed } from '../../../support/seed.js'
import { createMemoryFiles } from '../../store/files/memory-files.js'
import { openSegment } from '../../store/files/segments.js'
import { noYield, openBatch, rowsOf, sealedBatch } from '../../store/support.js'

const MESSAGES = ['', 'timeout', 'GET /a', 'GET /b é', 'a\nb', 'canceled: timeout\n', 'x'.repeat(99)]
const random = mulberry32(testSeed())
const messages = Array.from({ length: 3_000 }, () => oneOf(random, MESSAGES))
const records = messages.map((event_message, i) => edge({ id: `${i}`, timestampUs: i, event_message }))

/** A batch with the filter of its messages. */
async function withFilter(batch: Batch): Promise<Batch> {
  const filter = await makeMessageFilter(batch, noYield)
  return { ...batch, readMessageFilter: async () => filter }
}

/** The records in an open head, sealed, on a disk, and with a filter of messages. */
async function forms(): Promise<Batch[]> {
  const sealed = await sealedBatch(records)
  const files = createMemoryFiles()
  await writeSegment(files, 's', sealed)
  return [openBatch(records), sealed, await openSegment(files, 's'), await withFilter(sealed)]
}

/** The same batch, and the reads of the cold texts. */
function counted(batch: Batch) {
  const reads: string[] = []
  const openColdTexts: Batch['openColdTexts'] = (column) => {
    const read = batch.openColdTexts(column)
    return (row, to) => {
      reads.push(`${column} ${row}`)
      return read(row, to)
    }
  }
  return { batch: { ...batch, openColdTexts }, reads }
}

const some = (share: number): Selection => {
  const indices = Uint32Array.from(messages.keys()).filter(() => random() < share)
  return { kind: 'indices', indices, timeOrdered: true }
}

describe('a filter on a cold column', () => {
  it(`keeps the selected rows that pass, in any form (seed ${testSeed()})`, async () => {
    for (const batch of await forms()) {
      for (const selection of [
        range(0, 3_000, true),
        range(383, 385, true),
        range(5, 5, true),
        some(0.3),
        some(0.002),
      ]) {
        for (const value of ['timeout', 'a\nb', 'none', '', 'x']) {
          const narrow = coldFilter('event_message', createTextTest('contains', value)!)(batch)
          const expected = rowsOf(selection).filter((row) => messages[row]!.includes(value))
          const kept = await narrow(selection, noYield)
          expect(rowsOf(kept)).toEqual(expected)
          if (expected.length > 0) expect(kept.timeOrdered).toBe(true)
        }
      }
    }
  })

  it('reads the texts that are stored together once, also for selections that follow one another', async () => {
    const { batch, reads } = counted(await sealedBatch(records))
    const narrow = coldFilter('event_message', createTextTest('contains', 'timeout')!)(batch)
    for (const to of [3_000, 2_500, 1_000]) {
      const from = { 3000: 2_500, 2500: 1_000, 1000: 0 }[to]!
      await narrow(range(from, to, true), noYield)
    }
    expect(reads.length).toBe(8)
    expect(new Set(reads.map((read) => Math.floor(Number(read.split(' ')[1]) / 384))).size).toBe(8)
    expect(reads.every((read) => read.startsWith('event_message '))).toBe(true)
  })

  it('reads the texts alone that may have the wanted text, where there is a filter', async () => {
    const unique = records.map((record, i) => ({ ...record, event_message: `GET | ${(i * 2654435761).toString(16)}` }))
    const { batch, reads } = counted(await withFilter(await sealedBatch(unique)))
    const rowsWith = async (fn: 'contains' | 'contains_substr' | 'regexp_contains', text: string, rows: Selection) => {
      reads.length = 0
      const kept = await coldFilter('event_message', createTextTest(fn, text)!)(batch)(rows, noYield)
      return { rows: rowsOf(kept), reads: reads.length }
    }
    const all = range(0, 3_000, true)
    const id = (1_700 * 2654435761).toString(16)
    // The 512 rows of a block are in two or three batches of texts.
    for (const fn of ['contains', 'contains_substr', 'regexp_contains'] as const) {
      const found = await rowsWith(fn, id, all)
      expect(found.rows).toEqual([1_700])
      expect(found.reads).toBeLessThanOrEqual(3)
    }
    const upper = await rowsWith('contains_substr', id.toUpperCase(), all)
    expect(upper.rows).toEqual([1_700])
    expect(upper.reads).toBeLessThanOrEqual(3)
    expect(await rowsWith('contains', 'deadlock', all)).toEqual({ rows: [], reads: 0 })
    expect(await rowsWith('contains', 'get', all)).toMatchObject({ rows: [], reads: 8 })
    // The texts of a few neighbours are read in any case.
    expect(await rowsWith('contains', 'deadlock', range(100, 200, true))).toEqual({ rows: [], reads: 1 })
  })

  it('reads nothing for no rows, and yields between reads', async () => {
    const { batch, reads } = counted(await sealedBatch(records))
    const narrow = coldFilter('event_message', createTextTest('contains', 'timeout')!)(batch)
    await narrow(range(0, 0, true), noYield)
    expect(reads).toEqual([])
    const wanted = below(random, 5) + 1
    let yields = 0
    const end = () => {
      if (++yields === wanted) throw new Error('unwanted')
      return undefined
    }
    await expect(narrow(range(0, 3_000, true), end)).rejects.toThrow('unwanted')
    expect(reads.length).toBe(wanted)
  })
})
