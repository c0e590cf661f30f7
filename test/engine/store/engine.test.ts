import { describe, expect, it, vi } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { DAY_US, KIB } from '../../../src/base/units.js'
import type { ScanStats } from '../../../src/engine/engine.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../../src/engine/store/engine.js'
import type { Row, Value } from '../../../src/plan/answer.js'
import { count, equals, matches, nothing, scan } from '../../../src/plan/builder.js'
import type { Operator, Plan } from '../../../src/plan/plan.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine, readAll } from '../../support/engine.js'
import { eventually } from '../../support/eventually.js'
import { createModelFiles, type ModelFiles } from '../../support/model-files.js'
import { edge } from '../../support/records.js'
import { cachedBytes } from './support.js'

const ALWAYS = { fromUs: 0, throughUs: Number.MAX_SAFE_INTEGER }
const BATCHES = 20
const ROWS = 10

const newest = (limit: number, range = ALWAYS): Plan =>
  scan('edge_logs', range)
    .filter(equals('project', 'a'))
    .select('id', 'timestamp', 'event_message', 'metadata')
    .orderBy('timestamp', 'desc')
    .limit(limit)

const perSecond = (range = ALWAYS, limit = 1000, ...urls: string[]): Plan =>
  scan('edge_logs', range)
    .filter(equals('project', 'a'), ...urls.map((url) => matches('url', url)))
    .truncate('timestamp', 'second')
    .group('timestamp')
    .aggregate({ rows: count() })
    .orderBy('timestamp')
    .limit(limit)

const perUrl: Plan = scan('edge_logs', ALWAYS)
  .filter(equals('project', 'a'))
  .group('url')
  .aggregate({ rows: count() })
  .orderBy('rows', 'desc')
  .limit(100)

/** Opens an engine with batches of 10 rows, a second between batches. Every second row is of the project. */
async function openFilled(options: Partial<ArrowEngineOptions> = {}) {
  const metrics = createMetrics()
  const engine = openEngine({ metrics, sealRows: ROWS, sliceRows: Number.POSITIVE_INFINITY, ...options })
  await engine.recover()
  const records = Array.from({ length: BATCHES * ROWS }, (_, i) =>
    edge({
      id: `${i}`,
      timestampUs: Math.floor(i / ROWS) * 1e6 + (i % ROWS),
      project: i % 2 === 0 ? 'a' : 'b',
      metadata: { n: i, request: { url: `u${i}` } },
    }),
  )
  await appendAll(engine, records, ROWS)
  return { engine, metrics, scanned: async () => (await metrics.scannedRows.get()).values[0]?.value ?? 0 }
}

const answer = async (engine: ArrowEngine, plan: Plan) => readAll(await engine.run(plan))
const column = (rows: readonly Readonly<Record<string, unknown>>[], name: string) =>
  rows.map((row) => row[name] as Value)

describe('a run', () => {
  it('of the newest rows gives them newest first, with the columns asked for', async () => {
    const { engine } = await openFilled()
    const rows = await answer(engine, newest(3))
    expect(column(rows, 'id')).toEqual(['198', '196', '194'])
    expect(rows[1]).toEqual({
      id: '196',
      timestamp: 19e6 + 6,
      event_message: '',
      metadata: { json: '{"n":196,"request":{"url":"u196"}}' },
    })
    expect(Object.keys(rows[0]!)).toEqual(['id', 'timestamp', 'event_message', 'metadata'])
    await engine.close()
  })

  it('of buckets gives them oldest first, at most as many as asked for', async () => {
    const { engine } = await openFilled()
    const rows = await answer(engine, perSecond({ fromUs: 3e6, throughUs: 7e6 }))
    expect(column(rows, 'timestamp')).toEqual([3e6, 4e6, 5e6, 6e6, 7e6])
    expect(column(rows, 'rows')).toEqual([5, 5, 5, 5, 1])
    expect(column(await answer(engine, perSecond(ALWAYS, 2)), 'timestamp')).toEqual([0, 1e6])
    await engine.close()
  })

  it('of the empty plan, or of an empty range, gives nothing', async () => {
    const { engine, scanned } = await openFilled()
    expect(await answer(engine, nothing())).toEqual([])
    expect(await answer(engine, perSecond({ fromUs: 5, throughUs: 4 }))).toEqual([])
    expect(await answer(engine, newest(9, { fromUs: 500e6, throughUs: 900e6 }))).toEqual([])
    expect(await scanned()).toBe(0)
    await engine.close()
  })

  it('of a sequence that is no plan is refused', async () => {
    const { engine } = await openFilled()
    await expect(engine.run(newest(1).slice(1))).rejects.toThrow(TypeError)
    await engine.close()
  })
})

describe('a union of empty plans', () => {
  it.each([[[]], [[nothing()]], [[nothing(), nothing()]]])('%j has no row, which can be counted', async (plans) => {
    const engine = openEngine()
    const union: Operator = { op: 'union', plans }
    expect(await answer(engine, [union])).toEqual([])
    const counted: Operator = { op: 'group', keys: [], aggregates: [{ name: 'rows', value: count() }] }
    expect(await answer(engine, [union, counted])).toEqual([{ rows: 0 }])
    await engine.close()
  })
})

describe('the work of a run', () => {
  it('is counted by the rows looked at: those of the project and the time alone', async () => {
    const { engine, scanned } = await openFilled()
    await answer(engine, perSecond())
    expect(await scanned()).toBe((BATCHES * ROWS) / 2)
    // The part is only partly in the range, so the partial result is not cached.
    await answer(engine, perSecond({ fromUs: 3e6 + 1, throughUs: 4e6 - 1 }))
    expect(await scanned()).toBe((BATCHES * ROWS) / 2 + ROWS / 2 - 1)
    await engine.close()
  })

  it('is not done again for sealed segments that lie in the range whole', async () => {
    const { engine, metrics, scanned } = await openFilled()
    await engine.seal()
    const range = { fromUs: 2e6 + 4, throughUs: ALWAYS.throughUs }
    const first = await answer(engine, perSecond(range))
    const before = await scanned()
    expect(await answer(engine, perSecond(range))).toEqual(first)
    // The rows from the fifth on, of the segment that is partly in the range.
    expect(await scanned()).toBe(before + 3)
    expect(await cachedBytes(metrics, 'partials')).toBeGreaterThan(0)
    await engine.close()
  })

  it('is forgotten with the segments that go', async () => {
    const clock = createFakeClock(DAY_US)
    const { engine, metrics } = await openFilled({ clock, retentionUs: DAY_US })
    await engine.seal()
    await answer(engine, perSecond())
    const bytes = () => cachedBytes(metrics, 'partials')
    expect(await bytes()).toBeGreaterThan(0)
    clock.advance((2 * DAY_US) / 1000)
    expect(await answer(engine, perSecond())).toEqual([])
    expect(await bytes()).toBe(0)
    await engine.close()
  })

  it('is done again where nothing may be kept', async () => {
    const { engine, scanned } = await openFilled({ partialCacheBytes: 0 })
    await answer(engine, perSecond())
    await answer(engine, perSecond())
    expect(await scanned()).toBe(BATCHES * ROWS)
    await engine.close()
  })

  it('for the newest rows ends at the first batch that holds none of them', async () => {
    const { engine, scanned } = await openFilled()
    await answer(engine, newest(ROWS / 2 + 1))
    expect(await scanned()).toBe(ROWS)
    await engine.close()
  })

  it.each([
    ['all buckets', perSecond(), 100, 0],
    ['the buckets of a second', perSecond({ fromUs: 3e6, throughUs: 3e6 + 3 }), 2, 19],
    ['the newest rows', newest(6), 10, 18],
    ['the rows of a time without any', newest(6, { fromUs: 500e6, throughUs: 900e6 }), 0, 20],
  ])('is told before the rows: of %s', async (_, plan, rows, pruned) => {
    const { engine, scanned } = await openFilled()
    const stats: ScanStats[] = []
    await engine.run(plan, { onScanStats: (work) => stats.push(work) })
    expect(stats).toEqual([{ rows, segments: { total: BATCHES, pruned } }])
    expect(await scanned()).toBe(rows)
    await engine.close()
  })

  it('ends where the signal is aborted: no batch is looked at but those that were being read', async () => {
    const { engine, metrics, scanned } = await openFilled()
    const reason = new Error('the caller has left')
    // A grouping reads three batches ahead.
    for (const [plan, ahead] of [
      [perSecond(), 3],
      [perSecond(ALWAYS, 1000, 'u[0-9]+'), 3],
      [newest(1000), 0],
    ] as const) {
      const controller = new AbortController()
      metrics.scannedRows.reset()
      let batches = 0
      const inc = metrics.scannedRows.inc.bind(metrics.scannedRows)
      const counting = vi.spyOn(metrics.scannedRows, 'inc').mockImplementation((rows) => {
        inc(rows as number)
        batches += 1
        if (batches === 3) controller.abort(reason)
      })
      await expect(engine.run(plan, { signal: controller.signal })).rejects.toBe(reason)
      counting.mockRestore()
      expect(batches).toBeGreaterThanOrEqual(3)
      expect(batches).toBeLessThanOrEqual(3 + ahead)
      expect(await scanned()).toBe((batches * ROWS) / 2)
    }
    await engine.close()
  })

  it('is that of one batch at most where the signal was aborted before', async () => {
    const { engine, scanned } = await openFilled()
    const reason = new Error('too late')
    await expect(engine.run(perSecond(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await scanned()).toBeLessThanOrEqual(ROWS / 2)
    expect(column(await answer(engine, newest(1)), 'id')).toEqual(['198'])
    await engine.close()
  })
})

describe('two runs at once', () => {
  it('each see the state that they were asked of, whatever is appended and sealed meanwhile', async () => {
    const engine = openEngine({ sealRows: 4 })
    const add = (...ids: string[]) =>
      appendAll(
        engine,
        ids.map((id) => edge({ id, timestampUs: Number(id) })),
      )
    await add('1', '2', '3')
    const first = engine.run(newest(100))
    const firstCount = engine.run(perSecond())
    await add('4', '5')
    const second = engine.run(newest(100))
    const secondCount = engine.run(perSecond())
    const third = engine.run(newest(100))
    await engine.seal()
    await add('6')
    const read = async (run: ReturnType<ArrowEngine['run']>) => column(await readAll(await run), 'id').join()
    expect(await Promise.all([third, second, first].map(read))).toEqual(['5,4,3,2,1', '5,4,3,2,1', '3,2,1'])
    const counted = async (run: ReturnType<ArrowEngine['run']>) => column(await readAll(await run), 'rows')
    expect(await Promise.all([firstCount, secondCount].map(counted))).toEqual([[3], [5]])
    expect(await read(engine.run(newest(100)))).toBe('6,5,4,3,2,1')
    await engine.close()
  })

  it('see one state in all parts of a union', async () => {
    const engine = openEngine({ sealRows: 2 })
    const add = (id: string) => appendAll(engine, [edge({ id })])
    for (const id of ['1', '2', '3']) await add(id)
    const counted = perUrl.slice(0, 3)
    const limited: Plan = [...counted, { op: 'limit', rows: 9, offset: 0 }]
    const union: Plan = [{ op: 'union', plans: [counted, limited, counted] }]
    const first = engine.run(union)
    for (const id of ['4', '5']) await add(id)
    expect(column(await readAll(await first), 'rows')).toEqual([3, 3, 3])
    expect(column(await answer(engine, union), 'rows')).toEqual([5, 5, 5])
    await engine.close()
  })

  it('an answer half read keeps its rows right while later heads fill and are sealed', async () => {
    const engine = openEngine()
    const marked = (mark: string, at: number) =>
      Array.from({ length: 20 }, (_, i) =>
        edge({ id: `${mark}${i}`, timestampUs: at + i, event_message: mark.repeat(30 + i), metadata: { mark, i } }),
      )
    await appendAll(engine, marked('sealed', 0))
    await engine.seal()
    await appendAll(engine, marked('open', 100))
    const expected = await answer(engine, newest(100))
    expect(column(expected, 'id').slice(0, 2)).toEqual(['open19', 'open18'])
    const [begun, unread] = [await engine.run(newest(100)), await engine.run(newest(100))]
    const rows = begun[Symbol.asyncIterator]()
    const first = await rows.next()
    for (const [i, mark] of ['x', 'y', 'z', 'w'].entries()) {
      await appendAll(engine, marked(mark, 1000 * (i + 1)), 7)
      await engine.seal()
    }
    const rest = await readAll({ [Symbol.asyncIterator]: () => rows })
    expect(column([first.value as Row, ...rest], 'id')).toEqual(column(expected, 'id'))
    expect(rest).toEqual(expected.slice(1))
    expect(await readAll(unread)).toEqual(expected)
    await engine.close()
  })

  it('an answer not yet read outlives the day that it came from', async () => {
    const clock = createFakeClock(0)
    const engine = openEngine({ clock, retentionUs: 0 })
    await appendAll(engine, [edge({ id: 'kept' })])
    await engine.seal()
    const run = await engine.run(newest(1))
    clock.setNowUs(10 * 86_400_000_000)
    clock.advance(60_000)
    expect(await answer(engine, newest(1))).toEqual([])
    expect(column(await readAll(run), 'id')).toEqual(['kept'])
    await engine.close()
  })

  it('one that fails leaves the other alone', async () => {
    const { engine } = await openFilled()
    const wrong = engine.run(perSecond(ALWAYS, 1, '('))
    const right = engine.run(newest(1))
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_pattern' })
    expect(column(await readAll(await right), 'id')).toEqual(['198'])
    await engine.close()
  })
})

describe('the memory of open rows', () => {
  const headBytes = (engine: ArrowEngine) => engine.stats().find(({ source }) => source === 'edge_logs')!.headBytes

  /** Whether the memory of a head that is sealed after `read` is reused for the next head. */
  async function isReused(read: (engine: ArrowEngine) => Promise<unknown>): Promise<boolean> {
    const engine = openEngine()
    const empty = headBytes(engine)
    await appendAll(engine, [edge({ id: '0' }), edge({ id: '1' })])
    await read(engine)
    await engine.seal()
    const isReused = headBytes(engine) > empty
    await engine.close()
    return isReused
  }

  it('is used again once the runs that saw it have been read, have failed, or are not wanted any more', async () => {
    expect(await isReused((engine) => answer(engine, newest(9)))).toBe(true)
    expect(await isReused((engine) => engine.run(perSecond()))).toBe(true)
    expect(await isReused((engine) => expect(engine.run(perSecond(ALWAYS, 1, '('))).rejects.toThrow())).toBe(true)
    const aborted = { signal: AbortSignal.abort(new Error('too late')) }
    expect(await isReused((engine) => expect(engine.run(newest(9), aborted)).rejects.toThrow('too late'))).toBe(true)
    const readOne = async (engine: ArrowEngine) => {
      for await (const _ of await engine.run(newest(9))) break
    }
    expect(await isReused(readOne)).toBe(true)
    const failWhileRead = async (engine: ArrowEngine) => {
      const caller = new AbortController()
      const rows = await engine.run(newest(9), { signal: caller.signal })
      caller.abort(new Error('too late'))
      await expect(readAll(rows)).rejects.toThrow('too late')
    }
    expect(await isReused(failWhileRead)).toBe(true)
  })

  it('is left to an answer that is not read to its end', async () => {
    expect(await isReused((engine) => engine.run(newest(9)))).toBe(false)
    const readOne = async (engine: ArrowEngine) => (await engine.run(newest(9)))[Symbol.asyncIterator]().next()
    expect(await isReused(readOne)).toBe(false)
  })

  it('is let go by the minute when no head needs it', async () => {
    const clock = createFakeClock()
    const engine = openEngine({ clock })
    const empty = headBytes(engine)
    await appendAll(engine, [edge()])
    await engine.seal()
    clock.advance(60_000)
    expect(headBytes(engine)).toBeGreaterThan(empty)
    clock.advance(60_000)
    expect(headBytes(engine)).toBe(empty)
    await engine.close()
  })
})

async function openOnDisk(options: Partial<ArrowEngineOptions> = {}) {
  const files = createModelFiles()
  const disk = { directory: 'data', files, release: async () => {} }
  const room = { rowsLimitBytes: 1, sealBytes: Number.POSITIVE_INFINITY, partialCacheBytes: 0 }
  const { engine } = await openFilled({ disk, ...room, ...options })
  await engine.seal()
  return { engine, files }
}

/** Returns the number of calls of the disk during some work. */
async function callsOf(files: ModelFiles, work: Promise<unknown>): Promise<number> {
  const before = files.calls
  await work
  return files.calls - before
}

describe('columns that must leave memory as soon as they have come', () => {
  it.each([
    ['buckets', perSecond(ALWAYS, 1000, 'u')],
    ['groups', perUrl],
    ['the newest rows', newest(15)],
  ])('stay as long as a run of %s looks at them, and no longer', async (_, plan) => {
    const expected = await answer((await openFilled()).engine, plan)
    const { engine, files } = await openOnDisk()
    expect(await Promise.all([answer(engine, plan), answer(engine, plan)])).toEqual([expected, expected])
    // Columns that stayed in memory would not be read again.
    const calls = await callsOf(files, answer(engine, plan))
    expect(calls).toBeGreaterThan(0)
    expect(await callsOf(files, answer(engine, plan))).toBe(calls)
    // Later reads may be in advance. If one of these fails, the part is read again when its rows are wanted.
    files.fail({ code: 'ENOMEM', after: 0, only: ['readAt'] })
    await expect(answer(engine, plan)).rejects.toThrow('ENOMEM')
    // The other reads that were in progress end by themselves.
    await eventually(async () => expect(await callsOf(files, answer(engine, plan))).toBe(calls))
    await engine.close()
  })

  it('do so also where a run fails while it looks at them', async () => {
    const { engine, files } = await openOnDisk({ groupingLimits: { groups: 3, bytes: KIB } })
    const fail = () => expect(answer(engine, perUrl)).rejects.toMatchObject({ code: 'too_much_memory' })
    const calls = await callsOf(files, fail())
    expect(calls).toBeGreaterThan(0)
    expect(await callsOf(files, fail())).toBe(calls)
    await engine.close()
  })
})

describe('the rows of an answer', () => {
  /**
   * Opens an engine on a disk that reads the cold columns of `readable` parts and then fails. Counts their
   * open files: now, at most, and ever.
   */
  async function openCounting(readable = Number.POSITIVE_INFINITY) {
    const { engine: before, files: old } = await openOnDisk()
    await before.close()
    const files = old.restart()
    const open = { now: 0, most: 0, ever: new Set<string>() }
    let isReady = false
    const openToRead: ModelFiles['openToRead'] = async (path) => {
      const file = await files.openToRead(path)
      if (!isReady || !path.endsWith('cold.arrow')) return file
      open.ever.add(path)
      if ([...open.ever].indexOf(path) >= readable) throw new Error('EIO')
      open.most = Math.max(open.most, ++open.now)
      return { ...file, close: () => file.close().finally(() => open.now--) }
    }
    const disk = { directory: 'data', files: { ...files, openToRead }, release: async () => {} }
    const engine = openEngine({ disk })
    await engine.recover()
    isReady = true
    return { engine, open }
  }

  it('come from some parts at once, in their order', async () => {
    const { engine, open } = await openCounting()
    expect(open.ever.size).toBe(0)
    expect(await answer(engine, newest(100))).toEqual(await answer((await openFilled()).engine, newest(100)))
    expect(open.ever.size).toBe(BATCHES)
    expect([open.most, open.now]).toEqual([4, 0])
    await engine.close()
  })

  it('fail where a part cannot be read, and leave no file open', async () => {
    const { engine, open } = await openCounting(3)
    await expect(answer(engine, newest(100))).rejects.toThrow('EIO')
    await eventually(() => expect(open.now).toBe(0))
    await engine.close()
  })
})

describe('columns beside heads', () => {
  it('take the room of heads once these have not needed it for some minutes', async () => {
    const sealRows = BATCHES * ROWS + 1
    const { engine: open } = await openFilled({ sealRows })
    const rowsLimitBytes = open.stats().reduce((sum, { headBytes }) => sum + headBytes, 0)
    const clock = createFakeClock(0)
    const { engine, files } = await openOnDisk({ sealRows, rowsLimitBytes, clock })
    /** Returns the number of calls of the disk while a query is repeated: 0 if the columns stayed in memory. */
    const callsWhenAskedAgain = async () => {
      await answer(engine, perUrl)
      return callsOf(files, answer(engine, perUrl))
    }
    expect(await callsWhenAskedAgain()).toBeGreaterThan(0)
    clock.advance(60_000)
    expect(await callsWhenAskedAgain()).toBeGreaterThan(0)
    clock.advance(120_000)
    expect(await callsWhenAskedAgain()).toBe(0)
    await engine.close()
  })
})

describe('closing', () => {
  it('finishes what is being sealed, and stops every timer', async () => {
    const clock = createFakeClock()
    const engine = openEngine({ clock, sealRows: 1 })
    expect(clock.timers).toBe(2)
    const appended = [0, 1, 2].map(() => appendAll(engine, [edge()]))
    await engine.close()
    await Promise.all(appended)
    expect(engine.stats().find(({ source }) => source === 'edge_logs')).toMatchObject({ rows: 3, segments: 3 })
    expect(clock.timers).toBe(0)
  })
})
