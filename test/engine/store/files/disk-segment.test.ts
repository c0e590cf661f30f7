import { describe, expect, it } from 'vitest'
import { decodeEnd, endBytes } from '../../../../src/arrow-ipc/file.js'
import { arrayBuffersOf } from '../../../../src/base/memory/array-buffers.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { decodeAside, type Piece } from '../../../../src/engine/store/files/column-aside.js'
import { DiskSegment, type SegmentDisk } from '../../../../src/engine/store/files/disk-segment.js'
import { createColumnCache, createPathCache } from '../../../../src/engine/store/files/segment-caches.js'
import { readSegmentFacts, writeSegment } from '../../../../src/engine/store/files/segment-file.js'
import { below, mulberry32, type Random } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { testSeed } from '../../../support/seed.js'
import { bufferBytes, hotValue, noYield, sealedBatch } from '../support.js'
import { createMemoryFiles } from './memory-files.js'

const NAMES = ['url', 'path', 'status_code']
const BASE: readonly string[] = []

/** Rows of a segment, different rows for each number. */
const rowsOf = (number: number) =>
  Array.from({ length: 300 }, (_, i) =>
    edge({
      id: `${i}`,
      timestampUs: i,
      project: `p${i % 3}`,
      metadata: {
        request: { url: `u${number} ${i % 50}`, path: '/auth' },
        response: { status_code: number * 1000 + i },
      },
    }),
  )

/** A read that waits until `proceed` lets the read continue or fail. */
interface WaitingRead {
  proceed(error?: Error): void
}

/** Segments on a disk. If `isHeld`, each read waits in `reads`. */
async function onDisk(count: number) {
  const files = createMemoryFiles()
  for (let i = 0; i < count; i++) await writeSegment(files, `${i}`, await sealedBatch(rowsOf(i)))
  const facts = []
  for (let i = 0; i < count; i++) facts.push(await readSegmentFacts(files, `${i}`))
  const reads: WaitingRead[] = []
  const state = { isHeld: true }
  const { openToRead } = files
  files.openToRead = async (path) => {
    const file = await openToRead(path)
    return {
      ...file,
      readAt: (at, target) =>
        new Promise((resolve, reject) => {
          const proceed = (error?: Error) => (error === undefined ? resolve(file.readAt(at, target)) : reject(error))
          if (state.isHeld) reads.push({ proceed })
          else proceed()
        }),
    }
  }
  const diskRetry: SegmentDisk['diskRetry'] = { retry: (attempt) => attempt() }
  const reported: string[] = []
  const onDamage = ({ path }: DiskSegment) => void reported.push(path)
  const onPathDamage = ({ path }: DiskSegment) => void reported.push(`path columns of ${path}`)
  const disk = {
    files,
    diskRetry,
    columns: createColumnCache<DiskSegment>(),
    paths: createPathCache<DiskSegment>(),
    onLoad: () => {},
    onDamage,
    onPathDamage,
    raiseFormat: async () => {},
  }
  const segments = facts.map((of, i) => {
    const place = { source: of.source, day: of.day, number: i, part: 0, edition: 0, path: `${i}` }
    return new DiskSegment(disk, place, of, true)
  })
  return { files, disk, segments, reads, state, reported }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const open = (segment: DiskSegment, names: readonly string[]) => segment.open(noYield, new Set(names))
const bytesIn = ({ times, projects, columns }: Awaited<ReturnType<DiskSegment['open']>>) =>
  bufferBytes([times.offsets, projects, columns])

/** Expects columns to be in memory, with their values. */
function expectColumns(batch: Batch, number: number, names: readonly string[]): void {
  expect(batch.times.offsets).toHaveLength(300)
  for (const name of names) expect(batch.columns.has(name)).toBe(true)
  const wanted: Record<string, unknown> = { url: `u${number} 0`, path: 4, status_code: number * 1000 }
  for (const name of batch.columns.keys()) expect(hotValue(batch, name, 0)).toBe(wanted[name])
}

describe('a segment on disk', () => {
  it('has the columns in memory that were named, and takes memory for no others', async () => {
    const { segments, disk, state } = await onDisk(1)
    state.isHeld = false
    const segment = segments[0]!
    expect([segment.hotBytes, disk.columns.calculatedSize]).toEqual([0, 0])
    const none = await open(segment, BASE)
    expect([...none.columns.keys()]).toEqual([])
    expect([segment.hotBytes, disk.columns.calculatedSize]).toEqual([bytesIn(none), bytesIn(none) + none.coldBytes])
    const path = await open(segment, ['path'])
    expect([...path.columns.keys()]).toEqual(['path'])
    expect(segment.hotBytes).toBe(bytesIn(none) + 300)
    const url = await open(segment, ['url', 'path'])
    expect([...url.columns.keys()].sort()).toEqual(['path', 'url'])
    expect([segment.hotBytes, disk.columns.calculatedSize]).toEqual([bytesIn(url), bytesIn(url) + url.coldBytes])
    // Columns in memory are opened at once, and an open batch does not change.
    expect([open(segment, ['path']) === url, open(segment, BASE) === url]).toEqual([true, true])
    expect([[...none.columns.keys()], [...path.columns.keys()]]).toEqual([[], ['path']])
    for (let i = 0; i < 5; i++) segment.close()
    expect(disk.columns.pop()).toBe(url)
    expect([segment.hotBytes, disk.columns.calculatedSize, bytesIn(url), bytesIn(none)]).toEqual([0, 0, 0, 0])
  })

  it('keeps the memory of columns that left the cache while they are in use, and counts what comes back', async () => {
    const { segments, disk, state } = await onDisk(1)
    state.isHeld = false
    const segment = segments[0]!
    const first = await open(segment, ['url'])
    disk.columns.pop()
    const second = await open(segment, ['path'])
    expectColumns(first, 0, ['url'])
    expectColumns(second, 0, ['url', 'path'])
    expect(disk.columns.calculatedSize).toBe(bytesIn(second) + second.coldBytes)
    segment.close()
    segment.close()
    expectColumns(second, 0, ['url', 'path'])
    disk.columns.clear()
    expect(arrayBuffersOf([first.times, first.columns, second.columns])).toEqual([])
  })

  it('is not read again for a column that it does not have', async () => {
    const { segments, reads, state } = await onDisk(1)
    state.isHeld = false
    await open(segments[0]!, ['request.method'])
    state.isHeld = true
    expect(open(segments[0]!, ['request.method'])).not.toBeInstanceOf(Promise)
    expect(reads).toEqual([])
  })

  it('reads a column once for all who ask for it at the same time', async () => {
    const { segments, reads } = await onDisk(1)
    const segment = segments[0]!
    const opening = [['url'], ['url'], BASE, ['url']].map((names) => open(segment, names))
    await turn()
    expect(reads).toHaveLength(1)
    reads.shift()!.proceed()
    const batches = await Promise.all(opening)
    expect(new Set(batches).size).toBe(1)
    expect(reads).toEqual([])
  })

  it('is set aside as a whole when a damaged column is read, and keeps what is open', async () => {
    const { files, segments, state, disk, reported } = await onDisk(1)
    state.isHeld = false
    const file = files.contents.get('0/hot.arrow')!
    const segment = segments[0]!
    const facts = await open(segment, BASE)
    file[dictionaryOf(file, 'url').offset]! ^= 1
    const all = [NAMES, ['path'], ['url'], BASE, ['status_code', 'path']].map((names) => open(segment, names))
    for (const outcome of await Promise.allSettled(all)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'damaged_segment' })
      else segment.close()
    }
    await expect(open(segment, ['url'])).rejects.toMatchObject({ code: 'damaged_segment' })
    await expect(open(segment, BASE)).rejects.toMatchObject({ code: 'damaged_segment' })
    expect(facts.times.offsets).toHaveLength(300)
    expect([reported, segment.isSetAside, disk.columns.has(segment)]).toEqual([['0'], true, false])
    segment.close()
    expect(facts.times.offsets).toHaveLength(0)
  })

  it('is set aside when a damaged batch of cold columns is read, not if the second read works', async () => {
    const { files, segments, state, reported } = await onDisk(2)
    state.isHeld = false
    const [first, second] = [await open(segments[0]!, BASE), await open(segments[1]!, BASE)]
    const cold = files.contents.get('0/cold.arrow')!
    cold[cold.length >> 1]! ^= 1
    await expect(first.openCold()(0)).rejects.toMatchObject({ code: 'damaged_segment' })
    await expect(first.openCold()(0)).rejects.toMatchObject({ code: 'damaged_segment' })
    expect([reported, segments[0]!.isSetAside, segments[1]!.isSetAside]).toEqual([['0'], true, false])
    const { openToRead } = files
    let opens = 0
    files.openToRead = async (path) => {
      const opened = await openToRead(path)
      if (opens++ > 0) return opened
      const readAt = async (_: number, target: Uint8Array) => target.fill(1).length
      return { ...opened, readAt }
    }
    expect(Buffer.from((await second.openCold()(0)).id).toString()).toBe('0')
    expect([opens, reported]).toEqual([2, ['0']])
  })
})

/** The piece of a file that is the dictionary of a column. */
function dictionaryOf(file: Buffer, name: string): Piece {
  const { schema, aside } = decodeEnd(file.subarray(-endBytes(file)))!
  return decodeAside(aside).columns[schema.names.indexOf(name as never)]!.dictionary
}

/** A query that has a segment open, or waits for the segment. */
interface Query {
  number: number
  names: readonly string[]
  batch?: Batch
}

const FAILURE = new Error('EIO')

/** The model of {@link DiskSegment}: queries, and which queries have their columns. */
async function interleave(random: Random, steps: number) {
  const { files, disk, segments, reads, state } = await onDisk(2)
  const queries = new Set<Query>()
  const opening = new Set<Promise<void>>()
  const seen = new Set<Batch>()
  const counts = { opened: 0, failed: 0, evicted: 0, added: 0 }

  function openNext(): void {
    const query: Query = { number: below(random, segments.length), names: NAMES.filter(() => random() < 0.4) }
    const done = (batch: Batch) => {
      if (seen.size > 0 && !seen.has(batch)) counts.added++
      query.batch = batch
      queries.add(query)
      seen.add(batch)
      counts.opened++
    }
    const opened = open(segments[query.number]!, query.names)
    if (!(opened instanceof Promise)) {
      done(opened)
      return
    }
    const settled = opened.then(done, (error) => {
      expect(error).toBe(FAILURE)
      counts.failed++
    })
    opening.add(settled)
    settled.finally(() => opening.delete(settled))
  }

  function closeOne(): void {
    const query = [...queries][below(random, queries.size)]
    if (query === undefined) return
    queries.delete(query)
    segments[query.number]!.close()
  }

  function expectModel(): void {
    let size = 0
    for (const [number, segment] of segments.entries()) {
      const cached = disk.columns.peek(segment)
      size += cached === undefined ? 0 : bytesIn(cached) + cached.coldBytes
      expect(segment.hotBytes).toBe(cached === undefined ? 0 : bytesIn(cached))
      const batches = [...queries].filter((query) => query.number === number).map(({ batch }) => batch!)
      // All batches have the same column, which was loaded once.
      for (const name of NAMES) {
        const columns = [cached, ...batches].flatMap((batch) => batch?.columns.get(name) ?? [])
        expect(new Set(columns).size).toBeLessThanOrEqual(1)
      }
      expect(new Set([cached, ...batches].flatMap((batch) => batch?.times ?? [])).size).toBeLessThanOrEqual(1)
    }
    expect(disk.columns.calculatedSize).toBe(size)
    for (const { batch, number, names } of queries) expectColumns(batch!, number, names)
    // A segment reads one file at a time.
    expect(files.open.count).toBeLessThanOrEqual(segments.length)
  }

  for (let step = 0; step < steps; step++) {
    const choice = random()
    if (choice < 0.3) openNext()
    else if (choice < 0.5) closeOne()
    else if (choice < 0.6) counts.evicted += disk.columns.pop() === undefined ? 0 : 1
    else {
      const [read] = reads.splice(below(random, reads.length), 1)
      read?.proceed(random() < 0.3 ? FAILURE : undefined)
    }
    if (random() < 0.7) await turn()
    expectModel()
  }
  state.isHeld = false
  for (const read of reads.splice(0)) read.proceed()
  await Promise.all(opening)
  while (queries.size > 0) closeOne()
  for (const [number, segment] of segments.entries()) {
    expectColumns(await open(segment, NAMES), number, NAMES)
    segment.close()
  }
  expectModel()
  disk.columns.clear()
  // All memory was given back that anybody has seen.
  for (const batch of seen) expect(arrayBuffersOf([batch.times, batch.columns])).toEqual([])
  expect([files.open.count, disk.columns.calculatedSize]).toEqual([0, 0])
  return counts
}

it('segments are right however queries open and close them, reads fail and columns are evicted', async () => {
  const seed = testSeed()
  const total = { opened: 0, failed: 0, evicted: 0, added: 0 }
  for (let run = 0; run < 12; run++) {
    try {
      const counts = await interleave(mulberry32(seed + run), 150)
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key]
    } catch (error) {
      throw new Error(`seed ${seed + run}`, { cause: error })
    }
  }
  expect(Object.values(total).every((count) => count > 5)).toBe(true)
})
