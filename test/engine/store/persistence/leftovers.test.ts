import { describe, expect, it } from 'vitest'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { compactCold } from '../../../../src/engine/store/sealing/compact.js'
import { faultyCalls } from '../../../support/faulty-calls.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'
import type { TestRecord } from '../../../support/records.js'
import { wordy } from '../files/segments.js'
import { noYield } from '../support.js'
import { type OpenPersistence, openPersistence } from './open-persistence.js'

const DAY_US = 86_400_000_000
const SLOW_MS = 120_000
/** Rows of two days, enough for a segment that is compacted. */
const RECORDS: readonly TestRecord[] = wordy(700).map((record, i) => ({
  ...record,
  timestampUs: record.timestampUs + (i % 10 === 0 ? DAY_US : 0),
}))

/** Every kind of change below a data directory: appends, seals, compaction, and the deletion of a day. */
async function live({ append, store, persistence, diskRetry }: OpenPersistence): Promise<void> {
  await append(...RECORDS.slice(0, 350))
  await append(...RECORDS.slice(350))
  await store.sealAll()
  await append(RECORDS[0]!)
  await persistence.compactNext((cold) => compactCold(cold, createColdTexts(), () => true, noYield))
  await append(RECORDS[10]!)
  await store.sealAll()
  store.drop(0, 'day')
  await append(RECORDS[1]!)
  diskRetry.abandon()
}

/** The files that a directory may have: journals, and both files of segments. */
const OWNED = /^(journal\/edge_logs-\d{8}\.log|segments\/edge_logs\/1970-01-0[12]\/\d{8}-\d\/(hot|cold)\.arrow)$/

/** A power cut may damage a journal between two frames. Each start keeps and names the damaged journal. */
const KEPT = /^journal\/edge_logs-\d{8}\.log\.damaged$/

async function expectOwned(files: ModelFiles, opened: OpenPersistence, what: string): Promise<void> {
  const { persistence, store, torn, damages, misplaced } = opened
  // A start seals the rows of damaged journals.
  await store.settled()
  const isNamed = (path: string) =>
    misplaced.includes(`${path} is set aside`) || damages.some((line) => line.startsWith(path.replace('.damaged', ' ')))
  const isKept = (path: string) => KEPT.test(path) && isNamed(path)
  expect(
    files.paths().filter((path) => !OWNED.test(path) && !isKept(path)),
    what,
  ).toEqual([])
  for (const day of await files.list('segments/edge_logs')) {
    expect(await files.list(`segments/edge_logs/${day}`), `${what}: ${day}`).not.toEqual([])
  }
  // A journal counts up to the last frame. The next append cuts the bytes behind the last frame.
  const bytesIn = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  const uncounted = (await files.bytesBelow('')) - persistence.bytes()
  if (damages.length === 0) expect(uncounted, what).toBe(bytesIn(torn))
  expect(uncounted, what).toBeGreaterThanOrEqual(0)
  expect(uncounted, what).toBeLessThanOrEqual(bytesIn(torn) + bytesIn(damages))
}

/** Opens the directory, and expects neither damage nor misplaced files. */
async function startOnce(files: ModelFiles): Promise<OpenPersistence> {
  const opened = await openPersistence(files)
  expect([opened.damages, opened.misplaced]).toEqual([[], []])
  return opened
}

type End = (files: ModelFiles, call: number) => ModelFiles

describe.each<[string, End]>([
  ['a process that dies', (files) => files.restart()],
  ['a power cut', (files, call) => files.cutPower(mulberry32(call))],
])('D5: %s at any call', (name, end) => {
  it(
    'leaves no file without an owner after two starts, and all files are counted',
    async () => {
      for (const call of faultyCalls()) {
        const files = createModelFiles()
        const first = await openPersistence(files)
        files.fail({ code: 'DIED', after: call, share: [0, 0.5, 1][call % 3]! })
        const before = files.calls
        await live(first).catch(() => {})
        await first.close()
        const wasReached = files.calls - before > call
        let next = end(files, call)
        // The first start dies too, at a different call.
        next.fail({ code: 'DIED', after: call % 23 })
        const second = await openPersistence(next).catch(() => undefined)
        await second?.close()
        next = next.restart()
        const third = name === 'a power cut' ? await openPersistence(next) : await startOnce(next)
        await expectOwned(next, third, `call ${call}`)
        await third.close()
        if (!wasReached) {
          expect(call).toBeGreaterThan(60)
          return
        }
      }
    },
    SLOW_MS,
  )
})

describe('a power cut while a segment is deleted', () => {
  it('leaves all of the segment, or nothing', async () => {
    for (const call of faultyCalls()) {
      for (let cut = 0; cut < 40; cut++) {
        const files = createModelFiles()
        const { append, store, close, diskRetry } = await openPersistence(files)
        await append(...RECORDS)
        await store.sealAll()
        files.fail({ code: 'DIED', after: call })
        const before = files.calls
        store.drop(0, 'day')
        await append(RECORDS[1]!).catch(() => {})
        diskRetry.abandon()
        await close()
        const next = files.cutPower(mulberry32(cut))
        const opened = await openPersistence(next)
        const paths = next.paths().filter((path) => path.startsWith('segments/'))
        const whole = paths.filter((path) => path.endsWith('/hot.arrow')).map((path) => path.replace('hot', 'cold'))
        const cold = paths.filter((path) => path.endsWith('/cold.arrow'))
        expect(cold, `call ${call}, cut ${cut}`).toEqual(whole)
        await opened.close()
        if (files.calls - before <= call) return
      }
    }
  })
})

describe('files that earlier versions left', () => {
  it.each([
    'segments/edge_logs/1970-01-01/00000009-0.unfinished/hot.arrow',
    'segments/edge_logs/1970-01-01/00000009-0.gone/cold.arrow',
    'segments/edge_logs/1970-01-01/00000009-0.cold.unfinished',
    'segments/auth_logs/1970-01-01/00000001-1.unfinished/cold.arrow',
    'segments/auth_logs/1970-01-05/00000001-1.gone/hot.arrow',
  ])('are deleted: %s', async (path) => {
    const files = createModelFiles()
    files.put(path, Buffer.from('x'))
    const first = await openPersistence(files)
    await first.close()
    const second = await openPersistence(files.restart())
    expect([await second.persistence.bytes(), second.damages, second.misplaced]).toEqual([0, [], []])
    await second.close()
  })

  it('are counted and named if they may have rows', async () => {
    const files = createModelFiles()
    const kept = [
      'journal/edge_logs-00000003.log.gone',
      'journal/edge_logs-00000004.log.damaged',
      'segments/edge_logs/1970-01-01/00000001-0.damaged/hot.arrow',
      'segments/edge_logs/notes',
      'journal/notes',
    ]
    for (const path of kept) files.put(path, Buffer.alloc(100))
    const opened = await openPersistence(files)
    expect(opened.persistence.bytes()).toBe(500)
    expect(opened.misplaced.sort()).toEqual([
      'journal/edge_logs-00000003.log.gone is set aside',
      'journal/edge_logs-00000004.log.damaged is set aside',
      'journal/notes is unknown',
      'segments/edge_logs/1970-01-01/00000001-0.damaged is set aside',
      'segments/edge_logs/notes is unknown',
    ])
    // The number of a kept journal is not used again, so that the journal can be renamed back.
    await opened.append(RECORDS[0]!)
    expect(await files.list('journal')).toContain('edge_logs-00000005.log')
    await opened.close()
    expect(files.paths()).toEqual(expect.arrayContaining(kept))
  })
})
