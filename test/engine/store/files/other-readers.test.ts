import * as flechette from '@uwdata/flechette'
import { CompressionType as ArrowCompression, compressionRegistry, tableFromIPC as readByArrow } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeAt } from '../../../../src/engine/execute/columns/batch.js'
import { entryOf } from '../../../../src/engine/execute/columns/dictionary.js'
import { writeSegment } from '../../../../src/engine/store/files/segment-file.js'
import type { Segment } from '../../../../src/engine/store/segment/segment.js'
import { edge } from '../../../support/records.js'
import { compressFrame, decompressFrame } from '../../../support/zstd-frames.js'
import { hotValue, sealedSegments } from '../support.js'
import { createMemoryFiles } from './memory-files.js'
import { arbitraryRecords, coldOf } from './segments.js'

/**
 * Readers that share no code with each other. The program uses apache-arrow only to encode metadata. A
 * file becomes rows.
 */
const READERS: Record<string, (file: Uint8Array) => Record<string, unknown>[]> = {
  flechette(file) {
    const codec = { encode: compressFrame, decode: decompressFrame }
    flechette.setCompressionCodec(flechette.CompressionType.ZSTD, codec)
    return flechette.tableFromIPC(file, { useBigInt: false }).toArray() as Record<string, unknown>[]
  },
  'apache-arrow'(file) {
    compressionRegistry.set(ArrowCompression.ZSTD, { decode: decompressFrame })
    return readByArrow(file)
      .toArray()
      .map((row) => row.toJSON())
  },
}

/** Returns the project of a row by the segment's ranges. */
function projectOf({ projects: { dictionary, starts } }: Segment, row: number): string | null {
  const project = starts.findIndex((start) => row < start)
  return project === 0 ? null : entryOf(dictionary, project).toString()
}

/** The rows that other readers must return. Timestamps are in milliseconds or microseconds, depending on the reader. */
const hotRows = (segment: Segment) =>
  Array.from({ length: segment.rows }, (_, row) => ({
    timestamp: timeAt(segment.times, row),
    project: projectOf(segment, row),
    ...Object.fromEntries([...segment.columns.keys()].map((name) => [name, hotValue(segment, name, row) ?? null])),
  }))

const coldRows = async (segment: Segment) =>
  (await coldOf(segment)).map(([id, event_message, metadata]) => ({ id, event_message, metadata }))

describe.each(Object.entries(READERS))('%s', (_, read) => {
  /** Returns the rows that the reader finds in the files of a segment. Timestamps are milliseconds, with a fraction. */
  async function readSegment(segment: Segment) {
    const files = createMemoryFiles()
    await writeSegment(files, 's', segment)
    const [hot, cold] = ['s/hot.arrow', 's/cold.arrow'].map((path) => read(files.contents.get(path)!))
    return {
      hot: hot!.map((row) => ({ ...row, timestamp: microseconds(row.timestamp) })),
      cold: cold!.map((row) => ({ ...row })),
    }
  }

  it('reads every value of every source', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        for (const segment of await sealedSegments(records)) {
          expect(await readSegment(segment)).toEqual({ hot: hotRows(segment), cold: await coldRows(segment) })
        }
      }),
    )
  })

  it('reads many batches, and dictionaries of more than 65,536 entries', async () => {
    const records = Array.from({ length: 66_000 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: 1e15 + i, metadata: { request: { url: `u${i}` } } }),
    )
    for (const segment of await sealedSegments(records)) {
      const { hot, cold } = await readSegment(segment)
      expect([hot.length, cold.length]).toEqual([segment.rows, segment.rows])
      expect(hot.slice(-300)).toEqual(hotRows(segment).slice(-300))
      expect(cold.at(-1)).toMatchObject({ id: '65999' })
    }
  })
})

const microseconds = (value: unknown) => Math.round(Number(value) * 1000)
