import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrayBuffersOf } from '../../../../src/base/memory/array-buffers.js'
import { readSegmentFacts, writeSegment } from '../../../../src/engine/store/files/segment-file.js'
import { COMPRESSION } from '../../../../src/engine/store/segment/cold.js'
import type { Segment } from '../../../../src/engine/store/segment/segment.js'
import { edge } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { sealedBatch, sealedSegments } from '../support.js'
import { createMemoryFiles } from './memory-files.js'
import { arbitraryRecords, coldOf, hotOf, openSegment } from './segments.js'

const RUNS = runs(60)

const { rows: BATCH_ROWS } = COMPRESSION.low

/** More rows than a batch, and texts enough for a gram filter. */
const many = () =>
  Array.from({ length: 4000 }, (_, i) =>
    edge({
      id: `${i}`,
      timestampUs: i * 1000,
      project: i % 3 === 0 ? null : `p${i % 700}`,
      metadata: { request: { url: `https://${'u'.repeat(40)}${i}` } },
    }),
  )

describe('a segment on disk', () => {
  it('has what was sealed: every column, selection and cold row', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        const files = createMemoryFiles()
        for (const segment of await sealedSegments(records)) {
          await writeSegment(files, `days/${segment.day}`, segment)
          const opened = await openSegment(files, `days/${segment.day}`)
          expect(hotOf(opened)).toStrictEqual(hotOf(segment))
          expect(await coldOf(opened)).toEqual(await coldOf(segment))
          for (const project of ['a', 'b', '', 'é', 'x\ny', 'x', 'c']) {
            expect(opened.projectRows(project)).toEqual(segment.projectRows(project))
          }
        }
        expect(files.open.count).toBe(0)
      }),
      { numRuns: RUNS },
    )
  })

  it('may have one row, and many batches and projects', async () => {
    for (const records of [[edge()], many()]) {
      const files = createMemoryFiles()
      const segment = await sealedBatch(records)
      await writeSegment(files, 's', segment)
      const opened = await openSegment(files, 's')
      expect(hotOf(opened)).toStrictEqual(hotOf(segment))
      expect(await coldOf(opened)).toEqual(await coldOf(segment))
      expect(opened.coldBytes).toBe(4 * (2 + 3 * Math.ceil(records.length / BATCH_ROWS)))
    }
  })

  it('is left alone by others that are read at the same time and later', async () => {
    const sealed = await Promise.all([many(), many().slice(0, 100), [edge()]].map(sealedBatch))
    const [files, others] = [createMemoryFiles(), createMemoryFiles()]
    for (const of of [files, others]) {
      for (const [i, segment] of sealed.entries()) await writeSegment(of, `${i}`, segment)
    }
    const alone: Segment[] = []
    for (const [i, segment] of sealed.entries()) {
      alone.push(await openSegment(others, `${i}`))
      expect(hotOf(alone[i]!)).toStrictEqual(hotOf(segment))
    }
    const open = (i: number) => openSegment(files, `${i}`)
    const order = [0, 1, 2, 0, 1]
    const opened = [await Promise.all(order.map(open)), await Promise.all(order.map(open))].flat()
    for (const number of order) opened.push(await open(number))
    for (const [i, segment] of opened.entries()) {
      expect(hotOf(segment)).toStrictEqual(hotOf(alone[order[i % order.length]!]!))
    }
  })

  it('keeps the filter over its texts', async () => {
    const files = createMemoryFiles()
    await writeSegment(files, 's', await sealedBatch(many()))
    const url = (await openSegment(files, 's')).columns.get('url')!
    expect(url.kind === 'text' && url.dictionary.grams!.firstEntries.length).toBeGreaterThan(2)
  })

  it('has times in memory of their own, before they are read and after', async () => {
    const files = createMemoryFiles()
    await writeSegment(files, 's', await sealedBatch(many().slice(0, 20)))
    const { times } = await openSegment(files, 's')
    // Memory that other buffers share must not be freed with the times.
    const sizes = () => arrayBuffersOf([times]).map(({ byteLength }) => byteLength)
    expect(sizes()).toEqual([expect.any(Number)])
    expect(sizes()[0]).toBeLessThan(300)
    expect([times.offsets.length, sizes()]).toEqual([20, [80]])
  })

  it('says what it is at its end, however long that is', async () => {
    const files = createMemoryFiles()
    const segment = await sealedBatch(many())
    await writeSegment(files, 's', segment)
    const { source, day, rows, minUs, maxUs } = segment
    const [hot, cold] = [files.contents.get('s/hot.arrow')!.length, files.contents.get('s/cold.arrow')!.length]
    expect(await readSegmentFacts(files, 's')).toEqual({
      version: 2,
      ...{ source, day, rows, minUs, maxUs },
      ...{ timeUnitUs: 1, timeBytes: 4 },
      coldFileBytes: cold,
      inMetadata: 0,
      coldCheck: expect.any(Number),
      fileBytes: hot + cold,
      pathFileBytes: 0,
    })
  })

  it(
    'reads of its cold columns what finds a row, once, and the batch that is asked for, ' + 'once for neighbours',
    async () => {
      const reads: string[] = []
      const files = createMemoryFiles()
      await writeSegment(files, 's', await sealedBatch(many()))
      const { openToRead } = files
      files.openToRead = async (path) => {
        const file = await openToRead(path)
        return { ...file, readAt: (at, target) => file.readAt(at, target).finally(() => reads.push(path)) }
      }
      const segment = await openSegment(files, 's')
      expect(reads).not.toContain('s/cold.arrow')
      const read = segment.openCold()
      await read(BATCH_ROWS + 44)
      reads.length = 0
      for (const row of [BATCH_ROWS + 45, 2 * BATCH_ROWS - 1, 2 * BATCH_ROWS]) await read(row)
      expect(reads).toEqual(['s/cold.arrow'])
      expect(read(2 * BATCH_ROWS + 1)).not.toBeInstanceOf(Promise)
      await segment.openCold()(0)
      expect(reads).toEqual(['s/cold.arrow', 's/cold.arrow'])
      reads.length = 0
      const texts = segment.openColdTexts('id')
      const ids: string[] = []
      for (let row = 0; row < 2 * BATCH_ROWS; ) {
        const { from, to, bytes } = await texts(row, 2 * BATCH_ROWS)
        expect(from).toBe(row)
        ids.push(bytes.toString())
        row = to
      }
      expect(reads).toEqual(['s/cold.arrow'])
      const expected = (await coldOf(segment)).slice(0, 2 * BATCH_ROWS).map(([id]) => id)
      expect(ids.join('')).toBe(expected.join(''))
    },
  )
})

describe('writing a segment', () => {
  it('gives it its name when all of it is safe', async () => {
    const steps: string[] = []
    const files = createMemoryFiles((what, path) => steps.push(`${what} ${path}`))
    await writeSegment(files, 'days/5', await sealedBatch([edge()]))
    expect(steps).toEqual([
      'remove days/5.unfinished',
      'make days/5.unfinished',
      ...['open', 'write', 'sync'].map((what) => `${what} days/5.unfinished/cold.arrow`),
      ...['open', 'write', 'sync'].map((what) => `${what} days/5.unfinished/hot.arrow`),
      'sync days/5.unfinished',
      'rename days/5.unfinished to days/5',
      'sync days',
    ])
  })

  it('leaves nothing where any step fails, and hands on why', async () => {
    const segment = await sealedBatch([edge()])
    const full = new Error('ENOSPC')
    for (let failing = 0; failing < 11; failing++) {
      let steps = 0
      const files = createMemoryFiles(() => {
        if (steps++ === failing) throw full
      })
      await expect(writeSegment(files, 'a', segment)).rejects.toBe(full)
      expect([[...files.contents.keys()], files.open.count]).toEqual([[], 0])
    }
  })

  it('takes the place of one that was not finished', async () => {
    const files = createMemoryFiles()
    files.contents.set('a.unfinished/cold.arrow', Buffer.from('half'))
    await writeSegment(files, 'a', await sealedBatch([edge()]))
    expect([...files.contents.keys()].sort()).toEqual(['a/cold.arrow', 'a/hot.arrow'])
  })

  it('is not for a segment whose cold columns are on disk', async () => {
    const files = createMemoryFiles()
    await writeSegment(files, 'a', await sealedBatch([edge()]))
    const why = new TypeError('The cold columns of the segment are not in memory.')
    await expect(writeSegment(files, 'b', await openSegment(files, 'a'))).rejects.toEqual(why)
  })
})
