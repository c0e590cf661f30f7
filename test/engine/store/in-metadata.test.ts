import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../src/base/text/utf8.js'
import { ALL_IN_METADATA, hotColumns, planColumns } from '../../../src/common/columns.js'
import { SOURCE_NAMES, type SourceName } from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { Batch } from '../../../src/engine/execute/columns/batch.js'
import { createInterner } from '../../../src/engine/execute/columns/dictionary.js'
import { decodeBatch } from '../../../src/engine/execute/open-batch/append-batch.js'
import { createOpenBatch, type OpenBatch } from '../../../src/engine/execute/open-batch/open-batch.js'
import { snapshot } from '../../../src/engine/execute/open-batch/snapshot.js'
import { writeSegment } from '../../../src/engine/store/files/segment-file.js'
import { copyRows } from '../../../src/engine/store/sealing/copy.js'
import { seal } from '../../../src/engine/store/sealing/seal.js'
import { type Segment, segmentOfSealedRows } from '../../../src/engine/store/segment/segment.js'
import { parse } from '../../ingest/parsing.js'
import { withoutFields } from '../../support/batch.js'
import { bitsInMetadata } from '../../support/in-metadata.js'
import { oddLines } from '../../support/odd-values.js'
import { numberAt, textAt } from '../../support/records.js'
import { internIn } from '../../support/sealer.js'
import { createMemoryFiles } from './files/memory-files.js'
import { openSegment } from './files/segments.js'
import { hotValue, noYield } from './support.js'

const OTHER_DAY = ',"timestamp":"2026-11-18T00:00:00Z"}'

/** Returns the batches of odd records of a source, the same records on two days. */
function batchesOf(source: SourceName): IngestBatch[] {
  const lines = oddLines(source).flatMap((line) => [line, line.replace(/}$/, OTHER_DAY)])
  return parse(lines.length > 0 ? lines.join('\n') : `{"source":"${source}"}`, { batchRows: 100 }).batches
}

function headOf(source: SourceName, batches: readonly IngestBatch[]): OpenBatch {
  const head = createOpenBatch(source)
  for (const batch of batches) decodeBatch(batch)(head)
  return head
}

const sealed = async (head: OpenBatch): Promise<Segment[]> =>
  (await seal(copyOf(head), internIn(createInterner()), noYield)).map(segmentOfSealedRows)
const copyOf = (head: OpenBatch) => ({ ...copyRows(head), cold: head.cold })

const bitsOf = ({ inMetadata: { mask, rows } }: Batch, row: number) => rows?.[row] ?? mask

async function expectHolds(source: SourceName, batch: Batch): Promise<void> {
  const read = batch.openCold()
  let union = 0
  for (let row = 0; row < batch.rows; row++) {
    const metadata = decodeUtf8((await read(row)).metadata)
    for (const { name, kind, path } of hotColumns(source)) {
      if (kind === 'areas') continue
      const value = (kind === 'number' ? numberAt : textAt)(metadata, path)
      expect(hotValue(batch, name, row), `${name} of ${metadata}`).toEqual(value === 0 ? expect.closeTo(0) : value)
    }
    const bits = bitsInMetadata(source, metadata)
    expect(bitsOf(batch, row), metadata).toBe(bits)
    union |= bits
  }
  expect(batch.inMetadata.mask).toBe(union >>> 0)
}

describe.each(SOURCE_NAMES)('declared fields of %s', (source) => {
  it('are held by a head, and by its segments', async () => {
    const head = headOf(source, batchesOf(source))
    await expectHolds(source, snapshot(head))
    for (const segment of await sealed(head)) {
      await expectHolds(source, segment)
      const files = createMemoryFiles()
      await writeSegment(files, 'segment', segment)
      const opened = await openSegment(files, 'segment')
      await expectHolds(source, opened)
      expect(opened.inMetadata).toEqual(segment.inMetadata)
    }
  })

  it('are in the metadata of the rows of old batches', async () => {
    const [batch] = batchesOf(source)
    const head = headOf(source, [withoutFields(batch!), batch!])
    const all = snapshot(head)
    expect(all.inMetadata.mask).toBe(ALL_IN_METADATA)
    for (let row = 0; row < all.rows; row++) {
      const isOld = row < batch!.rows
      const metadata = decodeUtf8((await all.openCold()(row)).metadata)
      expect(bitsOf(all, row)).toBe(isOld ? ALL_IN_METADATA : bitsInMetadata(source, metadata))
      for (const { name, isFieldOnly } of hotColumns(source))
        if (isOld && isFieldOnly) expect(hotValue(all, name, row)).toBe(undefined)
    }
    const segments = await sealed(head)
    expect(segments.map(({ inMetadata }) => inMetadata.mask)).toEqual(segments.map(() => ALL_IN_METADATA))
  })
})

describe('a file without bit sets', () => {
  it('has all bits set, and not the columns that are younger than it', async () => {
    const files = createMemoryFiles()
    for (const source of SOURCE_NAMES) {
      const [segment] = await sealed(headOf(source, batchesOf(source)))
      const columns = new Map(planColumns(source).map(({ name }) => [name, segment!.columns.get(name)!]))
      const inMetadata = { mask: undefined as unknown as number }
      await writeSegment(files, source, { ...segment!, columns, inMetadata })
      const opened = await openSegment(files, source)
      expect(opened.inMetadata).toEqual({ mask: ALL_IN_METADATA })
      expect([...opened.columns.keys()]).toEqual(planColumns(source).map(({ name }) => name))
    }
  })

  it('that lacks one column has the bit of that set', async () => {
    const files = createMemoryFiles()
    const [segment] = await sealed(headOf('auth_logs', batchesOf('auth_logs')))
    const columns = new Map([...segment!.columns].filter(([name]) => name !== 'method'))
    await writeSegment(files, 'younger', { ...segment!, columns })
    await writeSegment(files, 'clean', { ...segment!, columns, inMetadata: { mask: 0 } })
    const [younger, clean] = [await openSegment(files, 'younger'), await openSegment(files, 'clean')]
    expect(clean.inMetadata).toEqual({ mask: 8 })
    expect(younger.inMetadata.mask).toBe(segment!.inMetadata.mask | 8)
    expect([...younger.inMetadata.rows!]).toEqual([...segment!.inMetadata.rows!].map((bits) => bits | 8))
  })
})

describe('bit sets', () => {
  it('are left out if no row has a bit, and forgotten by a head that is used again', async () => {
    const { batches } = parse('{"source":"auth_logs","metadata":{"level":"info","status":200}}')
    const head = headOf('auth_logs', batches)
    expect(snapshot(head).inMetadata).toEqual({ mask: 0 })
    const [segment] = await sealed(head)
    expect(segment!.inMetadata).toEqual({ mask: 0 })
  })

  it('do not change with later appends', () => {
    const of = (level: string) => parse(`{"source":"auth_logs","metadata":{"level":${level}}}`).batches
    const head = headOf('auth_logs', of('"info"'))
    const before = snapshot(head)
    for (const batch of of('7')) decodeBatch(batch)(head)
    expect(before.inMetadata).toEqual({ mask: 0 })
    expect(snapshot(head).inMetadata).toEqual({ mask: 1, rows: expect.any(Uint32Array) })
    expect([0, 1].map((row) => bitsOf(snapshot(head), row))).toEqual([0, 1])
  })
})
