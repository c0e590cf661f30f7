import { describe, expect, it } from 'vitest'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import { holdMarker } from '../../../../src/engine/disk/lock/hold.js'
import type { Marker } from '../../../../src/engine/disk/lock/marker.js'
import { LOCK_DEFAULTS, LOCK_TIMING } from '../../../../src/engine/disk/lock/options.js'
import { createFakeClock } from '../../../support/clock.js'

const noFiles = { remove: async () => {} } as unknown as Files

/** Holds a marker. The test decides the result of each touch. */
async function hold() {
  const clock = createFakeClock()
  const touches: number[] = []
  let answer: () => Promise<boolean> = async () => true
  const marker: Marker = {
    path: '/data/lock.json',
    touch: async () => {
      touches.push(clock.monotonicMs())
      return answer()
    },
    remove: async () => void touches.push(-1),
    removeAtExit() {},
  }
  const losses: string[] = []
  const parts = { ...LOCK_DEFAULTS, clock, onLost: ({ code }: { code: string }) => void losses.push(code) }
  const lock = await holdMarker(marker, '/data', parts)
  const files = lock.fence(noFiles)
  return {
    clock,
    lock,
    losses,
    touches,
    write: () => files.remove('rows'),
    answer(next: () => Promise<boolean>) {
      answer = next
    },
  }
}

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: read`), { code }))

describe('a lock that is held', () => {
  it('is touched every second until it is released', async () => {
    const { clock, lock, touches, write } = await hold()
    for (let second = 0; second < 3; second++) {
      clock.advance(LOCK_TIMING.touchMs)
      await write()
    }
    await lock.release()
    clock.advance(60_000)
    expect([touches, clock.timers]).toEqual([[0, 1000, 2000, 3000, -1], 0])
  })

  it.each([
    'EIO',
    'ENOSPC',
    'EROFS',
    'EACCES',
    'ESTALE',
  ])('that cannot be read because of %s is not lost, and nothing is written until it can', async (code) => {
    const { clock, lock, losses, write, answer } = await hold()
    answer(failing(code))
    clock.advance(LOCK_TIMING.maxAgeMs)
    await write()
    clock.advance(1)
    await expect(write()).rejects.toMatchObject({ code })
    await expect(write()).rejects.toMatchObject({ code })
    answer(async () => true)
    await write()
    expect(losses).toEqual([])
    await lock.release()
  })

  it('that was taken while a clock stood still is found lost by the other, before anything is written', async () => {
    for (const pass of ['wall', 'monotonic'] as const) {
      const { clock, lock, losses, touches, write, answer } = await hold()
      answer(async () => false)
      const nowUs = clock.nowUs()
      if (pass === 'monotonic') {
        clock.advance(LOCK_TIMING.touchMs * 30)
        clock.setNowUs(nowUs)
      } else clock.setNowUs(nowUs + LOCK_TIMING.touchMs * 30_000)
      await expect(write()).rejects.toMatchObject({ code: 'data_dir_lost' })
      expect([losses, clock.timers]).toEqual([['data_dir_lost'], 0])
      await lock.release()
      expect(touches).not.toContain(-1)
    }
  })

  it('is touched once for many writes that wait', async () => {
    const { clock, lock, touches, write } = await hold()
    clock.setNowUs(clock.nowUs() + 30e6)
    await Promise.all(Array.from({ length: 20 }, write))
    expect(touches.length).toBe(2)
    await lock.release()
  })

  it('leaves nothing behind in the process', async () => {
    const before = process.listenerCount('exit')
    const { lock } = await hold()
    expect(process.listenerCount('exit')).toBe(before + 1)
    await lock.release()
    expect(process.listenerCount('exit')).toBe(before)
  })

  it('counts as abandoned only long after its holder has stopped writing', () => {
    const { looks, touchMs, maxAgeMs, readBackMs } = LOCK_TIMING
    expect([looks * touchMs, touchMs, readBackMs]).toEqual([10_000, 1_000, 2_000])
    expect(maxAgeMs).toBeLessThan((looks * touchMs) / 2)
  })
})
