import { mkdtempSync, readdirSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from '../../../../src/engine/disk/lock/lock.js'
import type { LockOptions } from '../../../../src/engine/disk/lock/options.js'
import { eventually } from '../../../support/eventually.js'
import { listenOn, onFile, SHORT, sleep } from '../../../support/lock.js'

/** A host and a virtual machine, or two NFS clients: each side sees the other's socket but cannot connect. */

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-lock-both-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const host: Partial<LockOptions> = { timing: SHORT }
const guest: Partial<LockOptions> = { timing: SHORT, areSocketsConclusive: async () => false }

describe('a directory that a host and a guest see', () => {
  it.each([
    ['host', 'guest', host, guest, 'lock'],
    ['guest', 'host', guest, host, 'lock.json'],
    ['guest', 'other guest', guest, onFile(), 'lock.json'],
  ])('is refused while the %s has it to the %s', async (_, __, holder, starter, name) => {
    const lock = await lockDirectory(root, holder)
    await expect(lockDirectory(root, starter)).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: expect.stringContaining(`(see ${join(root, name)})`),
    })
    expect(readdirSync(root)).toEqual([name])
    await lock.release()
    await (await lockDirectory(root, starter)).release()
    expect(readdirSync(root)).toEqual([])
  })

  it('goes to a guest ten looks after the host was killed, since the guest cannot know', async () => {
    const dead = await listenOn(join(root, 'elsewhere'), '1')
    // Keeps the file of the socket when the server closes.
    renameSync(join(root, 'elsewhere'), join(root, 'lock'))
    dead.close()
    let waits = 0
    const wait: LockOptions['wait'] = async (ms) => {
      waits++
      await sleep(ms)
    }
    const lock = await lockDirectory(root, { ...guest, wait })
    expect([waits, readdirSync(root)]).toEqual([SHORT.looks, ['lock.json']])
    await lock.release()
  })

  it('goes to a host ten looks after the guest was killed', async () => {
    writeFileSync(join(root, 'lock.json'), '{"id":"of the guest"}')
    let waits = 0
    const wait: LockOptions['wait'] = async (ms) => {
      waits++
      await sleep(ms)
    }
    const lock = await lockDirectory(root, { ...host, wait })
    expect([waits, readdirSync(root)]).toEqual([SHORT.looks, ['lock']])
    await lock.release()
  })

  it('is not taken from a host whose socket a guest sees touched at the last look', async () => {
    const alive = await listenOn(join(root, 'lock'), '1')
    let looks = 0
    const wait: LockOptions['wait'] = async () => {
      if (++looks === SHORT.looks) utimesSync(join(root, 'lock'), 1, 1)
    }
    await expect(lockDirectory(root, { ...guest, wait })).rejects.toMatchObject({ code: 'data_dir_in_use' })
    expect(readdirSync(root)).toEqual(['lock'])
    alive.close()
  })

  it('is never taken by both at once, 20 times', async () => {
    for (let round = 0; round < 20; round++) {
      const tries = await Promise.allSettled([host, guest].map((parts) => lockDirectory(root, parts)))
      const taken = tries.filter((attempt) => attempt.status === 'fulfilled')
      expect(taken.length).toBeLessThanOrEqual(1)
      for (const { value } of taken) await value.release()
      expect(readdirSync(root)).toEqual([])
    }
  })

  it('stays as it is if the guest finds a text in place of the socket', async () => {
    writeFileSync(join(root, 'lock'), 'a text')
    await expect(lockDirectory(root, guest)).rejects.toMatchObject({
      code: 'data_dir_unusable',
      message: expect.stringContaining(`${join(root, 'lock')} exists and is no socket. Remove it`),
    })
    expect(readdirSync(root)).toEqual(['lock'])
  })

  it.each(['removed', 'replaced'])('is lost to a host whose socket was %s', async (what) => {
    const losses: string[] = []
    const lock = await lockDirectory(root, { ...host, onLost: ({ code }) => void losses.push(code) })
    unlinkSync(join(root, 'lock'))
    const other = what === 'replaced' ? await lockDirectory(root, host) : undefined
    await eventually(() => expect(losses).toEqual(['data_dir_lost']))
    await lock.release()
    expect(readdirSync(root)).toEqual(what === 'replaced' ? ['lock'] : [])
    await other?.release()
  })
})
