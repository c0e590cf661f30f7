import { RecordBatchReader } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchSchema } from '../../../../src/common/columns.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { createInterner } from '../../../../src/engine/execute/columns/dictionary.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch } from '../../../../src/engine/execute/open-batch/open-batch.js'
import { batchesOf } from '../../../../src/engine/store/export/batches.js'
import { seal } from '../../../../src/engine/store/sealing/seal.js'
import { segmentOfSealedRows } from '../../../../src/engine/store/segment/segment.js'
import { toBatch } from '../../../support/batch.js'
import { oddMetadata } from '../../../support/odd-values.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { internIn } from '../../../support/sealer.js'
import { arbitraryRecords } from '../files/segments.js'

/** Returns all values of a batch, row by row, read by apache-arrow. */
function rowsOf({ rows, source, ipc }: IngestBatch): string[] {
  const [batch] = [...RecordBatchReader.from(ipc)]
  expect(batch!.numRows).toBe(rows)
  const { fields, names } = batchSchema(source)
  expect(batch!.schema.fields.map(String)).toEqual(fields.map(String))
  return Array.from({ length: rows }, (_, row) =>
    names.map((name) => spelt(batch!.getChild(name)!.get(row))).join(' | '),
  )
}

/** Distinguishes null from the empty text, and 0 from -0. */
const spelt = (value: unknown) => (Object.is(value, -0) ? '-0' : JSON.stringify(value))

/** Returns the rows of records, and the rows that are exported from their sealed segments. */
async function thereAndBack(records: readonly TestRecord[]) {
  const { source } = records[0]!
  const head = createOpenBatch(source)
  const batch = toBatch(source, records)
  decodeBatch(batch)(head)
  const back: string[] = []
  const sizes: number[] = []
  for (const sealed of await seal(head, internIn(createInterner()), () => undefined)) {
    for await (const read of batchesOf(segmentOfSealedRows(sealed))) {
      back.push(...rowsOf(read))
      sizes.push(read.rows)
    }
  }
  return { came: rowsOf(batch), back, sizes }
}

describe('batches of a segment', () => {
  it('are what came in, to the last bit', () =>
    fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        const { came, back } = await thereAndBack(records)
        expect(back.sort()).toEqual(came.sort())
      }),
      { numRuns: runs(200) },
    ))

  it('tell what is absent from what is empty', async () => {
    const urls = [undefined, '', 'a'].map((url) => edge({ metadata: { request: { url } } }))
    const projects = [null, '', 'a'].map((project) => invocation({ project, metadata: { function_id: '' } }))
    const without = [invocation({ project: null }), invocation({ metadata: { execution_time_ms: -0 } })]
    for (const records of [urls, [...projects, ...without]]) {
      const { came, back } = await thereAndBack(records)
      expect(new Set(came).size).toBe(came.length)
      expect(back.sort()).toEqual(came.sort())
    }
  })

  it.each(
    NINE_AND_OWN,
  )('have the declared fields of %s, and the bits of values that no column holds', async (source) => {
    const records = oddMetadata(source).map((metadata, i) => ({ ...edge({ id: `${i}`, metadata }), source }))
    const { came, back } = await thereAndBack(records)
    expect(back.sort()).toEqual(came.sort())
  })

  it('lack the columns that the segment lacks, and have its bits', async () => {
    const head = createOpenBatch('auth_logs')
    const records = Array.from({ length: 3 }, () => ({ ...edge(), source: 'auth_logs' as const }))
    decodeBatch(toBatch('auth_logs', records))(head)
    const [sealed] = await seal(head, internIn(createInterner()), () => undefined)
    const columns = new Map([...sealed!.columns].filter(([name]) => name !== 'level'))
    const segment = segmentOfSealedRows({ ...sealed!, columns, inMetadata: { mask: 1 } })
    for await (const { ipc } of batchesOf(segment)) {
      const [batch] = [...RecordBatchReader.from(ipc)]
      expect(batch!.schema.names).toEqual(batchSchema('auth_logs').names.filter((name) => name !== 'level'))
      expect([...batch!.getChild('in_metadata')!]).toEqual([1, 1, 1])
    }
  })

  it('keep the order of arrival among rows of equal project and time', async () => {
    const records = Array.from({ length: 50 }, (_, i) => edge({ id: `${i}`, project: i % 2 ? 'a' : null }))
    const { came, back } = await thereAndBack(records)
    expect(back).toEqual([...came.filter((_, i) => i % 2 === 0), ...came.filter((_, i) => i % 2 === 1)])
  })

  it('are bounded by rows and by bytes', async () => {
    const many = await thereAndBack(Array.from({ length: 5_000 }, () => edge()))
    expect(many.sizes).toEqual([4_096, 904])
    const long = await thereAndBack(Array.from({ length: 12 }, () => edge({ event_message: 'x'.repeat(2 ** 20) })))
    expect(long.sizes).toEqual([4, 4, 4])
  })
})
