import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../../../src/endpoints/index.js'
import { readStages } from '../../../../src/engine/clickhouse/query/stage-rows.js'
import type { Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import { lastStageOf } from '../../../../src/engine/execute/run/run-plan.js'
import type { StoredRows } from '../../../../src/engine/execute/run/run-stage.js'
import { atLeast, count, equals, mean, quantile, scan, share } from '../../../../src/plan/builder.js'
import { agg, fn } from '../../../../src/plan/calls.js'
import { call, column, type Expression, field, literal } from '../../../../src/plan/expression.js'
import type { Plan } from '../../../../src/plan/plan.js'
import { runContext } from '../../store/support.js'

const RANGE = { fromUs: 0, throughUs: 1e15 }
const edge = scan('edge_logs', RANGE)
const method = field('request.method')
const other = field('request.other')

/** The statements that a plan sends to a server without rows, of groups and of rows. */
async function statementsOf(plan: Plan, version = '26.7.1'): Promise<{ groups: string[]; rows: string[] }> {
  const sent = { groups: [] as string[], rows: [] as string[] }
  const server: Server = {
    async select(sql) {
      // The query for windows of time is a query for rows.
      sent[sql.includes(' AS number, ') ? 'rows' : 'groups'].push(sql)
      return []
    },
    async selectNative(sql) {
      sent.rows.push(sql)
      return Buffer.alloc(0)
    },
    insert: async () => {},
    command: async () => {},
    close: async () => {},
  }
  const last = await lastStageOf(plan, () => NO_ROWS, runContext().context)
  await readStages(last!.stage, {
    server,
    location: { database: 'logweir' },
    serverVersion: async () => version,
    onClose() {},
  })
  return sent
}

const NO_ROWS: StoredRows = { partsOf: () => [], frameOf: () => undefined, readView: () => expect.unreachable() }

const countedBy = (key: Expression, where?: Expression) =>
  edge.filter(where).group({ key }).aggregate({ n: count() }).orderBy('n', 'desc').limit(10)

/** Endpoints that answer with rows. `logs.fields` answers with groups if the parameter `field` is given. */
const OF_ROWS = ['logs.all', 'logs.explore']

/** Only columns of numbers are measured by the server. */
const EXPLORED: Readonly<Record<string, string>> = {
  'logs.measure': 'source=function_edge_logs&field=execution_time_ms',
}

describe('the server computes', () => {
  it.each<[string, Plan]>([
    ...ENDPOINTS.filter(({ name }) => !OF_ROWS.includes(name)).map(({ name, call: ask }): [string, Plan] => [
      name,
      ask(new URLSearchParams(`project=a&interval=daily&${EXPLORED[name] ?? 'source=auth_logs&field=status'}`)).plan(0),
    ]),
    ['groups by a bucket of some width', countedBy(fn.timestamp_bucket('timestamp', 5_000_000))],
    [
      'groups of rows that exclude a value, or whose message contains a text',
      countedBy(
        method,
        call('or', fn.not(fn.is_true(equals(method, 'GET'))), fn.contains_substr('event_message', 'GeT')),
      ),
    ],
    ['groups by a declared field', countedBy(method)],
    ['groups by a field without a column', countedBy(other)],
    ['groups by a bucket of time', countedBy(fn.timestamp_trunc('timestamp', 'isoweek'))],
    [
      'groups of rows that pass filters',
      countedBy(method, call('or', equals(method, 'GET'), atLeast('status_code', 500))),
    ],
    [
      'groups of rows that pass a filter on a field without a column',
      countedBy(method, call('like', other, literal('a%'))),
    ],
    [
      'aggregates of numbers',
      edge
        .group('project')
        .aggregate({
          mean: mean('status_code'),
          p95: quantile(field('response.origin_time'), 95),
          errors: share(atLeast('status_code', 500)),
          sum: agg.sum('status_code'),
          methods: agg.count_distinct(method),
        })
        .orderBy('project')
        .limit(5),
    ],
  ])('%s', async (_, plan) => {
    const { groups, rows } = await statementsOf(plan)
    expect(groups).toHaveLength(1)
    expect(rows).toEqual([])
  })

  it('the first groups of an order alone', async () => {
    expect((await statementsOf(countedBy(method))).groups[0]).toMatch(/ORDER BY .*value_0 DESC NULLS LAST.* LIMIT 10 /)
  })
})

describe('a value among literals', () => {
  const among = (by: Expression, ...items: (string | number)[]) =>
    countedBy(method, call('in', by, ...items.map(literal)))
  const many = Array.from({ length: 10_000 }, (_, i) => i)

  it('is one condition if it is a text or a time', async () => {
    const { groups } = await statementsOf(among(column('project'), 'a', ''))
    expect(groups[0]).toContain("(project != unhex('') AND project IN (unhex('61'), unhex('')))")
    expect((await statementsOf(among(column('timestamp'), ...many))).groups[0]).toContain('timestamp IN (0, 1000000, ')
    expect((await statementsOf(among(column('url'), ...many.map(String)))).groups[0]).toContain('url IN (')
  })

  it('is compared with each of a few, and in the process with more, or with more than fit into a query', async () => {
    expect((await statementsOf(among(column('status_code'), 1, 2))).groups).toHaveLength(1)
    expect((await statementsOf(among(other, 'a', 'b'))).groups).toHaveLength(1)
    const long = many.map((i) => 'x'.repeat(100) + i)
    for (const plan of [
      among(column('status_code'), ...many),
      among(other, ...long),
      among(column('url'), ...long),
      among(column('url'), 'a', 1),
    ]) {
      const { groups, rows } = await statementsOf(plan)
      expect(groups).toEqual([])
      expect(rows[0]!.length).toBeLessThan(2_000)
    }
  })
})

describe('the process computes, over rows that pass the leading filters,', () => {
  it.each<[string, Plan]>([
    ['groups by a function', countedBy(fn.lower(method), equals('project', 'a'))],
    [
      'aggregates without an equal one in SQL',
      edge
        .filter(equals('project', 'a'))
        .group('url')
        .aggregate({ all: agg.array_agg(method) })
        .orderBy('url')
        .limit(1),
    ],
    [
      'filters behind one that it evaluates',
      countedBy(method, call('and', equals('project', 'a'), equals(fn.lower(method), 'get'), equals('url', 'u'))),
    ],
    [
      'groups of rows with a value among those of another plan',
      edge
        .isIn('url', scan('auth_logs', RANGE).select('id').limit(9), 'known')
        .filter(equals('project', 'a'), column('known'), equals('url', 'u'))
        .group({ method })
        .aggregate({ n: count() })
        .orderBy('n')
        .limit(1),
    ],
  ])('%s', async (_, plan) => {
    const { groups, rows } = await statementsOf(plan)
    expect(groups).toEqual([])
    expect(rows[0]).toContain("project = unhex('61')")
    expect(rows[0]).not.toContain('url =')
  })
})

describe('a field without a column', () => {
  it.each([
    '18.16.1',
    '21.8.2',
  ])('is refused by version %s, which is named with the first one that reads it', async (version) => {
    await expect(statementsOf(countedBy(other), version)).rejects.toMatchObject({
      code: 'unsupported_by_engine',
      message: expect.stringMatching(new RegExp(`request\\.other .*${version} .*ClickHouse 22 or newer`)),
    })
  })

  it('is read of the few rows of an answer only if the plan names it', async () => {
    const plan = edge.select('id').orderBy('timestamp', 'desc').limit(3)
    const { rows } = await statementsOf(plan, '18.16.1')
    expect(rows).toHaveLength(1)
    expect(rows[0]).not.toContain('metadata')
  })
})

describe('a view over ClickHouse', () => {
  it('is refused before the server is asked', async () => {
    const view = {
      name: 'v',
      identity: '',
      columns: [{ name: 'bucket', type: 'timestamp' as const }],
      bucket: 'bucket',
      sources: ['edge_logs' as const],
    }
    const plan: Plan = [{ op: 'view', view, ...RANGE }]
    const union: Plan = [{ op: 'union', plans: [scan('edge_logs', RANGE).select('timestamp').limit(1), plan] }]
    for (const one of [plan, union])
      await expect(statementsOf(one)).rejects.toMatchObject({
        code: 'unsupported_by_engine',
        message: 'Views cannot be read here: they are not kept over ClickHouse, but in a data directory.',
      })
  })
})
