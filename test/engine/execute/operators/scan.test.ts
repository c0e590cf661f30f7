import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceName } from '../../../../src/common/sources.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { none, range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { fastFilters } from '../../../../src/engine/execute/filtering/fast-filters.js'
import { scanParts } from '../../../../src/engine/execute/operators/scan.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import { atLeast, contains, equals, matches } from '../../../../src/plan/builder.js'
import { call, column, type Expression, field, literal } from '../../../../src/plan/expression.js'
import type { Timestamp } from '../../../../src/plan/values/values.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import {
  ALL_COLUMNS,
  idsOf,
  idsOfFrame,
  noYield,
  openBatch,
  partOf,
  readAllBatches,
  runContext,
  sealedBatch,
} from '../../store/support.js'

const ALWAYS = {
  fromUs: Number.NEGATIVE_INFINITY,
  throughUs: Number.POSITIVE_INFINITY,
  columns: ALL_COLUMNS,
}
const all = (batch: Batch): Selection => range(0, batch.rows, false)

/** Narrows a whole batch by conditions that the scan takes over. */
async function filtered(batch: Batch, source: SourceName, ...conditions: Expression[]): Promise<Selection> {
  const { filters } = fastFilters(conditions, kindsOf(source))
  expect(filters.length).toBe(conditions.length)
  let selection = all(batch)
  for (const { narrow } of filters) selection = await narrow(batch, selection, noYield)
  return selection
}
const filter = (batch: Batch, ...conditions: Expression[]) => filtered(batch, 'function_edge_logs', ...conditions)

/** Both forms of a batch: in order of arrival, and sealed. */
const forms = async (records: readonly TestRecord[]) => [openBatch(records), await sealedBatch(records)]

const invoked = (id: string, project: string | null, functionId?: string, timestampUs = 0) =>
  invocation({ id, project, timestampUs, metadata: functionId === undefined ? {} : { function_id: functionId } })

const CALLS = [
  invoked('0', 'b', 'f'),
  invoked('1', 'a', 'g'),
  invoked('2', null, 'f'),
  invoked('3', 'a', 'f'),
  invoked('4', 'a'),
]

describe('the filter on project', () => {
  it('finds the rows of a project, and none for one that is not there or absent', async () => {
    for (const batch of await forms(CALLS)) {
      const found = async (project: string) => idsOf(batch, await filter(batch, equals('project', project)))
      expect(await found('a')).toEqual(['1', '3', '4'])
      expect(await found('b')).toEqual(['0'])
      for (const project of ['', 'c', 'a\n', '\n', '\ufffd', 'null']) expect(await found(project)).toEqual([])
    }
  })

  it('is a range in order of time where the batch is sealed', async () => {
    const [, sealed] = await forms(CALLS)
    expect(await filter(sealed!, equals('project', 'a'))).toEqual(range(1, 4, true))
    expect(await filter(sealed!, equals('project', 'x'))).toBe(none)
  })

  it('narrows the rows that another condition left', async () => {
    for (const batch of await forms(CALLS)) {
      expect(idsOf(batch, await filter(batch, equals('function_id', 'f'), equals('project', 'a')))).toEqual(['3'])
      expect(idsOf(batch, await filter(batch, equals('project', 'b'), equals('project', 'a')))).toEqual([])
    }
  })
})

describe('a filter on a category', () => {
  it('has three outcomes: all, some and none', async () => {
    for (const batch of await forms([invoked('0', 'a', 'f'), invoked('1', 'a', 'f')])) {
      const project = await filter(batch, equals('project', 'a'))
      const next = (condition: Expression) => filter(batch, equals('project', 'a'), condition)
      expect(await next(equals('function_id', 'f'))).toEqual(project)
      expect(await next(equals('function_id', 'g'))).toBe(none)
      expect(await next(matches('function_id', '^f$'))).toEqual(project)
      expect(await next(matches('function_id', 'g'))).toBe(none)
    }
  })

  it('never passes an absent value, which an empty text is too', async () => {
    for (const batch of await forms([...CALLS, invoked('5', 'a', '')])) {
      const found = async (condition: Expression) =>
        idsOf(batch, await filter(batch, equals('project', 'a'), condition))
      expect(await found(equals('function_id', ''))).toEqual([])
      expect(await found(matches('function_id', ''))).toEqual(['1', '3'])
      expect(await found(matches('function_id', '(?s)^.?$'))).toEqual(['1', '3'])
    }
  })

  it('passes what a test of each row passes, over ranges and over indices', async () => {
    const names = ['f', 'g', 'ff', '', undefined]
    const records = fc.array(fc.tuple(fc.constantFrom('a', 'b', null), fc.constantFrom(...names)), { minLength: 1 })
    const condition = fc.oneof(
      fc.constantFrom('f', 'g', 'ff', '', 'x').map((value) => ({
        where: equals('function_id', value),
        passes: (name: string) => name === value,
      })),
      fc.constantFrom('f', '^f', 'g$', '', 'f{2}|g', '^$').map((pattern) => ({
        where: matches('function_id', pattern),
        // The patterns mean the same to JavaScript.
        passes: (name: string) => new RegExp(pattern).test(name),
      })),
    )
    await fc.assert(
      fc.asyncProperty(records, fc.array(condition, { maxLength: 3 }), async (rows, conditions) => {
        const given = rows.map(([project, name], i) => invoked(`${i}`, project, name))
        const expected = rows.flatMap(([project, name], i) => {
          const passes = conditions.every((by) => name !== undefined && name !== '' && by.passes(name))
          return project === 'a' && passes ? [`${i}`] : []
        })
        for (const batch of await forms(given)) {
          const selection = await filter(batch, equals('project', 'a'), ...conditions.map(({ where }) => where))
          expect(idsOf(batch, selection)).toEqual(expected)
        }
      }),
    )
  })
})

describe('a filter on text', () => {
  it('passes the rows whose text a pattern matches, each of equal ones, and never an absent one', async () => {
    const urls = ['/a', '/b', '/a', undefined, '', '/a\n/b', undefined, '/b']
    const records = urls.map((url, i) => edge({ id: `${i}`, timestampUs: i, metadata: { request: { url } } }))
    for (const batch of await forms(records)) {
      const found = async (pattern: string) => idsOf(batch, await filtered(batch, 'edge_logs', matches('url', pattern)))
      expect(await found('/a')).toEqual(['0', '2', '5'])
      expect(await found('b$')).toEqual(['1', '5', '7'])
      expect(await found('^$')).toEqual(['4'])
      expect(await found('')).toEqual(['0', '1', '2', '4', '5', '7'])
      expect(await found('/c')).toEqual([])
      expect(idsOf(batch, await filtered(batch, 'edge_logs', equals('url', '')))).toEqual(['4'])
      expect(idsOf(batch, await filtered(batch, 'edge_logs', equals('url', '/b')))).toEqual(['1', '7'])
    }
  })
})

describe('an equal text', () => {
  it('is looked for with a pause after each entry of an open head that has it', async () => {
    const batch = openBatch(Array.from({ length: 50 }, () => edge({ metadata: { request: { url: '/a' } } })))
    let yields = 0
    const yieldIfDue = () => (++yields % 2 === 0 ? Promise.resolve() : undefined)
    const [find] = fastFilters([equals('url', '/a')], kindsOf('edge_logs')).filters
    expect(await find!.narrow(batch, all(batch), yieldIfDue)).toEqual(all(batch))
    expect(yields).toBe(50)
  })
})

describe('the conditions that a scan takes over', () => {
  const kinds = kindsOf('edge_logs')
  const taken = (...conditions: Expression[]) => fastFilters(conditions, kinds).conditions

  it('are the first ones alone, so that none is evaluated in rows that an earlier one removes', () => {
    const [own, url] = [equals('project', 'a'), matches('url', 'x')]
    const slow = call('not', atLeast('status_code', 400))
    const field400 = call('gt', field('response.status_code'), literal(400))
    expect(taken(own, atLeast('status_code', 400), field400)).toHaveLength(3)
    expect(taken(own, url, slow, url)).toEqual([own, url])
    expect(taken(slow, own, url)).toEqual([])
    const message = contains('event_message', 'x')
    expect(taken(own, message, url, slow, message)).toEqual([own, message, url])
    const { filters, coldFilters } = fastFilters([own, message, url], kinds)
    const hot = filters.map(({ condition }) => condition)
    expect([filters.length, coldFilters.length, hot]).toEqual([2, 1, [own, url]])
  })

  it.each([
    equals('url', 1),
    call('ne', column('status_code'), literal(5)),
    equals('id', 1),
    equals(call('lower', column('url')), 'a'),
    matches('id', '('),
    equals('event_message', 1),
    matches('event_message', '('),
    call('like', column('event_message'), column('id')),
    matches('metadata', 'a'),
    contains('path', '/rest'),
    call('eq', column('url'), column('url')),
    call('eq', literal('a'), column('url')),
    call('not', equals('url', 'a')),
    literal(true),
    column('url'),
  ])('have no %j', (condition) => {
    expect(taken(condition)).toEqual([])
  })

  it('are worth keeping if they do more than find a project', () => {
    const isCostly = (...conditions: Expression[]) => fastFilters(conditions, kinds).isCostly
    expect([isCostly(), isCostly(equals('project', 'a')), isCostly(matches('url', 'x'))]).toEqual([false, false, true])
    expect(isCostly(equals('project', 'a'), equals('url', 'x'))).toBe(true)
  })

  it('refuse a bad pattern before anything is read', () => {
    expect(() => fastFilters([matches('url', '(')], kinds)).toThrow(
      expect.objectContaining({ code: 'invalid_pattern' }),
    )
  })
})

const DAY_US = 86_400_000_000

describe('a scan', () => {
  const records = [1, 2, 3, 4].map((us) =>
    edge({ id: `${us}`, timestampUs: us, metadata: { request: { url: us % 2 === 0 ? '/a' : '/b' } } }),
  )
  const own = [equals('project', 'a'), matches('url', 'a')]

  async function scanned(
    parts: Parameters<typeof scanParts>[0],
    fromUs: number,
    throughUs: number,
    run = runContext(),
  ) {
    const kinds = kindsOf('edge_logs')
    const batches = scanParts(
      parts,
      { fromUs, throughUs, columns: ALL_COLUMNS },
      fastFilters(own, kinds),
      kinds,
      run.context,
    )
    const ids = await readAllBatches(batches, idsOfFrame)
    return { batches, ids, told: run.told }
  }

  it('offers the rows of a project in whole sealed parts, and counts them if they are taken', async () => {
    const [open, sealed] = await forms(records)
    const { context, told } = runContext()
    const kinds = kindsOf('edge_logs')
    const offersOf = (conditions: Expression[], fromUs: number) => {
      const scanned = { fromUs, throughUs: 9, columns: ALL_COLUMNS }
      const parts = [partOf(sealed!, true), partOf(open!, false)]
      return scanParts(parts, scanned, fastFilters(conditions, kinds), kinds, context).map(
        ({ cached }) => cached?.gather,
      )
    }
    const [gather, ofOpen] = offersOf([equals('project', 'a')], 0)
    expect(ofOpen).toBeUndefined()
    const offered: string[][] = []
    const take = (isTaken: boolean) =>
      gather!(({ selection }) => {
        offered.push(idsOf(sealed!, selection))
        return isTaken
      })
    expect([take(false), told]).toEqual([false, { opened: 0, scanned: 0 }])
    expect([take(true), told]).toEqual([true, { opened: 1, scanned: records.length }])
    const ids = records.map(({ id }) => id)
    expect(offered).toEqual([ids, ids])
    expect(offersOf([equals('project', 'a')], 2)).toEqual([undefined, undefined])
    for (const conditions of [[], own, [matches('url', 'a')], [equals('project', 'a'), equals('id', '1')]])
      expect(offersOf(conditions, 0)).toEqual([undefined, undefined])
  })

  it('has the rows of each part that pass, in the range of time, and counts them', async () => {
    const [open, sealed] = await forms(records)
    const parts = [partOf(sealed!, true), partOf(open!, false)]
    expect(await scanned(parts, 1, 4)).toMatchObject({
      ids: [
        ['2', '4'],
        ['2', '4'],
      ],
      told: { opened: 2, scanned: 4 },
    })
    expect(await scanned(parts, 3, 9)).toMatchObject({ ids: [['4'], ['4']], told: { opened: 2, scanned: 2 } })
    expect(await scanned(parts, 5, 9)).toMatchObject({ ids: [[], []], told: { opened: 2, scanned: 0 } })
  })

  it('reads messages in the range of time alone, and keeps rows by the other filters', async () => {
    const kinds = kindsOf('edge_logs')
    const given = [1, 2, 3, 4].map((us) =>
      edge({ id: `${us}`, timestampUs: us, event_message: `m${us % 2}`, metadata: { request: { url: '/a' } } }),
    )
    const run = runContext()
    for (const batch of await forms(given)) {
      const ids = async (text: string, fromUs: number, throughUs: number) => {
        const filters = fastFilters(
          [equals('project', 'a'), contains('event_message', text), matches('url', 'a')],
          kinds,
        )
        const batches = scanParts(
          [partOf(batch, true)],
          { fromUs, throughUs, columns: ALL_COLUMNS },
          filters,
          kinds,
          run.context,
        )
        return (await readAllBatches(batches, idsOfFrame)).flat()
      }
      expect([await ids('m1', 1, 2), await ids('m1', 2, 9), await ids('m0', 2, 9)]).toEqual([['1'], ['3'], ['2', '4']])
    }
    expect(run.told.scanned).toBe(2 * (2 + 3 + 3))
  })

  it('reads rows in chunks from the newest or the oldest if it is slow, as far as they are wanted', async () => {
    const kinds = kindsOf('edge_logs')
    const given = Array.from({ length: 2_000 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: (i * 7) % 2_000, event_message: i % 3 === 0 ? 'x' : 'y' }),
    )
    for (const batch of await forms(given)) {
      for (const direction of ['asc', 'desc'] as const) {
        const filters = fastFilters([equals('project', 'a'), contains('event_message', 'x')], kinds)
        const run = runContext()
        const part = partOf(batch, true)
        const [one] = scanParts([part], { fromUs: 0, throughUs: 1_899, columns: ALL_COLUMNS }, filters, kinds, {
          ...run.context,
          isSlow: true,
        })
        const times: number[] = []
        const wantedUs = direction === 'desc' ? 1_700 : 200
        await one!.readByTime!(
          direction,
          async (us) => (direction === 'desc' ? us >= wantedUs : us <= wantedUs),
          async ({ rows, column }) => {
            for (let i = 0; i < rows; i++) times.push(Number((column('timestamp')!.at(i) as Timestamp).us))
          },
        )
        const all = given.filter(({ event_message }) => event_message === 'x').map(({ timestampUs }) => timestampUs)
        const wanted = all.filter((us) => us < 1_900 && (direction === 'desc' ? us >= wantedUs : us <= wantedUs))
        expect(wanted.filter((us) => !times.includes(us))).toEqual([])
        expect(times.length).toBeLessThan(300)
        expect(run.told).toEqual({ opened: 1, scanned: expect.toSatisfy((rows: number) => rows > 200 && rows < 800) })
      }
    }
    expect(scanParts([], ALWAYS, fastFilters([], kinds), kinds, runContext().context)).toEqual([])
    const [quick] = scanParts(
      [partOf(openBatch(given), false)],
      ALWAYS,
      fastFilters([], kinds),
      kinds,
      runContext().context,
    )
    expect(quick!.readByTime).toBeUndefined()
  })

  it('reads a field that its column does not hold in the chunks that are wanted', async () => {
    const kinds = kindsOf('edge_logs')
    const keys = ['response', 'status_code']
    const given = Array.from({ length: 2_000 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, metadata: { response: { status_code: i === 0 ? '500' : 200 + (i % 400) } } }),
    )
    const filters = fastFilters([equals('project', 'a'), call('ge', field(keys), literal(500))], kinds)
    expect(filters.filters.map(({ isField }) => isField)).toEqual([false, true])
    for (const batch of await forms(given)) {
      const { context } = runContext()
      const [one] = scanParts([partOf(batch, true)], ALWAYS, filters, kinds, { ...context, isSlow: true })
      const ids: string[] = []
      await one!.readByTime!(
        'desc',
        async (us) => us >= 1_700,
        async (frame) => void ids.push(...idsOfFrame(frame)),
      )
      const wanted = given.slice(1_700).filter((_, i) => 200 + ((i + 1_700) % 400) >= 500)
      expect(wanted.filter(({ id }) => !ids.includes(id))).toEqual([])
      const column = context.fieldCache.columnOf(batch, { keys, isCount: false }, batch.rows)
      const read = given.filter((_, row) => column.isRead(row)).length
      expect([read >= 300, read < 1_000]).toEqual([true, true])
      const all = await readAllBatches([one!], idsOfFrame)
      expect(all.flat()).toHaveLength(1 + given.filter((_, i) => i > 0 && 200 + (i % 400) >= 500).length)
    }
  })

  it('keeps the rows whose messages pass if the range does not cut a part, read at once or in chunks', async () => {
    const kinds = kindsOf('edge_logs')
    const given = Array.from({ length: 900 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, event_message: i % 3 === 0 ? 'x' : 'y' }),
    )
    const wanted = given.flatMap(({ id, event_message }) => (event_message === 'x' ? [id] : []))
    const readsAfter = async (isWanted?: (us: number) => boolean) => {
      const sealed = await sealedBatch(given)
      let reads = 0
      const openColdTexts: Batch['openColdTexts'] = (column) => {
        reads++
        return sealed.openColdTexts(column)
      }
      const part = partOf({ ...sealed, openColdTexts }, true)
      const { context } = runContext()
      const opened = (range = ALWAYS) => {
        const filters = fastFilters([equals('project', 'a'), contains('event_message', 'x')], kinds)
        return scanParts([part], range, filters, kinds, { ...context, isSlow: true })
      }
      const read = async (range = ALWAYS) =>
        (await readAllBatches(opened(range), ({ stored }) => idsOf(sealed, stored!.selection))).flat()
      if (isWanted === undefined) await read()
      else
        await opened()[0]!.readByTime!(
          'desc',
          async (us) => isWanted(us),
          async () => {},
        )
      reads = 0
      expect(await read()).toEqual(wanted)
      const readsOfWhole = reads
      expect(await read({ ...ALWAYS, throughUs: 299 })).toEqual(wanted.slice(0, 100))
      return [readsOfWhole, reads]
    }
    expect(await readsAfter()).toEqual([0, 1])
    expect(await readsAfter(() => true)).toEqual([0, 1])
    expect(await readsAfter((us) => us > 300)).toEqual([1, 2])
  })

  it('keeps the rows of a sealed part that pass if the range cuts it, whatever their time', async () => {
    const [open, sealed] = await forms(records)
    const run = runContext()
    const part = partOf(sealed!, true)
    await scanned([part], 2, 3, run)
    let reads = 0
    const projectRows = () => {
      reads++
      return none
    }
    // The cache knows a part by identity.
    Object.assign(part, { open: () => ({ ...sealed!, projectRows }) })
    expect((await scanned([part], 2, 9, run)).ids).toEqual([['2', '4']])
    expect(reads).toBe(0)
    expect((await scanned([partOf({ ...open!, projectRows }, false)], 2, 3, run)).ids).toEqual([[]])
    expect(reads).toBe(1)
  })

  it('names results that may be kept: of sealed parts that are read whole, by the conditions', async () => {
    const [open, sealed] = await forms(records)
    const keyOf = async (isSealed: boolean, fromUs: number) => {
      const part = partOf(isSealed ? sealed! : open!, isSealed)
      const [batch] = (await scanned([part], fromUs, 9)).batches
      return batch!.cached?.key.hash
    }
    expect(await keyOf(true, 1)).toBe(await keyOf(true, 0))
    expect([await keyOf(true, 2), await keyOf(false, 0)]).toEqual([undefined, undefined])
  })

  it('closes a part that it has opened, also if reading fails', async () => {
    let closed = 0
    const part = { ...partOf(openBatch(records), false), close: () => void closed++ }
    const kinds = kindsOf('edge_logs')
    const [batch] = scanParts(
      [part],
      { ...ALWAYS, columns: ALL_COLUMNS },
      fastFilters(own, kinds),
      kinds,
      runContext().context,
    )
    await batch!.read(() => expect(closed).toBe(0))
    expect(closed).toBe(1)
    await expect(batch!.read(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(closed).toBe(2)
  })

  it('has the times of its parts, for operators that need not read all', async () => {
    const late = openBatch([edge({ timestampUs: DAY_US })])
    const { batches } = await scanned([partOf(openBatch(records), false), partOf(late, false)], 0, 2 * DAY_US)
    expect(batches.map(({ minUs, maxUs }) => [minUs, maxUs])).toEqual([
      [1, 4],
      [DAY_US, DAY_US],
    ])
  })
})
