import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DeletionPlace } from '../../src/deletions/place.js'
import { createMemoryFiles } from '../../src/engine/disk/files/memory-files.js'
import { settle } from '../http/support.js'
import { createModelFiles } from '../support/model-files.js'
import { ALL_OF_A, openDeletions, textsOf } from './support.js'

const WHERE = "event_message like '%secret%'"
const BY_CONDITION = { ...ALL_OF_A, source: 'edge_logs', where: WHERE }

describe('a deletion', () => {
  test('is durable and hidden when it is accepted, and erased later', async () => {
    const { deletions, calls, hidden, waiting, files, logged } = openDeletions({ erases: false })
    deletions.start()
    const accepted = await deletions.accept({ ...BY_CONDITION, startUs: 0, endUs: 1_000_000 }, '1a2b3c4d (ops)')
    expect(accepted).toMatchObject({ state: 'hidden', where: WHERE, rows: null, start: '1970-01-01T00:00:00Z' })
    expect(hidden).toMatchObject([{ id: accepted.id, project: 'a', fromUs: 0, throughUs: 999_999 }])
    expect(hidden[0]!.sources.get('edge_logs')).toMatchObject({ lastHead: 7, where: { fn: 'contains' } })
    expect(await textsOf(files)).toEqual([expect.stringContaining('secret')])
    await settle()
    expect(calls).toEqual(['close', 'hide', 'erase'])
    expect(await deletions.find(accepted.id, undefined)).toEqual(accepted)

    waiting[0]!.resolve()
    await settle()
    const erased = await deletions.find(accepted.id, undefined)
    expect(erased).toEqual({
      ...{ ...accepted, state: 'erased', where: null, where_sha256: hash('sha256', WHERE, 'hex') },
      ...{ erased: '2026-11-20T10:00:00Z', rows: 2, bytes: 20 },
    })
    expect((await textsOf(files)).join('')).not.toContain('secret')
    expect(logged.join('')).not.toContain('secret')
    expect(logged).toEqual([
      `accepted the deletion ${accepted.id} of edge_logs of the project a from 1970-01-01T00:00:00Z to ` +
        '1970-01-01T00:00:01Z by a condition, asked for by the token 1a2b3c4d (ops)',
      `erased the deletion ${accepted.id} of edge_logs of the project a from 1970-01-01T00:00:00Z to ` +
        '1970-01-01T00:00:01Z by a condition; rows: 2',
    ])
  })

  test('without a source concerns all sources, also those without rows', async () => {
    const { deletions, hidden } = openDeletions()
    await deletions.accept(ALL_OF_A, 'x')
    const [{ sources, fromUs, throughUs }] = hidden as [(typeof hidden)[0]]
    expect([fromUs, throughUs]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
    expect(sources.get('edge_logs')).toEqual({ lastHead: 7, where: undefined })
    expect(sources.get('auth_logs')).toEqual({ lastHead: -1, where: undefined })
  })

  test('with a wrong condition changes nothing', async () => {
    const { deletions, calls, files } = openDeletions()
    const wrong = { ...BY_CONDITION, where: "substr(id, x) = 'a'" }
    await expect(deletions.accept(wrong, 'x')).rejects.toMatchObject({ code: 'unsupported_sql' })
    expect([calls, await files.list('deletions')]).toEqual([[], []])
  })

  test('is hidden by the next process before its rows are read, and goes on', async () => {
    const first = openDeletions({ erases: false })
    first.deletions.start()
    const { id } = await first.deletions.accept(BY_CONDITION, 'x')
    await settle()
    await first.deletions.stop()

    const next = openDeletions({ files: first.files })
    await next.deletions.hideOpen()
    expect([next.calls, next.hidden]).toEqual([['hide'], first.hidden])
    expect(await next.deletions.find(id, undefined)).toMatchObject({ state: 'hidden' })
    next.deletions.start()
    await settle()
    expect(await next.deletions.find(id, undefined)).toMatchObject({ state: 'erased' })
  })

  test('that fails is tried again, and keeps no other from being erased', async () => {
    const { deletions, waiting, clock, logged, calls } = openDeletions({ erases: false })
    deletions.start()
    const failing = await deletions.accept(ALL_OF_A, 'x')
    const other = await deletions.accept({ ...ALL_OF_A, project: 'b' }, 'x')
    await settle()
    waiting[0]!.reject(new Error('the disk is full'))
    await settle()
    waiting[1]!.resolve()
    await settle()
    const states = async () =>
      Promise.all([failing, other].map(async ({ id }) => (await deletions.find(id, undefined))?.state))
    expect(await states()).toEqual(['hidden', 'erased'])
    expect(logged).toContain(`the deletion ${failing.id} cannot be erased yet, and is tried again: the disk is full`)
    clock.advance(30_000)
    await settle()
    expect(calls.filter((call) => call === 'erase').length).toBe(3)
    waiting[2]!.resolve()
    await settle()
    expect(await states()).toEqual(['erased', 'erased'])
  })

  test('that cannot be stored is refused, and hides nothing', async () => {
    const files = createModelFiles()
    files.fail({ code: 'ENOSPC', after: 0, forGood: true, only: ['writeAt'] })
    const { deletions, calls, logged } = openDeletions({ files })
    await expect(deletions.accept(ALL_OF_A, 'x')).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(calls).toEqual(['close'])
    expect(logged).toEqual([expect.stringMatching(/^a deletion cannot be stored: .*ENOSPC/)])
  })

  test('is refused while too many are open', async () => {
    const { deletions, waiting } = openDeletions({ erases: false, limits: { open: 2, kept: 9, listed: 9 } })
    deletions.start()
    const results = await Promise.allSettled([1, 2, 3].map(() => deletions.accept(ALL_OF_A, 'x')))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: { code: 'too_many_deletions' } })
    await settle()
    waiting[0]!.resolve()
    await settle()
    await deletions.accept(ALL_OF_A, 'x')
  })

  test('is refused while the service stops', async () => {
    const { deletions, files } = openDeletions()
    await deletions.stop()
    await expect(deletions.accept(ALL_OF_A, 'x')).rejects.toMatchObject({ code: 'stopping' })
    expect(await files.list('deletions')).toEqual([])
  })
})

describe('the other places of rows', () => {
  test('are hidden and erased before the engine, with what they drop', async () => {
    const order: string[] = []
    const groups = { view: 'v', first: '2026-11-01T00:00:00Z', last: '2026-11-02T00:00:00Z' }
    const places: DeletionPlace[] = [
      { hide: () => order.push('hide views'), erase: ({ saveDropped }) => saveDropped([groups]) },
      {
        async erase(erasing) {
          order.push(`erase ${erasing.isOfWholeProject} ${erasing.acceptedUs}`)
          expect(erasing.dropped).toEqual([groups])
        },
      },
    ]
    const { deletions, calls, files, waiting } = openDeletions({ places, erases: false })
    deletions.start()
    const { id } = await deletions.accept(ALL_OF_A, 'x')
    await settle()
    expect(order).toEqual(['hide views', 'erase true 1795168800000000'])
    expect(calls).toEqual(['close', 'hide', 'erase'])
    expect(await textsOf(files)).toEqual([expect.stringContaining('"dropped_groups":[{"view":"v"')])
    waiting[0]!.resolve()
    await settle()
    expect(await deletions.find(id, undefined)).toMatchObject({ state: 'erased', dropped_groups: [groups] })
  })
})

describe('the list of deletions', () => {
  test('has those of some projects, the newest first, and forgets the oldest', async () => {
    const { deletions, files, clock } = openDeletions({ limits: { open: 9, kept: 2, listed: 2 } })
    deletions.start()
    for (const project of ['a', 'b', 'a', 'a']) {
      await deletions.accept({ ...ALL_OF_A, project }, 'x')
      clock.advance(1)
      await settle()
    }
    const listed = await deletions.list(undefined)
    expect(listed.map(({ project }) => project)).toEqual(['a', 'a'])
    expect(listed[0]!.id > listed[1]!.id).toBe(true)
    expect(await deletions.list(new Set(['b']))).toEqual([])
    expect(await deletions.find(listed[0]!.id, new Set(['b']))).toBeUndefined()
    expect((await files.list('deletions')).length).toBe(2)
    const next = openDeletions({ files })
    expect(await next.deletions.list(undefined)).toEqual(listed)
  })
})

describe('the files of deletions', () => {
  test('that are damaged stop the start: their rows would be shown', async () => {
    const files = createMemoryFiles()
    const file = await files.openToWrite('deletions/019adf0a1b2c00000000.json')
    await file.writeAt(0, [Buffer.from('{"format":')])
    await expect(openDeletions({ files }).deletions.hideOpen()).rejects.toMatchObject({
      code: 'failed',
      message:
        'deletions/019adf0a1b2c00000000.json in the data directory is damaged: it is a deletion, whose rows would be ' +
        'shown again. Restore the file, or remove it and delete the rows again.',
    })
  })

  test('keep an accepted deletion hidden whenever the process dies or the power is cut', async () => {
    for (let after = 0; ; after++) {
      const files = createModelFiles()
      files.fail({ code: 'DIED', after })
      const { deletions } = openDeletions({ files })
      deletions.start()
      const accepted = await deletions.accept(BY_CONDITION, 'x').catch(() => undefined)
      await settle()
      const isWhole = files.calls <= after
      for (const later of [after % 2 === 0 ? files.restart() : files.cutPower(() => 0)]) {
        const next = openDeletions({ files: later })
        await next.deletions.hideOpen()
        const erased = (await next.deletions.list(undefined)).filter(({ state }) => state === 'erased')
        if (accepted !== undefined) expect([...next.hidden, ...erased].map(({ id }) => id)).toEqual([accepted.id])
        next.deletions.start()
        await settle()
        expect((await textsOf(later)).join('')).not.toContain('secret')
      }
      if (isWhole) return
    }
  })
})
