import { describe, expect, it, vi } from 'vitest'
import type * as Columns from '../../src/common/columns.js'
import type { SourceName } from '../../src/common/sources.js'
import { createInterner } from '../../src/engine/execute/columns/dictionary.js'
import { decodeBatch } from '../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch } from '../../src/engine/execute/open-batch/open-batch.js'
import { snapshot } from '../../src/engine/execute/open-batch/snapshot.js'
import { seal } from '../../src/engine/store/sealing/seal.js'
import { segmentOfSealedRows } from '../../src/engine/store/segment/segment.js'
import { createMemoryFiles } from '../engine/store/files/memory-files.js'
import { openSegment } from '../engine/store/files/segments.js'
import { hotValue, noYield } from '../engine/store/support.js'
import { internIn } from '../support/sealer.js'
import { parse } from './parsing.js'

/** The list of columns with an additional line. */
vi.mock('../../src/common/columns.js', async (importOriginal) => {
  const columns = await importOriginal<typeof Columns>()
  const added: Columns.HotColumn = {
    name: 'pool.state.name',
    kind: 'text',
    path: ['pool', 'state', 'name'],
    isFieldOnly: true,
  }
  const hotColumns = (source: SourceName) =>
    source === 'pgbouncer_logs' ? [...columns.hotColumns(source), added] : columns.hotColumns(source)
  return { ...columns, hotColumns, batchSchema: (source: SourceName) => columns.schemaOf(hotColumns(source)) }
})

describe('a field more in the list', () => {
  it('is filled, kept in heads, segments and files, and marked', async () => {
    const { writeSegment } = await import('../../src/engine/store/files/segment-file.js')
    const line = (name: string) => `{"source":"pgbouncer_logs","metadata":{"pool":[{"state":{"name":${name}}}]}}`
    const head = createOpenBatch('pgbouncer_logs')
    for (const batch of parse(['"idle"', '7', 'null', '"used"'].map(line).join('\n')).batches) decodeBatch(batch)(head)
    const values = ['idle', undefined, undefined, 'used']
    const valuesOf = (batch: Parameters<typeof hotValue>[0]) =>
      values.map((_, row) => hotValue(batch, 'pool.state.name', row))
    expect(valuesOf(snapshot(head))).toEqual(values)
    expect([...snapshot(head).inMetadata.rows!.subarray(0, 4)]).toEqual([0, 1, 0, 0])
    const [rows] = await seal(head, internIn(createInterner()), noYield)
    const segment = segmentOfSealedRows(rows!)
    expect(valuesOf(segment).toSorted()).toEqual(values.toSorted())
    expect(segment.inMetadata.mask).toBe(1)
    const files = createMemoryFiles()
    await writeSegment(files, 'segment', segment)
    expect(valuesOf(await openSegment(files, 'segment'))).toEqual(valuesOf(segment))
  })
})
