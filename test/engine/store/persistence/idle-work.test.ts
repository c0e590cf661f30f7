import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import type { FieldPath } from '../../../../src/engine/execute/columns/field-path.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { compactCold, type StoredCold } from '../../../../src/engine/store/sealing/compact.js'
import { pathColumnsOfCold } from '../../../../src/engine/store/sealing/path-columns-of-cold.js'
import { faultyCalls } from '../../../support/faulty-calls.js'
import { createGate } from '../../../support/gate.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { wordy } from '../files/segments.js'
import { ALL_COLUMNS, noYield } from '../support.js'
import { type OpenPersistence, openPersistence, rowOf } from './open-persistence.js'

const DAY_US = 86_400_000_000
const RECORDS = wordy(700)
const ROWS = RECORDS.map(rowOf).sort()

const smaller = (cold: StoredCold) => compactCold(cold, createColdTexts(), () => true, noYield)

async function sealed(files: Files, ...heads: readonly TestRecord[][]): Promise<OpenPersistence> {
  const opened = await openPersistence(files)
  for (const records of heads) {
    await opened.append(...records)
    await opened.store.sealAll()
  }
  return opened
}

/** Bytes of all files of segments, and their names. */
async function segmentFiles(files: Files) {
  let bytes = 0
  const names: string[] = []
  const walk = async (path: string) => {
    for (const name of await files.list(path)) {
      const file = await files.openToRead(`${path}/${name}`).catch(() => undefined)
      await file?.close()
      if (file === undefined) await walk(`${path}/${name}`)
      else {
        bytes += file.bytes
        names.push(name)
      }
    }
  }
  await walk('segments')
  return { bytes, names: names.sort() }
}

/** Returns how often `compact` was called during that many calls of `compactNext`. */
async function timesAsked({ persistence }: OpenPersistence, calls: number): Promise<number> {
  let asked = 0
  for (let call = 0; call < calls; call++) {
    await persistence.compactNext((cold) => {
      asked++
      return smaller(cold)
    })
  }
  return asked
}

describe('segments that were sealed in a hurry', () => {
  it('take less once they were made anew, each once, also by the next process', async () => {
    const files = createModelFiles()
    const first = await sealed(files, RECORDS, RECORDS)
    const before = first.persistence.bytes()
    expect((await segmentFiles(files)).bytes).toBe(before)
    expect(await timesAsked(first, 1)).toBe(1)
    const half = first.persistence.bytes()
    expect(half).toBeLessThan(before)
    expect((await segmentFiles(files)).bytes).toBe(half)
    await first.close()
    const next = files.restart()
    const second = await openPersistence(next)
    expect(second.persistence.bytes()).toBe(half)
    expect(await timesAsked(second, 5)).toBe(1)
    expect(second.persistence.bytes()).toBeLessThan(half)
    expect(await segmentFiles(next)).toMatchObject({
      bytes: second.persistence.bytes(),
      names: ['cold.arrow', 'cold.arrow', 'hot.arrow', 'hot.arrow'],
    })
    expect([await second.rows(), second.damages]).toEqual([[...ROWS, ...ROWS].sort(), []])
    await second.close()
  })

  it('are left as they are where they are small, or where nothing is gained', async () => {
    const files = createModelFiles()
    const opened = await sealed(files, RECORDS.slice(0, 50), RECORDS)
    const before = opened.persistence.bytes()
    await opened.persistence.compactNext(async (cold) => Buffer.alloc(cold.file.length))
    expect([await timesAsked(opened, 3), opened.persistence.bytes()]).toEqual([0, before])
    expect(await opened.rows()).toEqual([...ROWS, ...RECORDS.slice(0, 50).map(rowOf)].sort())
    await opened.close()
  })

  it('are left as they are where they are too long for the memory that there is', async () => {
    const files = createModelFiles()
    await (await sealed(files, RECORDS)).close()
    const { bytes } = await segmentFiles(files)
    const next = files.restart()
    const open = (headBytes: number) => openPersistence(next, 1, () => {}, headBytes)
    const [small, middle, large] = [await open(bytes / 2), await open(2 * bytes), await open(4 * bytes)]
    // Path columns are made with the file in memory, compaction with all texts.
    expect([small, middle, large].map(({ persistence }) => persistence.waiting())).toEqual([
      { pathColumns: 0, compaction: 0 },
      { pathColumns: 1, compaction: 0 },
      { pathColumns: 1, compaction: 1 },
    ])
    expect([await timesAsked(middle, 2), await timesAsked(large, 2)]).toEqual([0, 1])
    await Promise.all([small.close(), middle.close(), large.close()])
  })

  it('are tried again where there was no time', async () => {
    const opened = await sealed(createModelFiles(), RECORDS)
    const before = opened.persistence.bytes()
    await opened.persistence.compactNext(async () => undefined)
    expect(opened.persistence.bytes()).toBe(before)
    expect(await timesAsked(opened, 3)).toBe(1)
    expect(opened.persistence.bytes()).toBeLessThan(before)
    await opened.close()
  })

  it('are read while they are made anew, by who has begun before and goes on after', async () => {
    const { store, persistence, rows, close } = await sealed(createModelFiles(), RECORDS)
    const { parts, release } = store.view('edge_logs')
    const batch = await parts[0]!.open(noYield, ALL_COLUMNS)
    const read = batch.openCold()
    const idOf = async (row: number) => decodeUtf8((await read(row)).id)
    const ids = RECORDS.map(({ id }) => id)
    expect(await idOf(10)).toBe(ids[10])
    await persistence.compactNext(async (cold) => {
      const made = await smaller(cold)
      expect(await idOf(400)).toBe(ids[400])
      return made
    })
    for (const row of [401, 380, 390, 520, 0, 699]) expect(await idOf(row)).toBe(ids[row])
    release()
    expect(await rows()).toEqual(ROWS)
    await close()
  })

  it('that are dropped meanwhile are gone', async () => {
    const files = createModelFiles()
    const { store, persistence, rows, close } = await sealed(files, RECORDS)
    const gate = createGate()
    const making = persistence.compactNext(async (cold) => {
      await gate.opened
      return smaller(cold)
    })
    store.drop(0, 'day')
    gate.open()
    await making
    expect([await rows(), persistence.bytes()]).toEqual([[], 0])
    await close()
    expect(await segmentFiles(files)).toEqual({ bytes: 0, names: [] })
  })

  it('that are damaged stay as they are, and are not tried again', async () => {
    const files = createModelFiles()
    const opened = await sealed(files, RECORDS)
    const path = 'segments/edge_logs/1970-01-01/00000001-0/cold.arrow'
    const damaged = files.peek(path)!
    damaged[damaged.length >> 1]! ^= 1
    files.put(path, damaged)
    expect(await timesAsked(opened, 3)).toBe(0)
    expect(files.peek(path)!.equals(damaged)).toBe(true)
    await opened.close()
  })
})

type End = (files: ModelFiles, call: number) => ModelFiles

describe.each<[string, End]>([
  ['a process that dies', (files) => files.restart()],
  ['a power cut', (files, call) => files.cutPower(mulberry32(call))],
])('%s at any call of making a segment anew', (_, end) => {
  it('D5: leaves its rows, and the next process makes it anew', async () => {
    for (const call of faultyCalls()) {
      const files = createModelFiles()
      const first = await sealed(files, RECORDS)
      files.fail({ code: 'DIED', after: call, share: call % 3 === 0 ? 0.5 : 0 })
      const before = files.calls
      await first.persistence.compactNext(smaller).catch(() => {})
      const wasReached = files.calls - before > call
      const next = end(files, call)
      const second = await openPersistence(next)
      expect([await second.rows(), second.damages]).toEqual([ROWS, []])
      await second.persistence.compactNext(smaller)
      expect(await second.rows()).toEqual(ROWS)
      expect(await segmentFiles(next)).toEqual({
        bytes: second.persistence.bytes(),
        names: ['cold.arrow', 'hot.arrow'],
      })
      await second.close()
      if (!wasReached) {
        expect(call).toBeGreaterThan(10)
        return
      }
    }
  }, 60_000)
})

describe('a disk that fails', () => {
  it('D6: while a head of two days is sealed counts the bytes of each segment once, when they are made anew, ' +
    'too', async () => {
    const days = [...RECORDS, ...RECORDS.map((record) => ({ ...record, timestampUs: record.timestampUs + DAY_US }))]
    for (const call of faultyCalls()) {
      const files = createModelFiles()
      const opened = await openPersistence(files)
      await opened.append(...days)
      files.fail({ code: 'ENOSPC', after: call })
      const before = files.calls
      await opened.store.sealAll()
      const wasReached = files.calls - before > call
      files.heal()
      expect(await timesAsked(opened, 5)).toBe(2)
      expect((await segmentFiles(files)).bytes).toBe(opened.persistence.bytes())
      await opened.close()
      if (!wasReached) {
        expect(call).toBeGreaterThan(20)
        return
      }
    }
  }, 60_000)

  it.each(['EIO', 'ENOSPC'])('D6: with %s at any call of making a segment anew loses nothing', async (code) => {
    for (const call of faultyCalls()) {
      const files = createModelFiles()
      const { persistence, rows, close } = await sealed(files, RECORDS, [edge({ id: 'x' })])
      const all = [...ROWS, rowOf(edge({ id: 'x' }))].sort()
      files.fail({ code, after: call, share: call % 2 === 0 ? 0.5 : 0 })
      const before = files.calls
      await persistence.compactNext(smaller).catch((error) => expect(error.code).toBe(code))
      const wasReached = files.calls - before > call
      files.heal()
      expect(await rows()).toEqual(all)
      await persistence.compactNext(smaller)
      expect(await rows()).toEqual(all)
      expect((await segmentFiles(files)).bytes).toBe(persistence.bytes())
      await close()
      if (!wasReached) {
        expect(call).toBeGreaterThan(10)
        return
      }
    }
  }, 60_000)
})

describe('segments without path columns', () => {
  const PATHS: readonly FieldPath[] = [{ keys: [], isCount: true }]
  const columnsOfCold = (cold: StoredCold) => pathColumnsOfCold(cold, () => true, noYield)
  /** Returns the paths with a column in each segment. */
  async function stored({ store }: OpenPersistence) {
    const { parts, release } = store.view('edge_logs')
    const found: boolean[] = []
    for (const part of parts) {
      const batch = await part.open(noYield, ALL_COLUMNS)
      const fields = (await batch.readStoredFields?.(PATHS)) ?? [undefined]
      found.push(...fields.map((field) => field !== undefined))
      part.close()
    }
    release()
    return found
  }
  async function add({ persistence }: OpenPersistence, times: number): Promise<number> {
    let made = 0
    for (let i = 0; i < times; i++) {
      await persistence.addNextPathColumns((cold) => {
        made++
        return columnsOfCold(cold)
      })
    }
    return made
  }

  it('get them once, also while the segment is open, and the next process has them', async () => {
    const files = createModelFiles()
    const first = await sealed(files, RECORDS, RECORDS)
    expect(await stored(first)).toEqual([false, false])
    expect(await add(first, 1)).toBe(1)
    expect(await stored(first)).toEqual([false, true])
    expect((await segmentFiles(files)).bytes).toBe(first.persistence.bytes())
    await first.close()
    const second = await openPersistence(files.restart())
    expect([await stored(second), await add(second, 5), await stored(second)]).toEqual([[false, true], 1, [true, true]])
    expect([await second.rows(), second.damages]).toEqual([[...ROWS, ...ROWS].sort(), []])
    await second.close()
  })

  it('raise the format of the directory before the first is written, and not before', async () => {
    const files = createModelFiles()
    const format = () => files.peek('format.json')?.toString()
    const opened = await sealed(files, RECORDS)
    await opened.persistence.compactNext(smaller)
    expect(format()).toBeUndefined()
    await opened.persistence.addNextPathColumns(async (cold) => {
      expect(format()).toBeUndefined()
      return columnsOfCold(cold)
    })
    expect(format()).toBe('{"format":"logweir","version":2}\n')
    await opened.close()
  })

  it('are taken from the newest on, and after the others where there was no time', async () => {
    const opened = await sealed(createModelFiles(), RECORDS, RECORDS, RECORDS)
    await opened.persistence.addNextPathColumns(async () => undefined)
    const seen: boolean[][] = []
    for (let i = 0; i < 3; i++) {
      await add(opened, 1)
      seen.push(await stored(opened))
    }
    expect(seen).toEqual([
      [false, true, false],
      [true, true, false],
      [true, true, true],
    ])
    await opened.close()
  })

  it('are tried again where there was no time, or the disk failed', async () => {
    const files = createModelFiles()
    const opened = await sealed(files, RECORDS)
    expect(await opened.persistence.addNextPathColumns(async () => undefined)).toBe(true)
    await expect(opened.persistence.addNextPathColumns(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect([await stored(opened), await add(opened, 3), await stored(opened)]).toEqual([[false], 1, [true]])
    expect(await opened.persistence.addNextPathColumns(columnsOfCold)).toBe(false)
    await opened.close()
  })

  it('stay whole with a file whose rest was lost, of which every byte is read by some query', async () => {
    const files = createModelFiles()
    const opened = await sealed(files, RECORDS)
    await add(opened, 1)
    const path = files.paths().find((name) => name.endsWith('paths.arrow'))!
    const bytes = files.peek(path)!
    files.put(path, bytes.subarray(0, -9))
    expect([await stored(opened), opened.damages]).toEqual([
      [false],
      [`path columns of ${path.replace(/\/[^/]*$/, '')}`],
    ])
    expect(await stored(opened)).toEqual([false])
    expect(opened.damages).toHaveLength(1)
    expect([await add(opened, 3), await stored(opened)]).toEqual([1, [true]])
    expect(files.peek(path)).toEqual(bytes)
    expect(await opened.rows()).toEqual(ROWS)
    await opened.close()
  })
})
