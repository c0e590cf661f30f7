import { describe, expect, it } from 'vitest'
import { decodeEnd, endBytes } from '../../../../src/arrow-ipc/file.js'
import { LogweirError } from '../../../../src/base/errors.js'
import { COLD_COLUMNS } from '../../../../src/common/columns.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { decodeAside } from '../../../../src/engine/store/files/column-aside.js'
import { encodeHot } from '../../../../src/engine/store/files/hot-file.js'
import {
  readSegmentFacts,
  readUncompactedCold,
  replaceColdFile,
  writeSegment,
} from '../../../../src/engine/store/files/segment-file.js'
import { compactCold } from '../../../../src/engine/store/sealing/compact.js'
import { COMPRESSION } from '../../../../src/engine/store/segment/cold.js'
import type { Segment } from '../../../../src/engine/store/segment/segment.js'
import { edge, invocation } from '../../../support/records.js'
import { uniform } from '../../execute/accumulators/distributions.js'
import { sealedBatch } from '../support.js'
import { createMemoryFiles } from './memory-files.js'
import { coldOf, hotOf, openSegment } from './segments.js'

const { rows: BATCH_ROWS } = COMPRESSION.low
const REMEDY = 'Restore it from a backup, or remove its directory to continue without its rows.'
const damaged = (path: string, what: string) =>
  new LogweirError('damaged_segment', `The segment file ${path} is damaged: ${what}. ${REMEDY}`)

async function written(records = rows()) {
  const files = createMemoryFiles()
  const segment = await sealedBatch(records)
  await writeSegment(files, 's', segment)
  return { files, expected: await contentOf(segment) }
}

/** Returns the same with a compacted cold file. */
async function compacted(records = rows()) {
  const given = await written(records)
  const cold = await readUncompactedCold(given.files, 's', await readSegmentFacts(given.files, 's'))
  const smaller = await compactCold(
    cold!,
    createColdTexts(),
    () => true,
    () => undefined,
  )
  await replaceColdFile(given.files, 's', smaller!)
  return given
}

const rows = () =>
  Array.from({ length: 700 }, (_, i) =>
    invocation({
      id: `${i}`,
      timestampUs: i * 7,
      project: i % 5 === 0 ? null : `p${i % 50}`,
      metadata: { function_id: `f${i % 9}`, ...(i % 4 > 0 && { execution_time_ms: i / 3 }) },
    }),
  )

/** Returns files of a segment of which the first `times` reads fail. */
async function failing(failure: Error, times = Number.POSITIVE_INFINITY) {
  const { files } = await written()
  const reads = { count: 0 }
  const { openToRead } = files
  files.openToRead = async (path) => {
    if (++reads.count <= times) throw failure
    return openToRead(path)
  }
  return { files, reads }
}

const contentOf = async (segment: Segment) => ({ hot: hotOf(segment), cold: await coldOf(segment) })

/** Opens the segment and reads a row of the cold columns. */
const readRow = async (files: Files) => (await openSegment(files, 's')).openCold()(0)

/** Reads everything after a file was changed: returns the original values, or the error of damage. */
async function outcome({ files, expected }: Awaited<ReturnType<typeof written>>, path: string, bytes: Buffer) {
  const before = files.contents.get(path)!
  files.contents.set(path, bytes)
  const read = async () => {
    const segment = await openSegment(files, 's')
    const content = await contentOf(segment)
    expect(content).toStrictEqual(expected)
    return 'unaltered'
  }
  const result = await read().catch((error) => {
    if (!(error instanceof LogweirError)) throw error
    expect(error.message).toContain(path)
    return error.code
  })
  files.contents.set(path, before)
  expect(files.open.count).toBe(0)
  return result
}

describe.each([
  ['s/hot.arrow', 'as it was sealed', written],
  ['s/cold.arrow', 'as it was sealed', written],
  ['s/cold.arrow', 'made smaller', compacted],
])('%s, %s,', (path, _, make) => {
  it('is an error where it is cut, at any place', async () => {
    const given = await make()
    const file = given.files.contents.get(path)!
    const places = [0, 1, 9, 10, 17, 18, file.length - 1, file.length - 4, file.length - 11]
    for (let place = 20; place < file.length; place += Math.ceil(file.length / 90)) places.push(place)
    for (const place of places) expect(await outcome(given, path, file.subarray(0, place))).toBe('damaged_segment')
  })

  it('is an error or gives the same values where a bit is changed', async () => {
    const given = await make()
    const file = given.files.contents.get(path)!
    const next = uniform(7)
    const outcomes = new Map<string, number>()
    for (let i = 0; i < 300; i++) {
      const flipped = Buffer.from(file)
      // Every bit of the last bytes, then random bits.
      const bit = i < 120 ? file.length * 8 - 1 - i : Math.floor(next() * file.length * 8)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const result = await outcome(given, path, flipped)
      outcomes.set(result, (outcomes.get(result) ?? 0) + 1)
    }
    expect([...outcomes.keys()].filter((code) => !['damaged_segment', 'unaltered'].includes(code))).toEqual([])
    expect(outcomes.get('damaged_segment')).toBeGreaterThan(250)
  })
})

describe('what is wrong with a segment', () => {
  it('is said with the file and what to do', async () => {
    const { files } = await written()
    const [hot, cold] = ['s/hot.arrow', 's/cold.arrow'].map((path) => files.contents.get(path)!)
    files.contents.delete('s/cold.arrow')
    await expect(readRow(files)).rejects.toEqual(damaged('s/cold.arrow', 'it does not exist'))
    files.contents.set('s/cold.arrow', cold!.subarray(1))
    const lengths = `it has ${cold!.length - 1} bytes instead of ${cold!.length}`
    await expect(readRow(files)).rejects.toEqual(damaged('s/cold.arrow', lengths))
    files.contents.set('s/hot.arrow', hot!.subarray(0, -1))
    const end = 'it does not end like an Arrow file'
    await expect(openSegment(files, 's')).rejects.toEqual(damaged('s/hot.arrow', end))
    const times = decodeAside(decodeEnd(hot!.subarray(-endBytes(hot!)))!.aside).columns[0]!.buffers
    files.contents.set('s/hot.arrow', Buffer.from(hot!).fill(0, times.offset, times.offset + 10))
    const sum = 'its column timestamp does not match its checksum'
    await expect(openSegment(files, 's')).rejects.toEqual(damaged('s/hot.arrow', sum))
  })

  it('may be the cold file of another', async () => {
    const [one, other] = [await written([edge({ id: 'a' })]), await written([edge({ id: 'b' })])]
    one.files.contents.set('s/cold.arrow', other.files.contents.get('s/cold.arrow')!)
    const why = 'it belongs to another segment'
    await expect(readRow(one.files)).rejects.toEqual(damaged('s/cold.arrow', why))
    const smaller = await compacted([edge({ id: 'c' })])
    one.files.contents.set('s/cold.arrow', smaller.files.contents.get('s/cold.arrow')!)
    await expect(readRow(one.files)).rejects.toEqual(damaged('s/cold.arrow', why))
  })

  it('is found before it is made smaller', async () => {
    const { files } = await written()
    const facts = await readSegmentFacts(files, 's')
    const cold = files.contents.get('s/cold.arrow')!
    cold[Math.floor(cold.length * 0.75)]! ^= 1
    const why = 'batch 1 does not match its checksum'
    await expect(readUncompactedCold(files, 's', facts)).rejects.toEqual(damaged('s/cold.arrow', why))
  })

  it('of its cold columns alone leaves what is asked of the others', async () => {
    const { files, expected } = await written()
    const segment = await openSegment(files, 's')
    files.contents.delete('s/cold.arrow')
    expect(hotOf(segment)).toStrictEqual(expected.hot)
    const read = segment.openCold()
    await expect(read(0)).rejects.toMatchObject({ code: 'damaged_segment' })
    await expect(read(0)).rejects.toMatchObject({ code: 'damaged_segment' })
  })

  it('of a batch of cold rows is found when it is read; the others are read', async () => {
    const { files } = await written()
    const cold = files.contents.get('s/cold.arrow')!
    cold[Math.floor(cold.length * 0.75)]! ^= 1
    const read = (await openSegment(files, 's')).openCold()
    const why = 'batch 1 does not match its checksum'
    await expect(read(BATCH_ROWS)).rejects.toEqual(damaged('s/cold.arrow', why))
    expect((await read(0)).metadata.length).toBeGreaterThan(0)
  })

  it('of a batch is found by a read of one column too, whichever column is damaged', async () => {
    const { files } = await written()
    const segment = await openSegment(files, 's')
    const { from, to, bytes } = await segment.readColdTexts('id', BATCH_ROWS)
    const ids = (await coldOf(segment)).slice(BATCH_ROWS).map(([id]) => id)
    expect([from, to, bytes.toString()]).toEqual([BATCH_ROWS, 700, ids.join('')])
    const cold = files.contents.get('s/cold.arrow')!
    cold[Math.floor(cold.length * 0.75)]! ^= 1
    const why = 'batch 1 does not match its checksum'
    for (const column of COLD_COLUMNS) {
      await expect(segment.readColdTexts(column, BATCH_ROWS)).rejects.toEqual(damaged('s/cold.arrow', why))
      expect((await segment.readColdTexts(column, 0)).to).toBe(BATCH_ROWS)
      const read = segment.openColdTexts(column)
      expect((await read(0, 700)).to).toBe(BATCH_ROWS)
      await expect(read(BATCH_ROWS, 700)).rejects.toEqual(damaged('s/cold.arrow', why))
    }
  })

  it('is not that a later version wrote it', async () => {
    const files = createMemoryFiles()
    const segment = await sealedBatch([edge()])
    await writeSegment(files, 's', segment)
    const facts = await readSegmentFacts(files, 's')
    files.contents.set('s/hot.arrow', Buffer.concat(await encodeHot(segment, { ...facts, version: 3 })))
    const message =
      'The segment file s/hot.arrow has format 3; this version of logweir reads formats up to 2. ' +
      'Use the version that wrote it, or a later one.'
    await expect(openSegment(files, 's')).rejects.toEqual(new LogweirError('newer_format', message))
    await expect(readSegmentFacts(files, 's')).rejects.toMatchObject({ code: 'newer_format' })
  })

  it.each([
    'EMFILE',
    'ENFILE',
    'ENOMEM',
    'ENOSPC',
    'EROFS',
    'ESTALE',
    'ENODEV',
  ])('is not that the system fails with %s', async (code) => {
    const failure = Object.assign(new Error(code), { code })
    const { files } = await failing(failure)
    await expect(openSegment(files, 's')).rejects.toBe(failure)
  })

  it('is not that the disk fails, so that its folder cannot be listed either', async () => {
    const failure = Object.assign(new Error('EIO'), { code: 'EIO' })
    const { files } = await failing(failure)
    files.list = () => Promise.reject(failure)
    await expect(openSegment(files, 's')).rejects.toBe(failure)
  })

  it.each([
    'EIO',
    'EISDIR',
    'ELOOP',
    'EACCES',
    'EPERM',
    'ENXIO',
    'EINVAL',
    'ENOTDIR',
    'EUCLEAN',
  ])('may be that one file cannot be read with %s', async (code) => {
    const failure = Object.assign(new Error(`${code}: no`), { code })
    const { files } = await failing(failure)
    const error = await openSegment(files, 's').catch((reason) => reason)
    const expected = damaged('s/hot.arrow', `it cannot be read (${code}: no)`)
    expect([error.code, error.message, error.cause]).toEqual([expected.code, expected.message, failure])
  })

  it('is not that one read fails, or brings wrong bytes, and the next one does not', async () => {
    const { files, reads } = await failing(Object.assign(new Error('EIO'), { code: 'EIO' }), 1)
    expect((await openSegment(files, 's')).rows).toBe(700)
    expect(reads.count).toBeGreaterThan(1)
  })
})
