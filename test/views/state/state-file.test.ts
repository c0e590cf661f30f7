import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { DAY_US, HOUR_US, MINUTE_US } from '../../../src/base/units.js'
import type { Files } from '../../../src/engine/disk/files/files.js'
import type { ContainedSegment } from '../../../src/views/state/file-end.js'
import { bytesOfGroup, type GroupStream, projectKey, type StateGroup } from '../../../src/views/state/group.js'
import { groupsOfFile, openStateFile } from '../../../src/views/state/read-file.js'
import { type KnownFacts, writeStateFile } from '../../../src/views/state/write-file.js'
import { createMemoryFiles } from '../../engine/store/files/memory-files.js'
import { noYield } from '../../engine/store/support.js'
import { createModelFiles } from '../../support/model-files.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { DAY, groupsIn } from './rows.js'

const PATH = 'views/v/00000001'
const STATES = ['count 1', 'mean 1']
const SEGMENTS: readonly ContainedSegment[] = [
  { name: 'edge_logs/2026-11-28/00000001-0', check: 'c1' },
  { name: 'edge_logs/2026-11-28/00000002-0', check: 'c2' },
]
const FACTS: KnownFacts = { view: 'a'.repeat(64), day: DAY, segments: SEGMENTS, states: STATES }
const REMEDY =
  'Restore it from a backup, or remove it: the view then has the rows of this file only as far as their segments are ' +
  'still there.'
const damaged = (what: string) =>
  new LogweirError('damaged_view_state', `The file ${PATH} of a view is damaged: ${what}. ${REMEDY}`)

/** A file that the first version of the format wrote, in base64. */
const VERSION_1 = [
  'KLUv/SA3hQEAZAIAAQAAgGVuK4UZQwIvYQIBAgAGCwEAAABwABC0yC4NA+KApgIBAgIASBFhFtMJjgJ7InZpZXciOiJhYWFhYWFh',
  'YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhIiwiZGF5IjoyMDc4NSwic2Vn',
  'bWVudHMiOlt7Im5hbWUiOiJlZGdlX2xvZ3MvMjAyNi0xMS0yOC8wMDAwMDAwMS0wIiwiY2hlY2siOiJjMSJ9LHsibmFtZSI6ImVk',
  'Z2VfbG9ncy8yMDI2LTExLTI4LzAwMDAwMDAyLTAiLCJjaGVjayI6ImMyIn1dLCJzdGF0ZXMiOlsiY291bnQgMSIsIm1lYW4gMSJd',
  'LCJncm91cHMiOjMsImlzUGFydGlhbCI6dHJ1ZX0BOTcLZLb/AQAAgGVuK4UZQzEBAAABAExXVklFV6wMJnU=',
].join('')

const streamOf = (...batches: readonly (readonly StateGroup[])[]): GroupStream => ({
  async *[Symbol.asyncIterator]() {
    yield* batches
  },
})

const PROJECTS = [null, 'a', 'b', '__proto__', 'long project'].map(projectKey)

/** Groups in order: all projects, every fifth minute of a day, a few keys each, with states that do not compress. */
function manyGroups(random: Random, keys = 4): StateGroup[] {
  return PROJECTS.flatMap((project) =>
    Array.from({ length: 288 }, (_, i) => DAY * DAY_US + (287 - i) * 5 * MINUTE_US).flatMap((bucketUs) =>
      Array.from({ length: keys }, (_, key): StateGroup => {
        const isRest = key === keys - 1
        const states = Buffer.from(Array.from({ length: 40 }, () => below(random, 256)))
        return { project, bucketUs, keys: Buffer.of(key, 7), states, isRest, isPartial: isRest && random() < 0.5 }
      }),
    ),
  )
}

async function written(groups: readonly StateGroup[]) {
  const files = createMemoryFiles()
  await writeStateFile(files, PATH, FACTS, streamOf(groups.slice(0, 9), [], groups.slice(9)), noYield)
  return files
}

const read = async (files: Files, path = PATH) => {
  const file = await openStateFile(files, path)
  return { facts: file.facts, groups: await groupsIn(groupsOfFile(files, file, STATES)) }
}

/** Counts the reads of open files. */
function counting(files: Files): { files: Files; reads: number } {
  const counted = {
    reads: 0,
    files: {
      ...files,
      async openToRead(path: string) {
        const file = await files.openToRead(path)
        const readAt: typeof file.readAt = (position, target) => {
          counted.reads++
          return file.readAt(position, target)
        }
        return { ...file, readAt }
      },
    },
  }
  return counted
}

describe('a file of states', () => {
  it('has the groups and the facts that were written', async () => {
    for (const groups of [[], manyGroups(mulberry32(1)).slice(0, 1), manyGroups(mulberry32(2))]) {
      const files = await written(groups)
      const { facts, groups: found } = await read(files)
      expect(found).toEqual(groups)
      const bytes = new Map<string, number>()
      for (const group of groups) {
        const key = group.project.toString('base64')
        bytes.set(key, (bytes.get(key) ?? 0) + bytesOfGroup(group))
      }
      expect(facts).toEqual({
        ...FACTS,
        groups: groups.length,
        groupBytes: [...bytes.values()].reduce((sum, one) => sum + one, 0),
        ...(groups.length > 0 && {
          bucketsUs: [Math.min(...groups.map((one) => one.bucketUs)), Math.max(...groups.map((one) => one.bucketUs))],
        }),
        largeProjects: [...bytes].flatMap(([project, bytes]) => (bytes < 4096 ? [] : [{ project, bytes }])),
        isPartial: groups.some(({ isPartial }) => isPartial),
      })
      expect([...files.contents.keys()]).toEqual([PATH])
      expect(files.open.count).toBe(0)
    }
  })

  it('has groups that are larger than a block', async () => {
    const [first, second] = manyGroups(mulberry32(1)) as [StateGroup, StateGroup]
    const groups = [
      { ...first, keys: Buffer.alloc(300_000, 1) },
      { ...second, keys: Buffer.alloc(300_000, 2), states: Buffer.alloc(100_000, 3) },
    ]
    expect((await read(await written(groups))).groups).toEqual(groups)
  })

  it('is read by project and time, in few blocks', async () => {
    const seed = testSeed()
    console.log(`ranges of a file of states: seed ${seed}`)
    const random = mulberry32(seed)
    const groups = manyGroups(random)
    const files = await written(groups)
    const file = await openStateFile(files, PATH)
    expect(file.blocks.length).toBeGreaterThan(4)
    for (let run = 0; run < runs(500); run++) {
      const project = [...PROJECTS, projectKey('none'), projectKey('zz')][below(random, 7)]!
      const [from, to] = [below(random, 26) - 1, below(random, 26) - 1].sort((a, b) => a - b) as [number, number]
      const range = { project, fromUs: DAY * DAY_US + from * HOUR_US, toUs: DAY * DAY_US + to * HOUR_US }
      const expected = groups.filter(
        (group) => group.project.equals(project) && group.bucketUs >= range.fromUs && group.bucketUs < range.toUs,
      )
      const counted = counting(files)
      expect(await groupsIn(groupsOfFile(counted.files, file, STATES, range))).toEqual(expected)
      const bytes = expected.reduce((sum, { states }) => sum + states.length + 16, 0)
      expect(counted.reads).toBeLessThanOrEqual(2 + Math.ceil(bytes / 65_536))
    }
  })

  it('is read block by block, and closed when a reader leaves', async () => {
    const files = await written(manyGroups(mulberry32(3)))
    const file = await openStateFile(files, PATH)
    const counted = counting(files)
    for await (const _ of groupsOfFile(counted.files, file, STATES)) break
    expect(counted.reads).toBe(1)
    expect(files.open.count).toBe(0)
  })

  it('of version 1 is read by every version', async () => {
    const files = createMemoryFiles()
    files.contents.set(PATH, Buffer.from(VERSION_1, 'base64'))
    const { facts, groups } = await read(files)
    expect(facts).toEqual({ ...FACTS, groups: 3, isPartial: true })
    const place = {
      bucketUs: DAY * DAY_US,
      keys: Buffer.from('/a'),
      states: Buffer.of(1, 2),
      isRest: false,
      isPartial: false,
    }
    expect(groups).toEqual([
      { ...place, project: projectKey(null) },
      { ...place, project: projectKey('p'), bucketUs: DAY * DAY_US + HOUR_US },
      { ...place, project: projectKey('p'), keys: Buffer.from('…'), isRest: true, isPartial: true },
    ])
  })

  it('takes little room for keys that repeat', async () => {
    const groups = manyGroups(mulberry32(4)).map((group) => ({
      ...group,
      keys: Buffer.concat([Buffer.from('/rest/v1/a/long/path/of/a/service'), group.keys]),
      states: Buffer.of(5, 6, 7),
    }))
    const files = await written(groups)
    expect(files.contents.get(PATH)!.length / groups.length).toBeLessThan(8)
  })
})

describe('a file that is not whole', () => {
  /** Reads everything after a change: the groups as they were written, or the code of the error. */
  async function outcome(files: ReturnType<typeof createMemoryFiles>, bytes: Buffer, groups: readonly StateGroup[]) {
    const before = files.contents.get(PATH)!
    files.contents.set(PATH, bytes)
    const result = await read(files).then(
      (found) => {
        expect(found.groups).toEqual(groups)
        expect(found.facts.segments).toEqual(SEGMENTS)
        return 'unaltered'
      },
      (error) => {
        if (!(error instanceof LogweirError)) throw error
        expect(error.message).toContain(PATH)
        return error.code
      },
    )
    files.contents.set(PATH, before)
    expect(files.open.count).toBe(0)
    return result
  }

  it('is an error where it is cut, at any place', async () => {
    const groups = manyGroups(mulberry32(5)).slice(0, 900)
    const files = await written(groups)
    const bytes = files.contents.get(PATH)!
    const places = [0, 1, 15, 16, bytes.length - 1, bytes.length - 4, bytes.length - 16]
    for (let place = 20; place < bytes.length; place += Math.ceil(bytes.length / 90)) places.push(place)
    for (const place of places) {
      expect(await outcome(files, bytes.subarray(0, place), groups)).toBe('damaged_view_state')
      expect(await outcome(files, bytes.subarray(place + 1), groups)).toBe('damaged_view_state')
    }
  })

  it('is an error where a bit is changed, any bit', async () => {
    const groups = manyGroups(mulberry32(6)).slice(0, 600)
    const files = await written(groups)
    const bytes = files.contents.get(PATH)!
    const random = mulberry32(testSeed())
    for (let i = 0; i < 400; i++) {
      const flipped = Buffer.from(bytes)
      // Every bit of the last bytes, then random bits.
      const bit = i < 200 ? bytes.length * 8 - 1 - i : below(random, bytes.length * 8)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(await outcome(files, flipped, groups)).toBe('damaged_view_state')
    }
  })

  it('is an error with blocks at other places', async () => {
    const groups = manyGroups(mulberry32(7), 3).map((group) => ({ ...group, states: Buffer.alloc(40, 1) }))
    const files = await written(groups)
    const { blocks } = await openStateFile(files, PATH)
    const [first, second] = blocks
    const bytes = files.contents.get(PATH)!
    const moved = Buffer.concat([
      bytes.subarray(second!.offset, second!.offset + second!.bytes),
      bytes.subarray(0, first!.bytes),
      bytes.subarray(second!.offset + second!.bytes),
    ])
    expect(await outcome(files, moved, groups)).toBe('damaged_view_state')
  })

  it('says what is wrong, and what to do', async () => {
    const files = await written(manyGroups(mulberry32(8)))
    const bytes = files.contents.get(PATH)!
    const { blocks } = await openStateFile(files, PATH)
    const change = (changed: Buffer) => {
      files.contents.set(PATH, changed)
      return expect(read(files)).rejects
    }
    await change(bytes.subarray(1)).toEqual(damaged(`it has ${bytes.length - 1} bytes instead of ${bytes.length}`))
    await change(bytes.subarray(0, -1)).toEqual(damaged('it does not end like a file of a view'))
    await change(Buffer.from(bytes).fill(0, bytes.length - 30, bytes.length - 20)).toEqual(
      damaged('its end does not match the checksum in it'),
    )
    const { offset } = blocks[2]!
    const block = `the block at ${offset} does not match its checksum`
    await change(Buffer.from(bytes).fill(0, offset, offset + 9)).toEqual(damaged(block))
    files.contents.delete(PATH)
    await expect(read(files)).rejects.toEqual(damaged('it does not exist'))
    expect(files.open.count).toBe(0)
  })

  it('gives no group of a damaged block, but those before', async () => {
    const groups = manyGroups(mulberry32(9))
    const files = await written(groups)
    const file = await openStateFile(files, PATH)
    const bytes = Buffer.from(files.contents.get(PATH)!)
    bytes[file.blocks[1]!.offset]! ^= 1
    files.contents.set(PATH, bytes)
    const found: StateGroup[] = []
    const reading = async () => {
      for await (const batch of groupsOfFile(files, file, STATES)) found.push(...batch)
    }
    await expect(reading()).rejects.toThrow('does not match its checksum')
    expect(found.length).toBeGreaterThan(100)
    expect(found).toEqual(groups.slice(0, found.length))
  })

  it('is read a second time where bytes were garbled on the way', async () => {
    const groups = manyGroups(mulberry32(10)).slice(0, 50)
    const files = await written(groups)
    let reads = 0
    const garbling: Files = {
      ...files,
      async openToRead(path) {
        const file = await files.openToRead(path)
        const readAt: typeof file.readAt = async (position, target) => {
          const filled = await file.readAt(position, target)
          if (reads++ % 2 === 0) target[target.length - 1]! ^= 1
          return filled
        }
        return { ...file, readAt }
      },
    }
    expect((await read(garbling)).groups).toEqual(groups)
    expect(reads).toBe(4)
  })

  it('is damaged if the system cannot read it, and the error of the disk is passed on', async () => {
    const files = createModelFiles()
    await files.makeDirectory('views/v')
    await writeStateFile(files, PATH, FACTS, streamOf(manyGroups(mulberry32(11))), noYield)
    files.breakFile(PATH, 'EIO')
    await expect(read(files)).rejects.toThrow(damaged(`it cannot be read (EIO: ${PATH})`).message)
    await expect(read(files)).rejects.toMatchObject({ code: 'damaged_view_state', cause: { code: 'EIO' } })
    files.breakFile(PATH, 'EMFILE')
    await expect(read(files)).rejects.toMatchObject({ code: 'EMFILE' })
  })

  it('may be of a later version, or have other states', async () => {
    const files = await written(manyGroups(mulberry32(12)))
    const bytes = Buffer.from(files.contents.get(PATH)!)
    const file = await openStateFile(files, PATH)
    expect(() => groupsOfFile(files, file, ['count 1', 'mean 2'])).toThrow(
      new LogweirError(
        'other_view_state',
        `The file ${PATH} of a view has states of the kinds count 1, mean 1; its view reads count 1, mean 2. ` +
          'Use the version of logweir that wrote it, or remove the file: the view is built again from its segments.',
      ),
    )
    const [trailer, end] = [bytes.length - 16, bytes.readUInt32LE(bytes.length - 16)]
    bytes.writeUInt16LE(9, trailer + 4)
    bytes.writeUInt32LE(crc32(bytes.subarray(bytes.length - end, -4)), bytes.length - 4)
    files.contents.set(PATH, bytes)
    await expect(read(files)).rejects.toEqual(
      new LogweirError(
        'newer_format',
        `The file ${PATH} of a view has format 9; this version of logweir reads formats up to 1. ` +
          'Use the version that wrote it, or a later one.',
      ),
    )
  })
})

describe('writing a file of states', () => {
  const groups = manyGroups(mulberry32(13)).slice(0, 2_000)

  /** Files with a directory for states, which survives a power cut. */
  async function emptyFiles() {
    const files = createModelFiles()
    await files.makeDirectory('views/v')
    await files.syncDirectory('')
    await files.syncDirectory('views')
    return files
  }

  /** Writes the file, with a fault at the n-th call. Returns undefined if there is no n-th call. */
  async function faulty(code: string, after: number, share?: number) {
    const files = await emptyFiles()
    const before = files.calls
    files.fail({ code, after, ...(share !== undefined && { share }) })
    const error = await writeStateFile(files, PATH, FACTS, streamOf(groups), noYield).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    )
    return files.calls - before > after ? { files, error } : undefined
  }

  it.each([0, 0.5, 1])('leaves no file behind where any call fails, of which a share of %d was done', async (share) => {
    let calls = 0
    for (; ; calls++) {
      const failed = await faulty('ENOSPC', calls, share)
      if (failed === undefined) break
      expect(failed.error?.code).toBe('ENOSPC')
      failed.files.heal()
      expect(failed.files.paths()).toEqual([])
      await writeStateFile(failed.files, PATH, FACTS, streamOf(groups), noYield)
      expect((await read(failed.files)).groups).toEqual(groups)
    }
    // Remove, open, the blocks, the end, sync, close, rename, sync the directory.
    expect(calls).toBeGreaterThan(8)
  })

  it('leaves a whole file or none under its name where the process dies at any call', async () => {
    for (let calls = 0; ; calls++) {
      const died = await faulty('DIED', calls)
      if (died === undefined) break
      const files = died.files.restart()
      if (files.has(PATH)) expect((await read(files)).groups).toEqual(groups)
      await writeStateFile(files, 'views/v/00000002', FACTS, streamOf(groups), noYield)
      expect(files.paths().filter((path) => !path.startsWith(PATH))).toEqual(['views/v/00000002'])
    }
  })

  it('leaves a file that survives a power cut, and before that a whole one or none', async () => {
    const random = mulberry32(testSeed())
    for (let calls = 0; ; calls++) {
      const died = await faulty('DIED', calls)
      const written = died?.files ?? (await emptyFiles())
      if (died === undefined) await writeStateFile(written, PATH, FACTS, streamOf(groups), noYield)
      const files = written.cutPower(random)
      if (died === undefined || files.has(PATH)) expect((await read(files)).groups).toEqual(groups)
      if (died === undefined) break
    }
  })

  it('removes what is left of an earlier try', async () => {
    const files = createModelFiles()
    files.put(`${PATH}.unfinished`, Buffer.alloc(1e6, 1))
    await writeStateFile(files, PATH, FACTS, streamOf(groups), noYield)
    expect(files.paths()).toEqual([PATH])
    expect((await read(files)).groups).toEqual(groups)
  })

  it('ends with the error of the stream, or of groups that are not in order', async () => {
    const files = await emptyFiles()
    const broken: GroupStream = {
      async *[Symbol.asyncIterator]() {
        yield groups.slice(0, 1_500)
        throw new Error('broken')
      },
    }
    await expect(writeStateFile(files, PATH, FACTS, broken, noYield)).rejects.toThrow('broken')
    const order = 'The groups of a file come in order, each key once.'
    for (const wrong of [
      [groups[1]!, groups[0]!],
      [groups[0]!, groups[0]!],
    ])
      await expect(writeStateFile(files, PATH, FACTS, streamOf(wrong), noYield)).rejects.toThrow(order)
    expect(files.paths()).toEqual([])
  })
})
