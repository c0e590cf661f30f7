import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from '../../../../src/engine/disk/lock/lock.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-lock-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Starts a process that is not logweir and listens at the lock's socket until the process is killed. */
async function holdElsewhere(answer: string) {
  const script = `require('net')
    .createServer((s) => s.end('${answer}'))
    .listen(process.argv[1], () => console.log('listening'))`
  const holder = spawn(process.execPath, ['-e', script, join(root, 'lock')], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout!, 'data')
  return {
    async kill() {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    },
  }
}

describe('the lock of a directory', () => {
  it('is held by one at a time, and free again after it was given back', async () => {
    const lock = await lockDirectory(root)
    await expect(lockDirectory(root)).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message:
        `The data directory ${root} is in use by process ${process.pid}. ` +
        'Stop that one, or give another --data-dir.',
    })
    await lock.release()
    expect(readdirSync(root)).toEqual([])
    await (await lockDirectory(root)).release()
  })

  it('is free as soon as its process was killed, for one of many who want it', async () => {
    const holder = await holdElsewhere('4711')
    await expect(lockDirectory(root)).rejects.toThrow('in use by process 4711')
    await holder.kill()
    expect(existsSync(join(root, 'lock'))).toBe(true)
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(root)))
    const taken = tries.filter((attempt) => attempt.status === 'fulfilled')
    expect(taken.length).toBe(1)
    await taken[0]!.value.release()
    expect(readdirSync(root)).toEqual([])
  })

  it('goes to one of many, time after time, and does not wait for a process that died removing a socket', async () => {
    for (let time = 0; time < 10; time++) {
      const holder = await holdElsewhere('4711')
      await holder.kill()
      if (time === 0) mkdirSync(join(root, 'lock.removing'))
      const tries = await Promise.allSettled(Array.from({ length: 16 }, () => lockDirectory(root)))
      const taken = tries.filter((attempt) => attempt.status === 'fulfilled')
      expect(taken.length).toBe(1)
      await taken[0]!.value.release()
      expect(readdirSync(root)).toEqual([])
    }
  })

  it('is held by a process that says nothing of itself', async () => {
    const holder = await holdElsewhere('')
    await expect(lockDirectory(root)).rejects.toThrow('in use by another process')
    await holder.kill()
  })

  it('works in a directory whose path is longer than the address of a socket', async () => {
    const deep = join(root, 'd'.repeat(120), 'e'.repeat(120))
    mkdirSync(deep, { recursive: true })
    const lock = await lockDirectory(deep)
    await expect(lockDirectory(deep)).rejects.toMatchObject({ code: 'data_dir_in_use' })
    await lock.release()
    expect(readdirSync(deep)).toEqual([])
  })

  it('does not take the place of a file that is no socket', async () => {
    writeFileSync(join(root, 'lock'), 'a text')
    await expect(lockDirectory(root)).rejects.toMatchObject({
      code: 'data_dir_unusable',
      message:
        `The data directory ${root} cannot be locked: ${join(root, 'lock')} exists and is no socket. ` +
        'Remove it, or give another --data-dir.',
    })
    expect(readFileSync(join(root, 'lock'), 'utf8')).toBe('a text')
  })
})
