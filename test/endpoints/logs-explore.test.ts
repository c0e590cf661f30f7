import { describe, expect, it } from 'vitest'
import { logsExplore } from '../../src/endpoints/logs-explore.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { logsExplore as oracle } from '../oracle/logs-explore.js'
import type { Params, PlainRow } from '../oracle/oracle.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
const RUNS = runs(50)

const asked = (params: Params): Params => ({ project: 'a', source: 'edge_logs', ...params })

async function ask(engine: ArrowEngine, params: Params): Promise<PlainRow[]> {
  const { plan } = logsExplore.callBound(new URLSearchParams(asked(params)))
  return readAll(await engine.run(plan(NOW_US)))
}

/** Makes records of few times, each with a unique id. */
function maker(random: Random): (count: number) => TestRecord[] {
  let made = 0
  return (count) =>
    Array.from({ length: count }, () =>
      edge({
        id: `${made++}`,
        timestampUs: NOW_US - oneOf(random, [0, 0, 0, 1, 2, 2, 86_400_000_000]),
        project: oneOf(random, ['a', 'a', 'a', 'b']),
        event_message: oneOf(random, ['GET', 'get /', 'POST']),
        metadata: { response: { status_code: oneOf(random, [200, 200, 404]) } },
      }),
    )
}

const FILTERS: readonly Params[] = [
  {},
  { search: 'get' },
  { filter: JSON.stringify([{ field: 'response.status_code', op: '>=', value: 300 }]) },
]

const cursorOf = ({ timestamp, rank }: PlainRow) => `${timestamp}.${rank}`
const idsOf = (rows: readonly PlainRow[]) => rows.map(({ id }) => id)

/** An engine, the records in order of arrival, and a way to add records. Heads are sealed at random. */
async function openRun(random: Random) {
  const engine = openEngine({ sealRows: oneOf(random, [7, 50, 1e6]) })
  const records: TestRecord[] = []
  const make = maker(random)
  return {
    engine,
    records,
    async add(count: number) {
      const more = make(count)
      await appendAll(engine, more, 1 + below(random, 20))
      records.push(...more)
      if (random() < 0.3) await engine.seal()
    },
  }
}

/** Reads pages until a page is empty. Calls `between` after each page. */
async function readPages(
  engine: ArrowEngine,
  { params, random, direction }: { params: Params; random: Random; direction: 'before' | 'after' },
  between: () => Promise<void>,
): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  for (let cursor = direction === 'after' ? '0.0' : ''; ; ) {
    const limit = String(oneOf(random, [1, 2, 3, 10, 100, 1000]))
    const page = await ask(engine, { ...params, limit, [direction]: cursor })
    if (page.length === 0) return rows
    rows.push(...(direction === 'after' ? page.toReversed() : page))
    cursor = cursorOf(rows.at(-1)!)
    await between()
  }
}

const START = '2026-11-01T00:00:00Z'

async function eachRun(check: (random: Random) => Promise<void>): Promise<void> {
  const seed = testSeed()
  for (let run = 0; run < RUNS; run++) {
    try {
      await check(mulberry32(seed + run))
    } catch (error) {
      throw new Error(`seed ${seed + run}: ${(error as Error).message}`, { cause: error })
    }
  }
}

describe('pages of logs.explore', () => {
  it('have each row once, in order, from the newest to the oldest and back', () =>
    eachRun(async (random) => {
      const { engine, records, add } = await openRun(random)
      for (let i = 0; i < 3; i++) await add(below(random, 60))
      const params = { start: START, ...oneOf(random, FILTERS) }
      const all = oracle(records, asked({ ...params, limit: '1000' }), NOW_US)
      const nothing = async () => {}
      expect(await readPages(engine, { params, random, direction: 'before' }, nothing)).toEqual(all)
      expect(await readPages(engine, { params, random, direction: 'after' }, nothing)).toEqual(all.toReversed())
      await engine.close()
    }))

  it.each(['before', 'after'] as const)('have each row once while rows arrive: %s', (direction) =>
    eachRun(async (random) => {
      const { engine, records, add } = await openRun(random)
      for (let i = 0; i < 3; i++) await add(below(random, 40))
      const params = { start: START, ...oneOf(random, FILTERS) }
      const there = idsOf(oracle(records, asked({ ...params, limit: '1000' }), NOW_US))
      let arrivals = 10
      const shown = await readPages(engine, { params, random, direction }, async () => {
        if (arrivals-- > 0) await add(below(random, 8))
      })
      const ids = idsOf(shown)
      expect(new Set(ids).size).toBe(ids.length)
      expect(there.filter((id) => !ids.includes(id))).toEqual([])
      // The rank of every row is the rank at the end.
      const last = oracle(records, asked({ ...params, limit: '1000' }), NOW_US)
      const known = new Set(last.map((row) => `${row.id} ${cursorOf(row)}`))
      expect(shown.filter((row) => !known.has(`${row.id} ${cursorOf(row)}`))).toEqual([])
      await engine.close()
    }))
})

describe('a wrong parameter of logs.explore', () => {
  const WRONG: readonly (readonly [params: Params, code: string, message: string])[] = [
    ...['0', '1001', '-1', '1.5', '1e2', 'all'].map(
      (limit) =>
        [
          { limit },
          'invalid_parameter',
          'The parameter "limit" is no number of rows. Give it a whole number from 1 to 1000.',
        ] as const,
    ),
    ...['1', '1.', '.1', '1.-1', '1.1.1', '2026-11-20T10:00:00Z', `${'9'.repeat(17)}.1`].map(
      (before) =>
        [
          { before },
          'invalid_parameter',
          'The parameter "before" is no cursor. Write timestamp and rank of a row with a dot between them: ' +
            '1795860000123456.1.',
        ] as const,
    ),
    [
      { before: '1.1', after: '1.1' },
      'invalid_parameter',
      'The parameters "before" and "after" are both given. Give one of them.',
    ],
  ]
  it.each(WRONG)('%o', (params, code, message) => {
    const run = () => logsExplore.call(new URLSearchParams(asked(params))).plan(NOW_US)
    expect(run).toThrow(expect.objectContaining({ code, message }))
  })

  it.each([['project'], ['source']])('without %s', (name) => {
    const { [name]: _, ...others } = asked({})
    const run = () => logsExplore.call(new URLSearchParams(others))
    expect(run).toThrow(expect.objectContaining({ code: 'missing_parameter' }))
  })
})

describe('a token that is bound to a project', () => {
  it('gets its rows and ranks alone, whatever the filter says', async () => {
    const engine = openEngine()
    await appendAll(
      engine,
      ['b', 'a', 'b', 'a'].map((project, i) => edge({ id: `${i}`, project, timestampUs: NOW_US })),
    )
    const filter = JSON.stringify([{ field: 'project', op: 'in', value: ['a', 'b'] }])
    const ranksOf = (rows: readonly PlainRow[]) => rows.map(({ id, rank }) => [id, rank])
    expect(ranksOf(await ask(engine, { filter }))).toEqual([
      ['3', 2],
      ['1', 1],
    ])
    expect(ranksOf(await ask(engine, { filter, before: `${NOW_US}.2` }))).toEqual([['1', 1]])
    expect(ranksOf(await ask(engine, { filter, after: `${NOW_US}.1` }))).toEqual([['3', 2]])
    const other = JSON.stringify([{ field: 'project', op: '=', value: 'b' }])
    expect(await ask(engine, { filter: other, after: '0.0' })).toEqual([])
  })
})
