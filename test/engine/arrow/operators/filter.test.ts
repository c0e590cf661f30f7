import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/arrow/columns/batch.js'
import { none, range, type Selection, sizeOf } from '../../../../src/engine/arrow/columns/selection.js'
import { areaBit, createFilter, filterTime, firstRowAt } from '../../../../src/engine/arrow/operators/filter.js'
import type { Predicate } from '../../../../src/engine/clickhouse/shape.js'
import { contains, equals, matches } from '../../../../src/plan/builder.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { idsOf, noYield, openBatch, rowsOf, sealedBatch } from '../support.js'

const DAY_US = 86_400_000_000
const all = (batch: Batch): Selection => range(0, batch.rows, false)

/** Narrows a whole batch by one predicate after another. */
async function filter(batch: Batch, ...predicates: Predicate[]): Promise<Selection> {
  let selection = all(batch)
  for (const predicate of predicates) {
    selection = await createFilter('function_edge_logs', predicate)(batch, selection, noYield)
  }
  return selection
}

/** Returns both forms of a batch: in order of arrival, and sealed. */
const forms = async (records: readonly TestRecord[]) => [openBatch(records), await sealedBatch(records)]

const call = (id: string, project: string | null, functionId?: string, timestampUs = 0) =>
  invocation({ id, project, timestampUs, metadata: functionId === undefined ? {} : { function_id: functionId } })

const CALLS = [call('0', 'b', 'f'), call('1', 'a', 'g'), call('2', null, 'f'), call('3', 'a', 'f'), call('4', 'a')]

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

  it('must be the first one', async () => {
    const batch = openBatch(CALLS)
    await expect(filter(batch, equals('function_id', 'f'), equals('project', 'a'))).rejects.toThrow(
      new TypeError('The filter on project must be the first one.'),
    )
  })
})

describe('a filter on a category', () => {
  it('has three outcomes: all, some and none', async () => {
    for (const batch of await forms([call('0', 'a', 'f'), call('1', 'a', 'f')])) {
      const project = await filter(batch, equals('project', 'a'))
      const next = (predicate: Predicate) => filter(batch, equals('project', 'a'), predicate)
      expect(await next(equals('function_id', 'f'))).toEqual(project)
      expect(await next(equals('function_id', 'g'))).toBe(none)
      expect(await next(matches('function_id', '^f$'))).toEqual(project)
      expect(await next(matches('function_id', 'g'))).toBe(none)
    }
  })

  it('never passes an absent value', async () => {
    for (const batch of await forms([...CALLS, call('5', 'a', '')])) {
      const found = async (predicate: Predicate) => idsOf(batch, await filter(batch, equals('project', 'a'), predicate))
      expect(await found(equals('function_id', ''))).toEqual(['5'])
      expect(await found(matches('function_id', ''))).toEqual(['1', '3', '5'])
      expect(await found(matches('function_id', '(?s)^.?$'))).toEqual(['1', '3', '5'])
    }
  })

  it('passes what a test of each row passes, over ranges and over indices', async () => {
    const names = ['f', 'g', 'ff', '', undefined]
    const records = fc.array(fc.tuple(fc.constantFrom('a', 'b', null), fc.constantFrom(...names)), { minLength: 1 })
    const predicate = fc.oneof(
      fc.constantFrom('f', 'g', 'ff', '', 'x').map((value) => equals('function_id', value)),
      fc.constantFrom('f', '^f', 'g$', '', 'f{2}|g', '^$').map((pattern) => matches('function_id', pattern)),
    )
    await fc.assert(
      fc.asyncProperty(records, fc.array(predicate, { maxLength: 3 }), async (rows, predicates) => {
        const given = rows.map(([project, name], i) => call(`${i}`, project, name))
        const passes = (name: string | undefined, { test, ...by }: Predicate) =>
          name !== undefined && (test === 'equals' ? 'value' in by && by.value === name : isMatch(by, name))
        const expected = rows.flatMap(([project, name], i) =>
          project === 'a' && predicates.every((by) => passes(name, by)) ? [`${i}`] : [],
        )
        for (const batch of await forms(given)) {
          expect(idsOf(batch, await filter(batch, equals('project', 'a'), ...predicates))).toEqual(expected)
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
      const found = async (pattern: string) => {
        const predicate = matches('url', pattern)
        return idsOf(batch, await createFilter('edge_logs', predicate)(batch, all(batch), noYield))
      }
      expect(await found('/a')).toEqual(['0', '2', '5'])
      expect(await found('b$')).toEqual(['1', '5', '7'])
      expect(await found('^$')).toEqual(['4'])
      expect(await found('')).toEqual(['0', '1', '2', '4', '5', '7'])
      expect(await found('/c')).toEqual([])
    }
  })
})

/** The patterns above have the same meaning in JavaScript. */
const isMatch = (by: object, name: string) => 'pattern' in by && new RegExp(by.pattern as string).test(name)

describe('the filter on time', () => {
  const records = (timesUs: readonly number[]) =>
    timesUs.map((timestampUs, i) => edge({ id: `${i}`, timestampUs: DAY_US + timestampUs }))

  it('leaves the selection alone where the batch lies inside, and empties it where it lies outside', async () => {
    for (const batch of await forms(records([5, 7]))) {
      const selection = all(batch)
      expect(filterTime(batch, selection, { fromUs: DAY_US + 5, throughUs: DAY_US + 7 })).toBe(selection)
      expect(filterTime(batch, selection, { fromUs: DAY_US + 8, throughUs: DAY_US + 9 })).toBe(none)
      expect(filterTime(batch, selection, { fromUs: 0, throughUs: DAY_US + 4 })).toBe(none)
    }
  })

  it('keeps the rows inside, both ends included, of ranges and indices, ordered or not', async () => {
    const at = fc.integer({ min: -2, max: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10), { minLength: 1, maxLength: 30 }),
        at,
        at,
        async (timesUs, from, through) => {
          const time = { fromUs: DAY_US + from, throughUs: DAY_US + through }
          const given = records(timesUs)
          const inside = given.filter((r) => r.timestampUs >= time.fromUs && r.timestampUs <= time.throughUs)
          const byTime = inside.toSorted((a, b) => a.timestampUs - b.timestampUs)
          const [open, sealed] = await forms(given)
          const ids = (list: readonly TestRecord[]) => list.map(({ id }) => id)
          expect(idsOf(open!, filterTime(open!, all(open!), time))).toEqual(ids(inside))
          const cutRange = filterTime(sealed!, sealed!.projectRows('a'), time)
          expect(idsOf(sealed!, cutRange)).toEqual(ids(byTime))
          expect(cutRange.kind).toBe('range')
          const indices = Uint32Array.from(rowsOf(all(sealed!)))
          const selection: Selection = { kind: 'indices', indices, timeOrdered: true }
          expect(idsOf(sealed!, filterTime(sealed!, selection, time))).toEqual(ids(byTime))
        },
      ),
    )
  })

  it('cuts a range within the range only', async () => {
    const times = { baseUs: 100, unitUs: 1000, offsets: Uint32Array.of(9, 1, 2, 2, 4, 0) }
    const moments = [0, 1100, 1101, 2100, 2101, 4100, 4101]
    expect(moments.map((us) => firstRowAt(times, 1, 5, us))).toEqual([1, 1, 2, 2, 4, 4, 5])
    expect(firstRowAt(times, 3, 3, 0)).toBe(3)
    const batch = await sealedBatch(records([1, 2, 3, 4]))
    const cutOff = filterTime(batch, range(1, 3, true), { fromUs: DAY_US, throughUs: DAY_US + 3 })
    expect([rowsOf(cutOff), sizeOf(cutOff)]).toEqual([[1, 2], 2])
  })
})

describe('what no column supports', () => {
  it.each([
    [equals('status_code', '5'), 'No filter "equals" on the column status_code of function_edge_logs.'],
    [matches('project', 'a'), 'No filter "matches" on the column project of function_edge_logs.'],
    [contains('path', '/rest'), 'No filter "contains" on the column path of function_edge_logs.'],
    [equals('url', 'a'), 'No filter "equals" on the column url of function_edge_logs.'],
  ])('%j is a defect of the plan', (predicate, message) => {
    expect(() => createFilter('function_edge_logs', predicate)).toThrow(new TypeError(message))
  })

  it('the areas are four, each a bit of its own', () => {
    expect(['/rest', '/storage', '/auth', '/realtime'].map(areaBit)).toEqual([1, 2, 4, 8])
    expect(() => areaBit('/x')).toThrow(
      new TypeError('The column path knows only /rest, /storage, /auth, /realtime, not "/x".'),
    )
  })
})
