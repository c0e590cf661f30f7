import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { NEW_STATE, type RuleState } from '../../../src/alerts/states/state.js'
import type { Notification } from '../../../src/alerts/store/notification.js'
import { createMemoryStore, openAlertStore } from '../../../src/alerts/store/store.js'
import { createModelFiles, type ModelFiles } from '../../support/model-files.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const log = () => {}

function stateAt(lastUs: number, names: readonly string[]): RuleState {
  const alerts = names.map((path) => {
    const content = { labels: [['path', path]] as const, values: [['n', 1]] as const, text: path }
    return [path, { ...content, sinceUs: 1, startsUs: 2, missingUs: undefined, notifiedUs: undefined }] as const
  })
  return { ...NEW_STATE, lastUs, okUs: lastUs, alerts: new Map(alerts) }
}

const notification = (id: number, body = 'x'): Notification => {
  return { id, receiver: 'ops', key: `k${id}`, body, identities: ['a'], createdUs: 5 }
}

const newestPath = (files: ModelFiles) => files.paths().find((path) => path.startsWith('alerts/states.'))!

describe('the store of alerts', () => {
  it('has after a restart what was written', async () => {
    const files = createModelFiles()
    const store = await openAlertStore(files, log)
    await store.commit(
      { rule: 'r', state: stateAt(7, ['/a', '/b']), added: [notification(store.nextId())], events: [] },
      true,
    )
    await store.commit(
      { rule: 'r', state: stateAt(8, ['/b']), added: [notification(store.nextId())], events: [] },
      false,
    )
    await store.commit({ rule: 's', state: stateAt(8, []), added: [], events: [] }, false)
    await store.commit({ rule: 's', state: undefined, added: [], events: [] }, false)
    await store.settle([1])
    const next = await openAlertStore(files.restart(), log)
    expect([...next.states()]).toEqual([['r', stateAt(8, ['/b'])]])
    expect(next.notifications()).toEqual([notification(2)])
    expect(next.nextId()).toBe(3)
  })

  it('gives no id twice, even if all notifications were delivered', async () => {
    const files = createModelFiles()
    const store = await openAlertStore(files, log)
    await store.commit({ rule: 'r', state: NEW_STATE, added: [notification(store.nextId())], events: [] }, true)
    await store.settle([1])
    const next = await openAlertStore(files.restart(), log)
    expect(next.nextId()).toBe(2)
  })

  it('goes on from before the damage, keeps the file and says so', async () => {
    const files = createModelFiles()
    const store = await openAlertStore(files, log)
    await store.commit({ rule: 'r', state: stateAt(7, ['/a']), added: [], events: [] }, true)
    await store.commit({ rule: 'r', state: stateAt(8, []), added: [], events: [] }, true)
    await store.commit({ rule: 'r', state: stateAt(9, []), added: [], events: [] }, true)
    const path = newestPath(files)
    const bytes = Buffer.from(files.peek(path)!)
    bytes[bytes.indexOf('"lastUs":8')] ^= 1
    files.put(path, bytes)
    const lines: string[] = []
    const next = await openAlertStore(files.restart(), (line) => lines.push(line))
    expect(next.states().get('r')).toEqual(stateAt(7, ['/a']))
    expect(lines).toEqual([
      'alerts/states.1 is damaged: 2 lines cannot be read. Alerts go on from the states before the damage: receivers ' +
        'may be notified again, and notifications behind the damage are lost. The file is kept as ' +
        'alerts/states.1.damaged.',
    ])
  })

  it('refuses the file of a newer version', async () => {
    const files = createModelFiles()
    await (await openAlertStore(files, log)).close()
    const json = '{"format":"logweir alerts","version":2}'
    files.put(newestPath(files), Buffer.from(`${crc32(Buffer.from(json)).toString(16).padStart(8, '0')} ${json}\n`))
    const opened = openAlertStore(files.restart(), log)
    await expect(opened).rejects.toMatchObject({ code: 'newer_format' })
  })

  it('changes nothing if the disk is full, and goes on when there is room', async () => {
    const files = createModelFiles()
    const store = await openAlertStore(files, log)
    await store.commit({ rule: 'r', state: stateAt(7, ['/a']), added: [], events: [] }, true)
    files.fail({ code: 'ENOSPC', after: 0, only: ['writeAt'], share: 0.5 })
    const failed = store.commit({ rule: 'r', state: stateAt(8, []), added: [notification(1)], events: [] }, true)
    await expect(failed).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(store.states().get('r')).toEqual(stateAt(7, ['/a']))
    files.heal()
    await store.commit({ rule: 'r', state: stateAt(9, ['/a', '/b']), added: [], events: [] }, true)
    const next = await openAlertStore(files.restart(), log)
    expect(next.states().get('r')).toEqual(stateAt(9, ['/a', '/b']))
    expect(next.notifications()).toEqual([])
  })

  it('may be in memory alone', async () => {
    const store = createMemoryStore()
    await store.commit(
      { rule: 'r', state: stateAt(7, ['/a']), added: [notification(store.nextId())], events: [] },
      true,
    )
    expect(store.states().get('r')).toEqual(stateAt(7, ['/a']))
    await store.settle([1])
    expect([store.notifications(), store.nextId()]).toEqual([[], 2])
  })

  it('stays small', async () => {
    const files = createModelFiles()
    const store = await openAlertStore(files, log)
    for (let i = 0; i < 40; i++) {
      const added = [notification(store.nextId(), 'y'.repeat(100_000))]
      await store.commit({ rule: 'r', state: stateAt(i + 1, ['/a']), added, events: [] }, true)
      await store.settle([added[0]!.id])
    }
    expect(files.paths().length).toBe(1)
    expect(files.peek(newestPath(files))!.length).toBeLessThan(2_400_000)
  })

  it('loses nothing that was synced, at any power cut', async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < runs(300); run++) {
      let files = createModelFiles()
      let synced = 0
      for (let life = 0; life < 3; life++) {
        const store = await openAlertStore(files, log)
        const lastUs = store.states().get('r')?.lastUs ?? 0
        if (lastUs < synced) throw new Error(`seed ${seed}, run ${run}: ${lastUs} instead of ${synced}`)
        if (random() < 0.5) files.fail({ code: 'DIED', after: below(random, 12) })
        for (let i = 0; i < 6; i++) {
          const isSynced = random() < 0.5
          const lastUs = Math.max(synced, store.states().get('r')?.lastUs ?? 0) + 1
          const state = stateAt(lastUs, oneOf(random, [[], ['/a'], ['/a', '/b']]))
          const isDone = await Promise.race([
            store.commit({ rule: 'r', state, added: [], events: [] }, isSynced).then(
              () => true,
              () => false,
            ),
            new Promise<boolean>((resolve) => setTimeout(resolve, 20, false)),
          ])
          if (!isDone) break
          if (isSynced) synced = lastUs
        }
        files = files.cutPower(random)
      }
    }
  })
})
