import { describe, expect, it } from 'vitest'
import { toNative } from '../../../../src/engine/clickhouse/delivery/native.js'
import { decodeBatch } from '../../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch } from '../../../../src/engine/execute/open-batch/open-batch.js'
import { snapshot } from '../../../../src/engine/execute/open-batch/snapshot.js'
import { writeSegment } from '../../../../src/engine/store/files/segment-file.js'
import { toBatch, withoutColumns } from '../../../support/batch.js'
import { edge } from '../../../support/records.js'
import { hotValue, sealedBatch } from '../support.js'
import { createMemoryFiles } from './memory-files.js'
import { openSegment } from './segments.js'

/** Segment files of a version that had no status column for edge requests. */
const requests = [200, 404].map((status_code) =>
  edge({ metadata: { request: { url: `u${status_code}`, path: '/rest' }, response: { status_code } } }),
)

const oldBatch = () => withoutColumns(toBatch('edge_logs', requests), (name) => name === 'status_code')

describe('what was written before a source had a column', () => {
  it('is read from a segment’s file, the column absent', async () => {
    const files = createMemoryFiles()
    const segment = await sealedBatch(requests)
    const columns = new Map([...segment.columns].filter(([name]) => name !== 'status_code'))
    await writeSegment(files, 'old', { ...segment, columns })
    await writeSegment(files, 'new', segment)
    const [old, now] = [await openSegment(files, 'old'), await openSegment(files, 'new')]
    expect([0, 1].map((row) => hotValue(now, 'status_code', row))).toEqual([200, 404])
    expect([0, 1].map((row) => hotValue(old, 'status_code', row))).toEqual([undefined, undefined])
    for (const name of ['url', 'path']) {
      expect([0, 1].map((row) => hotValue(old, name, row))).toEqual([0, 1].map((row) => hotValue(now, name, row)))
    }
  })

  it('is read from a journal’s batch, the column absent, and rows behind it have it', () => {
    const head = createOpenBatch('edge_logs')
    decodeBatch(oldBatch())(head)
    decodeBatch(toBatch('edge_logs', requests))(head)
    const batch = snapshot(head)
    expect([0, 1, 2, 3].map((row) => hotValue(batch, 'status_code', row))).toEqual([undefined, undefined, 200, 404])
    expect([0, 1].map((row) => hotValue(batch, 'url', row))).toEqual(['u200', 'u404'])
  })

  it('is sent to ClickHouse as nulls', () => {
    const origin = { arrivedUs: 0, batch: 0n, firstRow: 0 }
    const bytes = toNative(oldBatch(), origin).columns.get('status_code')!
    const isNull = '\x01\x01'
    expect(Buffer.from(bytes).toString()).toBe(`\x0bstatus_code\x11Nullable(Float64)${isNull}${'\0'.repeat(16)}`)
  })
})
