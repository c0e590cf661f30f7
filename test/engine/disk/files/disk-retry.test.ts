import { describe, expect, it } from 'vitest'
import { createDiskRetry } from '../../../../src/engine/disk/files/disk-retry.js'

const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })

/** Returns work that fails `times` times and then succeeds. */
function failing(times: number, error: () => Error) {
  const state = { calls: 0 }
  const work = async () => {
    if (state.calls++ < times) throw error()
    return 'done'
  }
  return { state, work }
}

function createReported() {
  const reports: (string | undefined)[] = []
  return { reports, diskRetry: createDiskRetry(1, (error) => reports.push(error?.message)) }
}

describe('trouble with a disk', () => {
  it('is outlasted, and reported once when it begins and once when it has passed', async () => {
    const { reports, diskRetry } = createReported()
    const { state, work } = failing(3, full)
    const done = diskRetry.retry(work)
    await new Promise(setImmediate)
    expect(diskRetry.currentError()?.message).toBe('ENOSPC: no space left on device')
    expect([await done, state.calls, diskRetry.currentError()]).toEqual(['done', 4, undefined])
    expect(reports).toEqual(['ENOSPC: no space left on device', undefined])
  })

  it('is awaited by who asks when it begins, and is there at once while it lasts', async () => {
    const { diskRetry } = createReported()
    const order: string[] = []
    const begun = diskRetry.failing().then(() => order.push('begun'))
    await diskRetry.retry(failing(0, full).work)
    order.push('none yet')
    const done = diskRetry.retry(failing(5, full).work)
    await Promise.all([begun, diskRetry.failing().then(() => order.push('lasts'))])
    await done
    expect(order).toEqual(['none yet', 'begun', 'lasts'])
  })

  it('lasts as long as any work is held up', async () => {
    const { reports, diskRetry } = createReported()
    await Promise.all([failing(2, full), failing(30, full), failing(0, full)].map(({ work }) => diskRetry.retry(work)))
    expect(reports).toEqual(['ENOSPC: no space left on device', undefined])
  })

  it('is none where the error is not the system’s: that is handed on at once', async () => {
    const { reports, diskRetry } = createReported()
    const { state, work } = failing(1, () => new TypeError('a defect'))
    await expect(diskRetry.retry(work)).rejects.toThrow('a defect')
    const stale = failing(1, () => Object.assign(new Error('an argument'), { code: 'ERR_INVALID_ARG_TYPE' }))
    await expect(diskRetry.retry(stale.work)).rejects.toThrow('an argument')
    expect([state.calls, reports]).toEqual([1, []])
  })

  it('ends the work once it is given up, at once and from then on', async () => {
    const diskRetry = createDiskRetry(1e9, () => {})
    const { state, work } = failing(99, full)
    const done = diskRetry.retry(work)
    await new Promise(setImmediate)
    diskRetry.abandon()
    await expect(done).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(state.calls).toBe(2)
    await expect(diskRetry.retry(work)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([state.calls, diskRetry.currentError()?.message]).toEqual([3, full().message])
  })

  it('is not reported to be over because its retries have ended', async () => {
    const { reports, diskRetry } = createReported()
    const done = Promise.allSettled([full, full, full].map((error) => diskRetry.retry(failing(99, error).work)))
    await new Promise(setImmediate)
    diskRetry.abandon()
    await done
    expect(reports).toEqual([full().message])
  })

  it('leaves each work one last attempt, which may succeed', async () => {
    const diskRetry = createDiskRetry(1e9, () => {})
    const [lucky, unlucky] = [failing(1, full), failing(2, full)]
    const done = Promise.allSettled([lucky, unlucky].map(({ work }) => diskRetry.retry(work)))
    await new Promise(setImmediate)
    diskRetry.abandon()
    expect((await done).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})
