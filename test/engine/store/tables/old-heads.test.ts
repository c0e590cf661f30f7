import { beforeEach, describe, expect, it } from 'vitest'
import { createMetrics, type Metrics } from '../../../../src/base/metrics.js'
import { DAY_US } from '../../../../src/base/units.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { createMemoryPersistence } from '../../../../src/engine/store/persistence/persistence.js'
import { effortOf } from '../../../../src/engine/store/sealing/cancellation.js'
import type { Sealer } from '../../../../src/engine/store/sealing/sealer.js'
import { enforceRetention } from '../../../../src/engine/store/tables/retention.js'
import { createStore, type Store } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { eventually } from '../../../support/eventually.js'
import { createGate, type Gate } from '../../../support/gate.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { type OpenPersistence, openPersistence } from '../persistence/open-persistence.js'
import { idsOf, viewOf } from '../support.js'

const RETENTION_DAYS = 10
const NEVER = { sealRows: Number.POSITIVE_INFINITY, sealBytes: Number.POSITIVE_INFINITY }

/** Returns a record of a source, with the day as id. */
const ofDay = (day: number, source: SourceName = 'edge_logs'): TestRecord => ({
  ...edge({ id: `${day}`, timestampUs: day * DAY_US }),
  source,
})

const append = (store: Store, ...records: TestRecord[]) => store.append(toBatch(records[0]!.source, records))
const statsOf = (store: Store, source: SourceName = 'edge_logs') =>
  store.stats().find((stats) => stats.source === source)!

/** Returns the ids of a source, part by part. */
function idsIn(store: Store, source: SourceName = 'edge_logs'): string[][] {
  const { batches, release } = viewOf(store, source)
  const ids = batches.map((batch) => idsOf(batch))
  release()
  return ids
}

/** Returns a sealer that seals nothing until `gate` is opened, and the heads that the sealer was given. */
function watchedSealer(gate?: Gate) {
  const here = createTestSealer()
  const asked: { source: SourceName; effort: string }[] = []
  const seal: Sealer['seal'] = async (head, cancellation) => {
    asked.push({ source: head.source, effort: effortOf(cancellation) })
    await gate?.opened
    return here.seal(head)
  }
  return { asked, sealer: { ...here, seal } }
}

let metrics: Metrics

beforeEach(() => {
  metrics = createMetrics()
})

/** Runs the check of a retention of ten days at the start of a day. Resolves when the old heads are sealed. */
const enforceOn = (store: Store, day: number) => enforceRetention(store, day * DAY_US, RETENTION_DAYS * DAY_US, metrics)

const someTurns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

describe('an open head with a day that is older than the retention', () => {
  it('is sealed, so that the next check drops the day', async () => {
    const store = createStore({ ...NEVER, sealer: createTestSealer() })
    await append(store, ofDay(3), ofDay(1), ofDay(2))
    await enforceOn(store, 11)
    expect([idsIn(store), statsOf(store).segments]).toEqual([[['3', '1', '2']], 0])
    await enforceOn(store, 12)
    expect(idsIn(store)).toEqual([['1'], ['2'], ['3']])
    await enforceOn(store, 12)
    expect(idsIn(store)).toEqual([['2'], ['3']])
    await enforceOn(store, 12)
    expect(idsIn(store)).toEqual([['2'], ['3']])
  })

  it('is sealed once for all later rows, also where some of them are late', async () => {
    const { asked, sealer } = watchedSealer()
    const store = createStore({ ...NEVER, sealer })
    for (let day = 1; day <= 30; day++) {
      for (let minute = 0; minute < 5; minute++) {
        await append(store, ofDay(day), ofDay(Math.max(1, day - RETENTION_DAYS)))
        await enforceOn(store, day)
      }
    }
    // From the second day after the retention on, once a day: late rows are of the last day that is kept.
    expect(asked).toHaveLength(30 - RETENTION_DAYS - 1)
    asked.length = 0
    for (let minute = 0; minute < 5; minute++) await enforceOn(store, 31)
    expect(asked).toHaveLength(1)
    // The new head has rows of the day 31 only.
    for (let day = 31; day <= 31 + RETENTION_DAYS; day++) {
      await append(store, ofDay(31))
      await enforceOn(store, day)
    }
    expect(asked).toHaveLength(1)
    await enforceOn(store, 32 + RETENTION_DAYS)
    expect(asked).toHaveLength(2)
  })

  it('shows each row once while it is sealed, and takes rows', async () => {
    const gate = createGate()
    const store = createStore({ ...NEVER, sealer: watchedSealer(gate).sealer })
    await append(store, ofDay(1), ofDay(9))
    const sealed = enforceOn(store, 12)
    await append(store, ofDay(12))
    expect(idsIn(store)).toEqual([['1', '9'], ['12']])
    await enforceOn(store, 12)
    expect(idsIn(store)).toEqual([['1', '9'], ['12']])
    gate.open()
    await sealed
    expect(idsIn(store)).toEqual([['1'], ['9'], ['12']])
    await enforceOn(store, 12)
    expect(idsIn(store)).toEqual([['9'], ['12']])
  })

  it('waits until the one of another source is sealed: no append waits for several', async () => {
    const gate = createGate()
    const { asked, sealer } = watchedSealer(gate)
    const store = createStore({ ...NEVER, sealer })
    for (const source of NINE_AND_OWN) await append(store, ofDay(1, source))
    const sealed = enforceOn(store, 12)
    await eventually(() => expect(asked).toHaveLength(1))
    for (const source of NINE_AND_OWN) await append(store, ofDay(12, source))
    await enforceOn(store, 12)
    await someTurns()
    expect(asked).toHaveLength(1)
    gate.open()
    await sealed
    expect(asked.map(({ source }) => source)).toEqual(NINE_AND_OWN)
    for (const source of NINE_AND_OWN.slice(1)) expect(idsIn(store, source).flat().sort()).toEqual(['1', '12'])
    await enforceOn(store, 12)
    for (const source of NINE_AND_OWN) expect(idsIn(store, source)).toEqual([['12']])
  })

  it('is sealed once if a batch fills it before its turn', async () => {
    const { asked, sealer } = watchedSealer()
    const store = createStore({ ...NEVER, sealRows: 2, sealer })
    await append(store, ofDay(1))
    const appended = [9, 12].map((day) => append(store, ofDay(day)))
    await Promise.all([enforceOn(store, 12), ...appended, store.settled()])
    expect([asked.length, idsIn(store)]).toEqual([1, [['1'], ['9'], ['12']]])
  })

  it('is sealed with high effort if it has filled slowly', async () => {
    const { asked, sealer } = watchedSealer()
    let nowMs = 0
    const store = createStore({ ...NEVER, sealer, clock: { monotonicMs: () => nowMs, nowUs: () => 0 } })
    await append(store, ofDay(1))
    nowMs += 60_000
    await enforceOn(store, 12)
    expect(asked).toEqual([{ source: 'edge_logs', effort: 'high' }])
  })

  it('stays visible if it cannot be sealed, and does not keep others from it', async () => {
    const here = createTestSealer()
    const sealer: Sealer = {
      ...here,
      seal: (head) => (head.source === NINE_AND_OWN[0] ? Promise.reject(new RangeError('no memory')) : here.seal(head)),
    }
    const store = createStore({ ...NEVER, sealer })
    for (const source of NINE_AND_OWN) await append(store, ofDay(1, source))
    for (let check = 0; check < 3; check++) await enforceOn(store, 12)
    expect(NINE_AND_OWN.map((source) => idsIn(store, source))).toEqual(
      NINE_AND_OWN.map((_, i) => (i === 0 ? [['1']] : [])),
    )
  })

  it('is not sealed any more once the store closes', async () => {
    const gate = createGate()
    const { asked, sealer } = watchedSealer(gate)
    const store = createStore({ ...NEVER, sealer })
    for (const source of NINE_AND_OWN) await append(store, ofDay(1, source))
    const sealed = enforceOn(store, 12)
    await eventually(() => expect(asked).toHaveLength(1))
    const closed = store.close()
    gate.open()
    await Promise.all([closed, sealed])
    expect(asked).toHaveLength(1)
  })

  it('is not sealed before its journal has been read to the end', async () => {
    const gate = createGate()
    const commits: number[] = []
    const store = createStore({ ...NEVER, sealer: createTestSealer() })
    const persistence = {
      ...createMemoryPersistence().openHead('edge_logs'),
      commit: async () => void commits.push(statsOf(store).rows),
    }
    const reopened = store.reopen('edge_logs', persistence, async (show) => {
      show(toBatch('edge_logs', [ofDay(1)]))
      await gate.opened
      show(toBatch('edge_logs', [ofDay(2)]))
      return 'open'
    })
    await eventually(() => expect(statsOf(store).rows).toBe(1))
    const sealed = enforceOn(store, 13)
    await someTurns()
    expect([statsOf(store).segments, commits]).toEqual([0, []])
    gate.open()
    await Promise.all([reopened, sealed])
    expect([idsIn(store), commits]).toEqual([[['1'], ['2']], [2]])
  })
})

describe('an open head on disk with a day that is older than the retention', () => {
  const filesOf = async (files: ModelFiles) => {
    const found: string[] = []
    for (const name of await files.list('journal')) found.push(name)
    for (const day of await files.list('segments/edge_logs').catch(() => []))
      for (const name of await files.list(`segments/edge_logs/${day}`)) found.push(`${day}/${name}`)
    return found.sort()
  }

  const idsOnDisk = async ({ rows }: OpenPersistence) => (await rows()).map((row) => row.split(' ')[0])

  it.each(['before a restart', 'after it'])('leaves no file with the day: %s', async (when) => {
    let files = createModelFiles()
    let opened = await openPersistence(files)
    await opened.append(ofDay(1), ofDay(5))
    if (when === 'after it') {
      await opened.close()
      files = files.restart()
      opened = await openPersistence(files)
    }
    expect(await filesOf(files)).toEqual(['edge_logs-00000001.log'])
    await enforceOn(opened.store, 12)
    expect(await filesOf(files)).toEqual(['1970-01-02/00000001-0', '1970-01-06/00000001-1'])
    await enforceOn(opened.store, 12)
    await eventually(async () => expect(await filesOf(files)).toEqual(['1970-01-06/00000001-1']))
    await opened.append(ofDay(12))
    await opened.close()
    const next = await openPersistence(files.restart())
    expect([await idsOnDisk(next), next.damages]).toEqual([['12', '5'], []])
    await next.close()
  })

  it('that cannot be written keeps no sealed day from being dropped', async () => {
    const files = createModelFiles()
    const opened = await openPersistence(files)
    for (const day of [1, 2]) {
      await opened.append(ofDay(day))
      await opened.store.sealAll()
    }
    await opened.append({ ...ofDay(1), id: 'open' })
    files.fail({ code: 'ENOSPC', after: 0, forGood: true, only: ['openToWrite', 'writeAt'] })
    const sealed = enforceOn(opened.store, 13)
    await eventually(() => expect(opened.diskRetry.currentError()).toBeDefined())
    expect(await idsOnDisk(opened)).toEqual(['2', 'open'])
    await enforceOn(opened.store, 13)
    expect(await idsOnDisk(opened)).toEqual(['open'])
    files.heal()
    await sealed
    await enforceOn(opened.store, 13)
    expect(await idsOnDisk(opened)).toEqual([])
    await opened.close()
  })
})
