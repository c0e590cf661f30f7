import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import type { Engine, IngestBatch } from '../../../src/engine/engine.js'
import type { createRequests as CreateRequests, Requests, RequestsOptions } from '../../../src/ingest/body/requests.js'
import { eventually } from '../../support/eventually.js'
import { NOW_US, type ParsedRow, rowsOf } from '../parsing.js'
import { type Reject, storeInto } from '../rejected.js'

// The parsing thread runs built code: run `npm run build` before the tests.
const { createRequests }: { createRequests: typeof CreateRequests } = await import(
  new URL('../../../dist/ingest/body/requests.js', import.meta.url).href
)

let open: Requests[] = []
afterEach(async () => {
  await Promise.all(open.map((requests) => requests.close()))
  open = []
})

function start(append: Engine['append'] = async () => {}, options: Partial<RequestsOptions> = {}) {
  const metrics = createMetrics()
  const rows: ParsedRow[] = []
  const written: Reject[] = []
  const engine = {
    async append(batch: IngestBatch) {
      await append(batch)
      rows.push(...rowsOf(batch))
    },
  }
  const clock = { ...systemClock, nowUs: () => NOW_US }
  const requests = createRequests({ engine, metrics, rejects: storeInto(written), clock, ...options })
  open.push(requests)
  const take = (body: unknown, defaults = { source: 'edge_logs' }, signal?: AbortSignal) =>
    requests.take(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), 'json', defaults, signal)
  return { requests, take, written, ids: () => rows.map(({ id }) => id) }
}

/** Returns a list to which each thread started from now until the end of the test is added. */
function watchThreads(): readonly Worker[] {
  const threads: Worker[] = []
  const collect = (thread: Worker) => void threads.push(thread)
  process.on('worker', collect)
  onTestFinished(() => void process.off('worker', collect))
  return threads
}

const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ id: `${from + i}` }))

describe('requests', () => {
  it('are answered when their rows are in the engine, each with its own rejects', async () => {
    const { requests, take, written, ids: acceptedIds } = start()
    const answers = await Promise.all([
      take([...ids(0, 16), { id: 16, timestamp: 0 }, ...ids(17, 3)]),
      take([]),
      take([5, { id: 'a', timestamp: 'nope' }]),
      requests.take(Buffer.from('{"id":"b"}\n\nnope\n{"id":"c"}'), 'ndjson', { source: 'auth_logs' }),
      take(ids(20, 2)),
    ])
    expect(answers).toEqual([
      { taken: 19, rejected: 1, byReason: { invalid_field: 1 }, rejects: [{ record: 17, reason: 'invalid_field' }] },
      { taken: 0, rejected: 0, byReason: {}, rejects: [] },
      {
        taken: 0,
        rejected: 2,
        byReason: { not_an_object: 1, invalid_timestamp: 1 },
        rejects: [
          { record: 1, reason: 'not_an_object' },
          { record: 2, reason: 'invalid_timestamp' },
        ],
      },
      { taken: 2, rejected: 1, byReason: { invalid_json: 1 }, rejects: [{ record: 3, reason: 'invalid_json' }] },
      { taken: 2, rejected: 0, byReason: {}, rejects: [] },
    ])
    expect(acceptedIds().length).toBe(23)
    expect(written.map(({ line }) => line)).toEqual([17, 1, 2, 3])
  })

  it('store records whose time cannot be read, and count them once stored, if they may', async () => {
    const noted: unknown[] = []
    const note = (...args: unknown[]) => void noted.push([...args, acceptedIds().length])
    const { take, ids: acceptedIds } = start(undefined, { unreadableTimes: { note } })
    const records = [{ id: 'a', timestamp: 'nope' }, { id: 'b' }, { id: 'c', timestamp: {} }]
    expect(await take(records)).toEqual({ taken: 3, rejected: 0, byReason: {}, rejects: [] })
    expect(noted).toEqual([['edge_logs', 2, 3]])
    await take([{ id: 'd' }])
    expect(noted.length).toBe(1)
  })

  it('I8: one bad record among 10,000 costs one record', async () => {
    const { take, ids: acceptedIds } = start()
    const records = ids(0, 10_000).map((record, i) => (i === 4_321 ? { ...record, timestamp: 'nope' } : record))
    expect(await take(records)).toMatchObject({
      taken: 9_999,
      rejects: [{ record: 4_322, reason: 'invalid_timestamp' }],
    })
    expect(acceptedIds().length).toBe(9_999)
  })

  it('tell of a bounded number of rejects, and count and keep all', async () => {
    const { take, written } = start()
    const answer = await take(Array(1_000).fill(5))
    expect(answer).toMatchObject({ taken: 0, rejected: 1_000, byReason: { not_an_object: 1_000 } })
    expect(answer.rejects.length).toBe(100)
    expect(written.map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1))
  })

  it('of which one is broken are taken but for that one, whole', async () => {
    const { take, ids: acceptedIds } = start()
    const [first, broken, last] = await Promise.allSettled([take(ids(0, 2)), take('[{"id":"x"},{'), take(ids(2, 2))])
    expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'invalid_body' } })
    expect(acceptedIds()).toEqual(['0', '1', '2', '3'])
  })

  it('whose time is up before their turn are not taken', async () => {
    const { take, ids: acceptedIds } = start()
    const late = AbortSignal.abort(new Error('late'))
    const [first, second] = await Promise.allSettled([take(ids(0, 1)), take(ids(1, 1), undefined, late)])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { message: 'late' } })
    expect(acceptedIds()).toEqual(['0'])
  })

  it('start no thread before the first comes, and one for all', async () => {
    const threads = watchThreads()
    const { take } = start()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(threads.length).toBe(0)
    await take(ids(0, 1))
    await Promise.all([take(ids(1, 1)), take(ids(2, 1))])
    expect(threads.length).toBe(1)
  })

  it('have their thread before the first comes where that is asked for', async () => {
    const threads = watchThreads()
    const { requests, take, ids: acceptedIds } = start()
    requests.prepare()
    requests.prepare()
    await eventually(() => expect(threads.length).toBe(1))
    await take(ids(0, 1))
    expect([threads.length, acceptedIds()]).toEqual([1, ['0']])
  })

  it('have no thread once it is closed', async () => {
    const threads = watchThreads()
    const { requests } = start()
    await requests.close()
    requests.prepare()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(threads.length).toBe(0)
  })

  it('that fail leave room for the next', async () => {
    let isBroken = true
    const { take, ids: acceptedIds } = start(async () => {
      if (isBroken) throw new Error('no room left')
    })
    await expect(take(ids(0, 1))).rejects.toMatchObject({ code: 'ingest_failed' })
    isBroken = false
    expect(await take([...ids(1, 1), 5])).toMatchObject({ taken: 1, rejects: [{ record: 2 }] })
    expect(acceptedIds()).toEqual(['1'])
  })

  it('are refused once it is closed, those that wait too', async () => {
    const { requests, take } = start(() => new Promise(() => {}))
    const waiting = Promise.allSettled([take(ids(0, 1)), take(ids(1, 1))])
    await new Promise((resolve) => setTimeout(resolve, 50))
    const later = Promise.allSettled([take(ids(2, 1))])
    await requests.close()
    for (const answer of [...(await waiting), ...(await later), ...(await Promise.allSettled([take([])]))]) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'ingest_failed' } })
    }
  })
})
