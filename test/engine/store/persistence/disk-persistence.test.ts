import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrayBuffersOf } from '../../../../src/base/memory/array-buffers.js'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { createDiskRetry } from '../../../../src/engine/disk/files/disk-retry.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import { createJournal } from '../../../../src/engine/disk/journal/writer.js'
import { createDiskPersistence } from '../../../../src/engine/store/persistence/disk-persistence.js'
import type { SegmentHandle } from '../../../../src/engine/store/segment/handle.js'
import { createStore } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { eventually } from '../../../support/eventually.js'
import { faultyCalls } from '../../../support/faulty-calls.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { below, mulberry32 } from '../../../support/random.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { createTestSealer } from '../../../support/sealer.js'
import { ALL_COLUMNS, noYield } from '../support.js'
import { type OpenPersistence, openPersistence, rowOf } from './open-persistence.js'

const DAY_US = 86_400_000_000
/** A visitor of a recovery that finds nothing wrong. */
const unreachable = () => expect.unreachable()
const NOTHING_FOUND = {
  damage: unreachable,
  torn: unreachable,
  unreadable: unreachable,
  copy: unreachable,
  missing: unreachable,
  unknown: unreachable,
  kept: unreachable,
}
const DAYS = ['1970-01-01', '1970-01-02']
/** Each of several hundred calls fails in a separate run. */
const SLOW_MS = 60_000

/** Numbered records, of two sources and three days. */
function record(number: number): TestRecord {
  const given = { id: `${number}`, timestampUs: (number % 3) * DAY_US + number, event_message: `row ${number}` }
  return number % 4 === 3 ? invocation(given) : edge({ ...given, metadata: { request: { url: `u${number % 5}` } } })
}

describe('rows on disk', () => {
  it('come back in the order of arrival, from journals and segments', async () => {
    const files = createModelFiles()
    const first = await openPersistence(files)
    await first.append(edge({ id: 'a' }), edge({ id: 'b', timestampUs: -1 }))
    await first.store.sealAll()
    await first.append(edge({ id: 'c' }))
    await first.append(edge({ id: 'd' }))
    const second = await openPersistence(files.restart())
    const ids = ['b', 'a', 'c', 'd']
    expect((await second.rowsOf('edge_logs')).map((row) => row.split(' ')[0])).toEqual(ids)
    expect(second.damages).toEqual([])
    await second.append(edge({ id: 'e' }))
    expect((await second.rowsOf('edge_logs')).map((row) => row.split(' ')[0])).toEqual([...ids, 'e'])
    await second.close()
  })

  it('that were dropped do not come back, and are read to their end by who reads them', async () => {
    const files = createModelFiles()
    const first = await openPersistence(files)
    await first.append(record(0), record(1))
    await first.store.sealAll()
    const view = first.store.view('edge_logs')
    first.store.drop(0, 'day')
    expect(await first.rows()).toEqual([rowOf(record(1))])
    const batch = await view.parts[0]!.open(noYield, ALL_COLUMNS)
    expect(decodeUtf8((await batch.openCold()(0)).id)).toBe('0')
    view.release()
    await first.close()
    const second = await openPersistence(files.restart())
    expect([await second.rows(), second.damages]).toEqual([[rowOf(record(1))], []])
    await second.close()
  })

  it('leave memory, and come back when they are asked for', async () => {
    const { store, append, rows, close } = await openPersistence(createModelFiles())
    await append(record(0), record(1))
    await store.sealAll()
    const hotBytes = () => store.stats().reduce((sum, stats) => sum + stats.hotBytes, 0)
    expect(hotBytes()).toBe(0)
    expect(await rows()).toHaveLength(2)
    expect(hotBytes()).toBeGreaterThan(0)
    expect([store.unload(), store.unload(), store.unload(), hotBytes()]).toEqual([true, true, false, 0])
    expect(await rows()).toHaveLength(2)
    await close()
  })

  it('leave memory those first that nobody has asked for the longest', async () => {
    const { store, append, close } = await openPersistence(createModelFiles())
    for (const number of [0, 1, 2]) {
      await append(record(number))
      await store.sealAll()
    }
    const { parts, release } = store.view('edge_logs')
    for (const i of [0, 1, 2, 0]) await parts[i]!.open(noYield, ALL_COLUMNS)
    const inMemory = () => parts.flatMap((part, i) => ((part as SegmentHandle).hotBytes > 0 ? [i] : []))
    const left = []
    do left.push(inMemory())
    while (store.unload())
    expect(left).toEqual([[0, 1, 2], [0, 2], [0], []])
    release()
    await close()
  })

  it(
    'that are dropped take no memory, also where they were just being read, ' + 'and no disk once they have been',
    async () => {
      const files = createModelFiles()
      const { store, persistence, append, close } = await openPersistence(files)
      await append(record(0), record(1))
      await store.sealAll()
      const { parts, release } = store.view('edge_logs')
      await parts[0]!.open(noYield, ALL_COLUMNS)
      const opening = parts[1]!.open(noYield, ALL_COLUMNS)
      store.drop(0, 'day')
      store.drop(1, 'day')
      expect([persistence.bytes(), persistence.columnBytes()]).toEqual([0, 0])
      expect((await opening).rows).toBe(1)
      expect((await parts[0]!.open(noYield, ALL_COLUMNS)).rows).toBe(1)
      expect(persistence.columnBytes()).toBe(0)
      const segments = async () =>
        (await Promise.all(DAYS.map((day) => files.list(`segments/edge_logs/${day}`)))).flat()
      expect(await segments()).toHaveLength(2)
      release()
      await eventually(async () => expect(await segments()).toEqual([]))
      await close()
    },
  )

  it('give their memory back when they have left and nobody has them open, and not before', async () => {
    const { store, append, rows, close } = await openPersistence(createModelFiles())
    await append(record(0))
    await store.sealAll()
    const { parts, release } = store.view('edge_logs')
    const part = parts[0]!
    const [one, other] = await Promise.all([part.open(noYield, ALL_COLUMNS), part.open(noYield, ALL_COLUMNS)])
    expect(arrayBuffersOf([one, other]).length).toBeGreaterThan(0)
    const { offsets } = one.times
    expect(store.unload()).toBe(true)
    // A query that opens the segment now uses the columns that others have loaded.
    expect(await part.open(noYield, ALL_COLUMNS)).toBe(one)
    part.close()
    part.close()
    expect(offsets).toHaveLength(1)
    part.close()
    expect(offsets).toHaveLength(0)
    expect(arrayBuffersOf([one.times, one.columns])).toEqual([])
    expect(decodeUtf8((await one.openCold()(0)).id)).toBe('0')
    expect(await part.open(noYield, ALL_COLUMNS)).not.toBe(one)
    part.close()
    expect(await rows()).toEqual([rowOf(record(0))])
    release()
    await close()
  })

  it('give their memory back also where they could not be loaded at first', async () => {
    const files = createModelFiles()
    const { store, append, close } = await openPersistence(files)
    await append(record(0))
    await store.sealAll()
    const { parts, release } = store.view('edge_logs')
    const part = parts[0]!
    files.fail({ code: 'EMFILE', after: 0, only: ['openToRead'] })
    await Promise.all([0, 1].map(() => expect(part.open(noYield, ALL_COLUMNS)).rejects.toThrow('EMFILE')))
    const batch = await part.open(noYield, ALL_COLUMNS)
    part.close()
    expect(batch.times.offsets).toHaveLength(1)
    store.unload()
    expect(batch.times.offsets).toHaveLength(0)
    release()
    await close()
  })

  it('are read by who asked for them, also where they must leave memory as soon as they have come', async () => {
    const unload = () => opened.store.unload()
    const opened = await openPersistence(createModelFiles(), 1, () => void unload())
    await opened.append(record(0))
    await opened.append(record(1))
    await opened.store.settled()
    expect(await opened.rows()).toEqual([rowOf(record(0)), rowOf(record(1))])
    expect(opened.store.unload()).toBe(false)
    await opened.close()
  })

  it('D10: in a journal that is longer than a head may be are sealed in parts while they are read', async () => {
    const first = createModelFiles()
    const long = await openPersistence(first)
    const records = [0, 4, 8, 12, 16, 20, 24].map(record)
    for (const one of records) await long.append(one)
    const files = first.restart()
    const second = await openPersistence(files, 3)
    await second.store.settled()
    expect([await second.rows(), await files.list('journal')]).toEqual([records.map(rowOf).sort(), []])
    // Three parts, of which two have rows of three days.
    expect(second.store.stats().find(({ source }) => source === 'edge_logs')).toMatchObject({ rows: 7, segments: 7 })
    await second.append(record(28))
    await second.close()
    const third = await openPersistence(files.restart())
    expect([await third.rows(), third.damages]).toEqual([[...records, record(28)].map(rowOf).sort(), []])
    await third.close()
  })

  it('D10: in such a journal are not lost by a sync at the moment at which it goes', async () => {
    const first = createModelFiles()
    const long = await openPersistence(first)
    const records = [0, 4, 8, 12].map(record)
    for (const one of records) await long.append(one)
    const files = first.restart()
    const synced: Files = {
      ...files,
      async remove(path) {
        await files.remove(path)
        if (path.startsWith('journal/')) await persistence.sync()
      },
    }
    const persistence = createDiskPersistence(
      synced,
      createDiskRetry(1, () => {}),
      { onLoad() {}, onDamage: () => expect.unreachable(), onPathDamage: () => expect.unreachable() },
    )
    const store = createStore({
      sealer: createTestSealer(),
      sealRows: 2,
      sealBytes: Number.POSITIVE_INFINITY,
      persistence,
    })
    await persistence.recover(store, NOTHING_FOUND)
    await store.settled()
    expect(await files.list('journal')).toEqual([])
    const third = await openPersistence(files.restart())
    expect(await third.rows()).toEqual(records.map(rowOf).sort())
    await third.close()
  })

  it('of which some cannot be read are shown as far as they can', async () => {
    const files = createModelFiles()
    const first = await openPersistence(files)
    for (const number of [0, 1, 2]) {
      await first.append(record(number))
      await first.store.sealAll()
    }
    await first.close()
    const path = 'segments/edge_logs/1970-01-02/00000002-0'
    const next = files.restart()
    const bytes = next.peek(`${path}/hot.arrow`)!
    next.put(`${path}/hot.arrow`, bytes.subarray(0, -1))
    const second = await openPersistence(next)
    expect([await second.rows(), second.damages]).toEqual([[rowOf(record(0)), rowOf(record(2))], [path]])
    await second.close()
  })
})

/** A step of a test, executed in order. Each append takes the next records. */
type Step = 'append' | 'seal'

/** Executes the steps. Returns how many records were acknowledged, and how many were appended. */
async function execute(opened: OpenPersistence, steps: readonly Step[], from = 0) {
  let [acknowledged, given] = [from, from]
  try {
    for (const step of steps) {
      if (step === 'seal') await opened.store.sealAll()
      else {
        const records = [record(given), record(given + 4)]
        given += 8
        await opened.append(...records)
        acknowledged = given
      }
    }
  } catch {}
  return { acknowledged, given }
}

/** All records of the appends up to a number. */
const upTo = (given: number) =>
  Array.from({ length: given / 8 }, (_, i) => [record(8 * i), record(8 * i + 4)])
    .flat()
    .map(rowOf)
    .sort()

const STEPS: readonly Step[] = ['append', 'append', 'seal', 'append', 'append', 'append', 'seal', 'append']

/** Expects the rows of the acknowledged appends, perhaps with the rows of the append that was running. */
async function expectRows(
  opened: OpenPersistence,
  { acknowledged, given }: { acknowledged: number; given: number },
  what: string,
) {
  const rows = await opened.rows()
  const states = [...new Set([acknowledged, given])].map((count) => upTo(count).join('\n'))
  if (!states.includes(rows.join('\n'))) expect.fail(`${what}: of ${acknowledged} rows or ${given} came ${rows.length}`)
}

describe('a process that dies', () => {
  it(
    'D5: at any call leaves the rows of before or of after, whatever it was doing',
    async () => {
      for (const call of faultyCalls()) {
        const files = createModelFiles()
        const first = await openPersistence(files, 5)
        files.fail({ code: 'DIED', after: call, share: call % 3 === 0 ? 0.5 : 0 })
        const before = files.calls
        const taken = await execute(first, STEPS)
        await first.close()
        const wasReached = files.calls - before > call
        const second = await openPersistence(files.restart(), 5)
        await expectRows(second, taken, `death at call ${call}`)
        await second.close()
        if (!wasReached) {
          expect(call).toBeGreaterThan(40)
          return
        }
      }
    },
    SLOW_MS,
  )

  it('X3: during recovery, again and again, loses nothing: the next one is complete', async () => {
    let files = createModelFiles()
    const first = await openPersistence(files)
    const taken = await execute(first, ['append', 'seal', 'append', 'append', 'append'])
    for (let call = 0; call < 60; call++) {
      files = files.restart()
      files.fail({ code: 'DIED', after: call })
      const second = await openPersistence(files, 3).catch(() => undefined)
      await second?.close()
    }
    const last = await openPersistence(files.restart())
    await expectRows(last, taken, 'after 60 deaths')
    expect(last.damages).toEqual([])
    await last.close()
  })
})

describe('a disk that fails', () => {
  it(
    'D6: once, at any call, loses nothing and shows nothing twice',
    async () => {
      for (const code of ['EIO', 'ENOSPC']) {
        for (const call of faultyCalls()) {
          const files = createModelFiles()
          const first = await openPersistence(files, 5)
          files.fail({ code, after: call, share: call % 2 === 0 ? 0.5 : 0 })
          const before = files.calls
          const taken = await execute(first, STEPS)
          await first.store.settled()
          const wasReached = files.calls - before > call
          files.heal()
          expect(taken.acknowledged).toBe(taken.given)
          await expectRows(first, taken, `${code} at call ${call}, shown`)
          await first.close()
          const second = await openPersistence(files.restart())
          await expectRows(second, taken, `${code} at call ${call}, recovered`)
          await second.close()
          if (!wasReached) break
        }
      }
    },
    SLOW_MS,
  )

  it('D6: has segments that are dropped removed when it can', async () => {
    for (const step of ['rename', 'remove'] as const) {
      const files = createModelFiles()
      const opened = await openPersistence(files)
      await opened.append(record(0))
      await opened.store.sealAll()
      files.fail({ code: 'EIO', after: 0, only: [step] })
      opened.store.drop(0, 'day')
      expect(await opened.rows()).toEqual([])
      await expect.poll(() => files.list('segments/edge_logs/1970-01-01')).toEqual([])
      expect(opened.diskRetry.currentError()).toBeUndefined()
      await opened.close()
    }
  })

  it('D7: holds who appends, shows what is there, and goes on when there is room again', async () => {
    const files = createModelFiles()
    const { append, rows, diskRetry, close } = await openPersistence(files)
    await append(record(0))
    files.fail({
      code: 'ENOSPC',
      after: 0,
      forGood: true,
      only: ['writeAt', 'openToWrite', 'truncate', 'makeDirectory'],
    })
    let isTaken = false
    const appended = append(record(4)).then(() => {
      isTaken = true
    })
    await eventually(() => expect(diskRetry.currentError()?.message).toContain('ENOSPC'))
    expect([isTaken, await rows()]).toEqual([false, [rowOf(record(0))]])
    files.heal()
    await appended
    expect([diskRetry.currentError(), await rows()]).toEqual([undefined, [rowOf(record(0)), rowOf(record(4))]])
    await close()
  })

  it('D8: that is full at the start holds up no start: all is shown, and sealed when there is room', async () => {
    const files = createModelFiles()
    const first = await openPersistence(files)
    await first.append(record(0))
    files.fail({ code: 'DIED', after: 0, only: ['rename'] })
    await first.store.sealAll().catch(() => {})
    const next = files.restart()
    // A second head of the same source, as if rows arrived while the first was being sealed.
    const other = createJournal(next, 'journal/edge_logs-00000002.log', 'edge_logs')
    await other.append(toBatch('edge_logs', [record(0)]))
    await other.close()
    next.fail({ code: 'ENOSPC', after: 0, forGood: true, only: ['writeAt'] })
    const second = await openPersistence(next)
    expect([await second.rows(), second.diskRetry.currentError()?.message]).toEqual([
      [rowOf(record(0)), rowOf(record(0))],
      expect.stringContaining('ENOSPC'),
    ])
    next.heal()
    await second.store.settled()
    expect([await second.rows(), second.diskRetry.currentError()]).toEqual([
      [rowOf(record(0)), rowOf(record(0))],
      undefined,
    ])
    expect(await next.list('journal')).toEqual(['edge_logs-00000002.log'])
    await second.close()
  })

  it('D6: where it fails to sync has the rows sealed instead', async () => {
    const files = createModelFiles()
    const { append, store, persistence, rows, close } = await openPersistence(files)
    await append(record(0))
    files.fail({ code: 'EIO', after: 0, only: ['sync'] })
    await persistence.sync()
    store.sealFailing()
    await store.settled()
    expect(store.stats().find(({ source }) => source === 'edge_logs')).toMatchObject({ rows: 1, segments: 1 })
    expect(await files.list('journal')).toEqual([])
    expect(await rows()).toEqual([rowOf(record(0))])
    await close()
  })
})

describe('a power cut', () => {
  const RUNS = runs(50)

  it(
    'D2: leaves all that was synced, each batch whole and once, in one of the states that were',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), async (seed) => {
          const random = mulberry32(seed)
          let files: ModelFiles = createModelFiles()
          let synced: string[] = []
          let given = 0
          for (let life = 0; life < 3; life++) {
            const opened = await openPersistence(files, 5)
            const rows = await opened.rows()
            expect(opened.damages.filter((path) => path.startsWith('segments'))).toEqual([])
            expect(new Set(rows).size).toBe(rows.length)
            expect(rows).toEqual(expect.arrayContaining(synced))
            expect(upTo(given)).toEqual(expect.arrayContaining(rows))
            for (let step = below(random, 8); step > 0; step--) {
              const taken = await execute(opened, [random() < 0.7 ? 'append' : 'seal'], given)
              given = taken.given
              if (random() < 0.4) {
                await opened.persistence.sync()
                synced = await opened.rows()
              }
            }
            if (random() < 0.5) await opened.store.settled()
            files = files.cutPower(random)
            await opened.close()
          }
        }),
        { numRuns: RUNS },
      )
    },
    SLOW_MS,
  )
})
