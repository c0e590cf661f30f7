import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LogweirError } from '../../../../src/base/errors.js'
import { createDiskFiles } from '../../../../src/engine/disk/files/files.js'
import { lockDirectory } from '../../../../src/engine/disk/lock/lock.js'
import type { LockOptions } from '../../../../src/engine/disk/lock/options.js'
import { CLOCK_JUMPS_US } from '../../../support/clock.js'
import { onFile, REFUSALS, refusing, SHORT, sleep, stoppable } from '../../../support/lock.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-lock-file-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const lockFile = () => join(root, 'lock.json')
const idAt = () => JSON.parse(readFileSync(lockFile(), 'utf8')).id as string

/** Writes a lock that a dead process left. */
const leaveBehind = (text = '{"id":"old","host":"web-1"}\n') => writeFileSync(lockFile(), text)

function replaceByDirectory() {
  rmSync(lockFile())
  mkdirSync(lockFile())
}

/** Locks the directory. Returns the number of waits. */
async function take(parts: Partial<LockOptions> = onFile()) {
  const waits: number[] = []
  const wait: LockOptions['wait'] = async (ms) => {
    waits.push(ms)
    await sleep(ms)
  }
  return { lock: await lockDirectory(root, { ...parts, wait }), waits }
}

async function write(files: ReturnType<typeof createDiskFiles>, text: string) {
  const file = await files.openToWrite('rows')
  await file.writeAt(0, [Buffer.from(text)]).finally(() => file.close())
}

describe('a directory on a mount without Unix sockets', () => {
  it.each(REFUSALS)('is locked by lock.json at once, and free when it is released (%s)', async (code) => {
    const lock = await lockDirectory(root, { ...refusing(code), timing: SHORT })
    expect(readdirSync(root)).toEqual(['lock.json'])
    expect(idAt()).toMatch(/^[0-9a-f-]{36}$/)
    await lock.release()
    expect(readdirSync(root)).toEqual([])
  })

  it('is locked by lock.json if the mount makes the socket file and then refuses to listen', async () => {
    const listen: LockOptions['listen'] = async (_, address) => {
      writeFileSync(address, '')
      return Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP' })
    }
    const { lock, waits } = await take(onFile({ listen }))
    expect([readdirSync(root), waits]).toEqual([['lock.json'], []])
    await lock.release()
  })

  it('is locked by lock.json where sockets of other kernels are seen', async () => {
    const lock = await lockDirectory(root, { timing: SHORT, areSocketsConclusive: async () => false })
    expect(readdirSync(root)).toEqual(['lock.json'])
    await lock.release()
  })

  it('is refused as soon as its holder touches the lock', async () => {
    const first = await lockDirectory(root, onFile())
    const id = idAt()
    await expect(lockDirectory(root, onFile())).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: expect.stringMatching(
        `^The data directory ${root} is in use by a process on host .+ \\(see ${lockFile()}\\)\\. ` +
          'Stop that one, or give another --data-dir\\.$',
      ),
    })
    expect([readdirSync(root), idAt()]).toEqual([['lock.json'], id])
    await first.release()
  })

  it.each([
    ['of a process that was killed', '{"id":"old","host":"web-1","pid":1}\n'],
    ['of a process with the pid of this one', `{"id":"old","pid":${process.pid}}\n`],
    ['that is empty, as on a disk that was full', ''],
    ['that is no JSON', '\u0000\u0000garbage'],
    ['that is JSON and no object', 'null'],
    ['that is longer than any lock', 'x'.repeat(100_000)],
  ])('is taken over after ten looks and one that reads back, from a lock %s', async (_, text) => {
    leaveBehind(text)
    const { lock, waits } = await take()
    expect(waits).toEqual([...Array(SHORT.looks).fill(SHORT.touchMs), SHORT.readBackMs])
    expect([readdirSync(root), idAt()]).toEqual([['lock.json'], expect.stringMatching(/^[0-9a-f-]{36}$/)])
    await lock.release()
    expect(readdirSync(root)).toEqual([])
  })

  it('is not taken over from a lock that changes at the last look', async () => {
    leaveBehind()
    let looks = 0
    const wait: LockOptions['wait'] = async () => {
      if (++looks === SHORT.looks) leaveBehind('{"id":"old","host":"web-2"}\n')
    }
    await expect(lockDirectory(root, onFile({ wait }))).rejects.toThrow(
      `in use by a process on host web-2 (see ${lockFile()})`,
    )
    expect([looks, idAt(), readdirSync(root)]).toEqual([SHORT.looks, 'old', ['lock.json']])
  })

  it('is not taken over by a starter whose lock was replaced before it read it back', async () => {
    leaveBehind()
    const wait: LockOptions['wait'] = async (ms) => {
      if (ms === SHORT.readBackMs) leaveBehind('{"id":"other"}')
    }
    await expect(lockDirectory(root, onFile({ wait }))).rejects.toMatchObject({ code: 'data_dir_in_use' })
    expect([idAt(), readdirSync(root)]).toEqual(['other', ['lock.json']])
  })

  it('is taken at once if the lock is removed while a starter looks', async () => {
    leaveBehind()
    const waits: number[] = []
    const wait: LockOptions['wait'] = async (ms) => {
      waits.push(ms)
      rmSync(lockFile())
    }
    const lock = await lockDirectory(root, onFile({ wait }))
    expect(waits).toEqual([SHORT.touchMs])
    await lock.release()
  })

  it.each([
    'with nothing there',
    'with a lock that was left behind',
  ])('is taken by exactly one of many, 25 times (%s)', async (what) => {
    for (let round = 0; round < 25; round++) {
      if (what !== 'with nothing there') leaveBehind()
      // On a busy machine a starter may be late by tens of milliseconds. By default the lock is read back after 2 s.
      const timing = { touchMs: 4, looks: 3, readBackMs: 100, maxAgeMs: 1_000 }
      const tries = await Promise.allSettled(Array.from({ length: 4 }, () => lockDirectory(root, onFile({ timing }))))
      const taken = tries.filter((attempt) => attempt.status === 'fulfilled')
      const refused = tries.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason.code)
      expect([taken.length, refused]).toEqual([1, Array(3).fill('data_dir_in_use')])
      await taken[0]!.value.release()
      expect(readdirSync(root)).toEqual([])
    }
  })

  it('stops waiting when it is told to, and leaves the lock as it was', async () => {
    leaveBehind()
    const stopping = new AbortController()
    const taking = lockDirectory(root, onFile({ timing: { ...SHORT, touchMs: 60_000 }, signal: stopping.signal }))
    setTimeout(() => stopping.abort(), 20)
    await expect(taking).rejects.toMatchObject({ name: 'AbortError' })
    expect([readdirSync(root), idAt()]).toEqual([['lock.json'], 'old'])
  })

  it('stops waiting for the moment to read back, and takes its lock away', async () => {
    leaveBehind()
    const stopping = new AbortController()
    const taking = lockDirectory(root, onFile({ timing: { ...SHORT, readBackMs: 60_000 }, signal: stopping.signal }))
    while (idAt() === 'old') await sleep(5)
    stopping.abort()
    await expect(taking).rejects.toMatchObject({ name: 'AbortError' })
    expect(readdirSync(root)).toEqual([])
  })

  it.each([
    ['directory', () => mkdirSync(lockFile())],
    ['symbolic link', () => symlinkSync('/etc/hosts', lockFile())],
  ])('is refused if lock.json is a %s', async (_, make) => {
    make()
    await expect(lockDirectory(root, onFile())).rejects.toMatchObject({
      code: 'data_dir_unusable',
      message:
        `The data directory ${root} cannot be locked: ${lockFile()} exists and is no file. ` +
        'Remove it, or give another --data-dir.',
    })
    expect(existsSync(lockFile())).toBe(true)
  })
})

describe('a holder of lock.json', () => {
  /** Locks the directory with timers that the test runs. */
  async function hold() {
    const losses: LogweirError[] = []
    const { clock, parts } = stoppable({ onLost: (error) => void losses.push(error) })
    const lock = await lockDirectory(root, parts)
    const files = lock.fence(createDiskFiles(root))
    const tick = async () => {
      clock.advance(SHORT.touchMs)
      await sleep(20)
    }
    return { clock, lock, files, losses, tick }
  }

  const LOST = () => ({
    code: 'data_dir_lost',
    message:
      `${lockFile()} was removed or replaced, so another logweir may have the data directory ${root} now: ` +
      'nothing more is written. Start one logweir for this directory, and leave its lock alone.',
  })

  it('writes as before while its lock is there', async () => {
    const { lock, files, losses, tick } = await hold()
    for (let times = 0; times < 5; times++) await tick()
    await write(files, 'rows')
    expect([readFileSync(join(root, 'rows'), 'utf8'), losses]).toEqual(['rows', []])
    await lock.release()
  })

  it.each([
    ['removed', () => rmSync(lockFile())],
    ['replaced by that of another', () => leaveBehind('{"id":"other"}')],
    ['emptied', () => leaveBehind('')],
    ['replaced by a directory', replaceByDirectory],
  ])('stops writing when its lock was %s', async (_, change) => {
    const { lock, files, losses, tick } = await hold()
    change()
    await tick()
    // A busy machine takes longer than the tick.
    await vi.waitFor(() => expect(losses).toMatchObject([LOST()]), { timeout: 10_000 })
    await expect(write(files, 'late')).rejects.toMatchObject(LOST())
    await expect(files.makeDirectory('d')).rejects.toMatchObject(LOST())
    await expect(files.remove('lock.json')).rejects.toMatchObject(LOST())
    await expect(files.rename('lock.json', 'd')).rejects.toMatchObject(LOST())
    await tick()
    expect(losses.length).toBe(1)
    const before = readdirSync(root)
    await lock.release()
    expect(readdirSync(root)).toEqual(before)
  })

  it('that was stopped for 30 s writes nothing once it continues, even before its timers run', async () => {
    const { clock, files, losses } = await hold()
    await write(files, 'rows')
    const open = await files.openToWrite('rows')
    const next = await lockDirectory(root, onFile())
    const id = idAt()
    clock.setNowUs(clock.nowUs() + 30e6)
    await expect(open.writeAt(0, [Buffer.from('late')])).rejects.toMatchObject(LOST())
    await expect(open.truncate(0)).rejects.toMatchObject(LOST())
    await open.close()
    expect([readFileSync(join(root, 'rows'), 'utf8'), losses.length, idAt()]).toEqual(['rows', 1, id])
    await next.release()
  })

  it('that was stopped for 30 s goes on if nobody has taken its lock', async () => {
    const { clock, lock, files, losses, tick } = await hold()
    clock.setNowUs(clock.nowUs() + 30e6)
    await write(files, 'rows')
    await tick()
    expect([readFileSync(join(root, 'rows'), 'utf8'), losses]).toEqual(['rows', []])
    await lock.release()
  })

  it.each(CLOCK_JUMPS_US)('K1: holds it when the wall clock jumps by %d us', async (jumpUs) => {
    const { clock, lock, files, losses, tick } = await hold()
    clock.setNowUs(clock.nowUs() + jumpUs)
    await write(files, 'rows')
    await tick()
    expect(losses).toEqual([])
    // The touch sets the time of the jumping clock, which counts as a change too.
    const starting = lockDirectory(root, onFile({ timing: { ...SHORT, looks: 50 } }))
    const ticking = setInterval(() => clock.advance(SHORT.touchMs), 5)
    await expect(starting).rejects.toMatchObject({ code: 'data_dir_in_use' })
    clearInterval(ticking)
    await lock.release()
  })
})
