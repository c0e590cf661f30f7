import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory } from '../../../../src/engine/disk/directory/open.js'
import { openToRead } from '../../../../src/engine/disk/directory/open-to-read.js'
import type { LockOptions } from '../../../../src/engine/disk/lock/options.js'
import { directoryState } from '../../../support/directory-state.js'
import { listenOn, onFile, SHORT, sleep } from '../../../support/lock.js'

let root: string
let directory: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-open-'))
  directory = join(root, 'data')
  mkdirSync(directory)
  writeFileSync(join(directory, 'format.json'), '{"format":"logweir","version":1}\n')
})
afterEach(() => rmSync(root, { recursive: true }))

const REMEDY = 'Query that service with logweir query --sql, or stop it.'

/** Opens the directory, and checks that the directory does not change. Returns the number of waits too. */
async function open(parts: Partial<LockOptions> = {}) {
  let waits = 0
  const wait: LockOptions['wait'] = async (ms) => {
    waits++
    await sleep(ms)
  }
  const before = directoryState(directory)
  const opened = await openToRead(directory, { timing: SHORT, wait, ...parts })
  expect(directoryState(directory)).toEqual(before)
  return { ...opened, waits }
}

const refusal = (parts?: Partial<LockOptions>) => open(parts).catch(({ code, message }) => ({ code, message }))

/** Leaves the socket of a process that has ended. */
async function leaveSocket(): Promise<void> {
  const dead = await listenOn(join(directory, 'elsewhere'), '1')
  renameSync(join(directory, 'elsewhere'), join(directory, 'lock'))
  dead.close()
}

describe('openToRead', () => {
  it('opens a directory that no process has, and does not lock it', async () => {
    const first = await open()
    expect(first.waits).toBe(0)
    await first.release()
    await (await openDataDirectory(directory)).release()
  })

  it('is refused while a process has the socket, and not later', async () => {
    const holder = await openDataDirectory(directory)
    await expect(openToRead(directory)).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: `The data directory ${directory} is in use by process ${process.pid}. ${REMEDY}`,
    })
    await holder.release()
    await open()
  })

  it('is refused while a process has the lock file, and not later', async () => {
    const holder = await openDataDirectory(directory, onFile())
    await expect(openToRead(directory, { timing: SHORT })).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: expect.stringMatching(/is in use by a process on host .* \(see .*lock\.json\)\. Query that service/),
    })
    await holder.release()
    await open()
  })

  it('opens a directory with the socket of a dead process at once, if that is conclusive', async () => {
    await leaveSocket()
    expect((await open()).waits).toBe(0)
  })

  it('waits ten looks if another kernel may have the socket or the file', async () => {
    await leaveSocket()
    const logged: string[] = []
    const log = (message: string) => void logged.push(message)
    expect((await open({ areSocketsConclusive: async () => false, log })).waits).toBe(SHORT.looks)
    expect(logged).toEqual([`${directory}/lock exists: the directory is in use if it changes within 0.1 s`])
    rmSync(join(directory, 'lock'))
    writeFileSync(join(directory, 'lock.json'), '{"id":"of the guest"}')
    expect((await open()).waits).toBe(SHORT.looks)
  })

  it('is refused if another kernel touches the socket', async () => {
    await leaveSocket()
    const wait: LockOptions['wait'] = async () => utimesSync(join(directory, 'lock'), 1, 1)
    await expect(openToRead(directory, { areSocketsConclusive: async () => false, wait })).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: `The data directory ${directory} is in use by another process. ${REMEDY}`,
    })
  })

  it('opens a directory in which other files have the names of locks', async () => {
    writeFileSync(join(directory, 'lock'), '')
    mkdirSync(join(directory, 'lock.json'))
    await open()
  })

  it('finds the socket of a directory with a long path', async () => {
    const long = join(root, 'a'.repeat(100))
    renameSync(directory, long)
    directory = long
    await open()
    const holder = await openDataDirectory(directory)
    await expect(openToRead(directory)).rejects.toMatchObject({ code: 'data_dir_in_use' })
    await holder.release()
  })

  it('refuses what is no data directory, or of a newer version', async () => {
    rmSync(join(directory, 'format.json'))
    const none = {
      code: 'failed',
      message: `${directory} is no data directory of logweir: there is no format.json in it.`,
    }
    expect(await refusal()).toEqual(none)
    writeFileSync(join(directory, 'format.json'), '{"format":"logweir","version":5}\n')
    expect(await refusal()).toMatchObject({ code: 'newer_format' })
    writeFileSync(join(directory, 'format.json'), '{}')
    expect(await refusal()).toMatchObject({ code: 'damaged_format' })
    rmSync(directory, { recursive: true })
    await expect(openToRead(directory)).rejects.toMatchObject(none)
  })

  it('tells which user cannot read it', async () => {
    const loop = join(directory, 'loop')
    symlinkSync(loop, loop)
    await expect(openToRead(loop)).rejects.toMatchObject({
      code: 'data_dir_unusable',
      message: expect.stringMatching(/^The data directory \S+loop cannot be read: ELOOP: .* runs as uid \d+/),
    })
  })

  it('gives files that reject every change', async () => {
    const { files } = await open()
    expect(await files.list('')).toEqual(['format.json'])
    const changes = [
      files.makeDirectory('a'),
      files.openToWrite('a'),
      files.rename('format.json', 'a'),
      files.remove('format.json'),
      files.syncDirectory(''),
    ]
    for (const change of changes) await expect(change).rejects.toThrow(TypeError)
  })
})
