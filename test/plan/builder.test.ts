import { describe, expect, it } from 'vitest'
import {
  atLeast,
  contains,
  count,
  countWhere,
  equals,
  matches,
  max,
  mean,
  nothing,
  optional,
  quantile,
  scan,
  share,
} from '../../src/plan/builder.js'
import { call, column, literal } from '../../src/plan/expression.js'
import { schemaOf } from '../../src/plan/schema.js'

const RANGE = { fromUs: 0, throughUs: 10 }
const EDGE = { op: 'scan', sources: ['edge_logs'], ...RANGE } as const
const rows = () => scan('edge_logs', RANGE)
const grouped = () =>
  rows()
    .group('url')
    .aggregate({ requests: count(), slowest: max('status_code') })
const key = (name: string, direction: 'asc' | 'desc' = 'asc', nulls: 'first' | 'last' = 'last') => ({
  by: column(name),
  direction,
  nulls,
})

describe('the builder', () => {
  it('writes a pipeline down as operators', () => {
    const plan = rows()
      .filter(equals('project', 'a'), optional('url', undefined), atLeast('status_code', 400))
      .truncate('timestamp', 'hour', 'datetime')
      .group('timestamp')
      .aggregate({ n: count(), rest: countWhere(contains('path', '/rest')), p95: quantile('status_code', 95) })
      .orderBy('n', 'desc')
      .limit(10)
    expect(plan).toEqual([
      EDGE,
      {
        op: 'filter',
        where: call(
          'and',
          call('eq', column('project'), literal('a')),
          call('ge', column('status_code'), literal(400)),
        ),
      },
      {
        op: 'extend',
        columns: [{ name: 'timestamp', value: call('datetime_trunc', column('timestamp'), literal('hour')) }],
      },
      {
        op: 'group',
        keys: [{ name: 'timestamp', value: column('timestamp') }],
        aggregates: [
          { name: 'n', value: { fn: 'count', args: [] } },
          { name: 'rest', value: { fn: 'countif', args: [call('contains', column('path'), literal('/rest'))] } },
          { name: 'p95', value: { fn: 'quantile', args: [column('status_code'), literal(95)] } },
        ],
      },
      { op: 'orderBy', keys: [key('n', 'desc'), key('timestamp')] },
      { op: 'limit', rows: 10, offset: 0 },
    ])
    expect(() => schemaOf(plan)).not.toThrow()
  })

  it('leaves out conditions that are undefined, and a filter without any', () => {
    expect(rows().filter(undefined, optional('url', undefined)).limit(1)).toEqual([
      EDGE,
      { op: 'limit', rows: 1, offset: 0 },
    ])
    expect(rows().filter(optional('url', '')).limit(1)[1]).toEqual({
      op: 'filter',
      where: call('eq', column('url'), literal('')),
    })
  })

  it('sorts equal groups by their keys, also behind a filter', () => {
    const keys = [key('requests'), key('url')]
    expect(grouped().orderBy('requests').limit(1)[2]).toEqual({ op: 'orderBy', keys })
    expect(grouped().filter(atLeast('requests', 2)).orderBy('requests').limit(1)[3]).toEqual({ op: 'orderBy', keys })
  })

  it('sorts by several keys, with nulls first or last', () => {
    const plan = rows()
      .orderBy('url', 'desc', 'first')
      .thenBy(call('length', column('url')))
      .limit(2, 3)
    expect(plan.slice(1)).toEqual([
      {
        op: 'orderBy',
        keys: [key('url', 'desc', 'first'), { by: call('length', column('url')), direction: 'asc', nulls: 'last' }],
      },
      { op: 'limit', rows: 2, offset: 3 },
    ])
  })

  it('groups by several columns, by expressions, and by the path of the URL', () => {
    const keysOf = (plan: ReturnType<ReturnType<typeof grouped>['limit']>) => (plan[1] as { keys: unknown }).keys
    const aggregates = { n: count() }
    expect(keysOf(rows().group('url', 'project').aggregate(aggregates).limit(1))).toEqual([
      { name: 'url', value: column('url') },
      { name: 'project', value: column('project') },
    ])
    expect(
      keysOf(
        rows()
          .group({ size: call('length', column('url')) })
          .aggregate(aggregates)
          .limit(1),
      ),
    ).toEqual([{ name: 'size', value: call('length', column('url')) }])
    expect(keysOf(rows().group('url_path').aggregate(aggregates).limit(1))).toEqual([
      { name: 'url_path', value: call('url_path', column('url')) },
    ])
  })

  it('selects columns by name, and expressions', () => {
    expect(rows().select('id', 'url').limit(1)[1]).toEqual({
      op: 'select',
      columns: [
        { name: 'id', value: column('id') },
        { name: 'url', value: column('url') },
      ],
    })
    expect([
      ...schemaOf(
        rows()
          .select({ size: call('length', column('url')) })
          .limit(1),
      ).keys(),
    ]).toEqual(['size'])
  })

  it('a builder is never changed by what is built on it', () => {
    const start = rows()
    start.filter(equals('project', 'a'))
    expect(start.limit(1).map(({ op }) => op)).toEqual(['scan', 'limit'])
    const sorted = start.orderBy('timestamp')
    sorted.thenBy('id')
    expect(sorted.limit(1)).toEqual(start.orderBy('timestamp').limit(1))
  })

  it('has the plan without rows', () => {
    expect(nothing()).toEqual([])
  })
})

/** Never called: the compiler checks what is in it. */
function wrongPipelines() {
  // @ts-expect-error: a group has its keys and aggregates only
  grouped().orderBy('status_code')
  // @ts-expect-error: nor can it be grouped again by a column that it left out
  grouped().group('project')
  // @ts-expect-error: nor selected
  grouped().select('path')
  // @ts-expect-error: a second key is checked too
  grouped().orderBy('requests').thenBy('path')
  // @ts-expect-error: a group has no timestamp that is no key
  grouped().truncate('timestamp', 'hour')
  // @ts-expect-error: rows behind a select have its columns only
  rows().select('id').orderBy('url')
  // @ts-expect-error: a limit ends the plan
  rows().limit(1).filter(equals('url', 'a'))
  // @ts-expect-error: a group has to be aggregated
  rows().group('url').limit(1)
  // @ts-expect-error: there is no such source
  scan('nginx_logs', RANGE)
  // @ts-expect-error: weeks are no bucket of the builder
  rows().truncate('timestamp', 'week')
  // @ts-expect-error: directions are asc and desc
  rows().orderBy('timestamp', 'up')
  // @ts-expect-error: an aggregate is no condition
  rows().filter(count())
  const byUrl = rows().group('url')
  // @ts-expect-error: a condition is no aggregate
  byUrl.aggregate({ n: literal(true) })
  // @ts-expect-error: no function of that name
  call('median', column('url'))
  // @ts-expect-error: a pattern is a text
  matches('url', 5)

  grouped().orderBy('slowest').thenBy('url').limit(1)
  rows()
    .group('url')
    .aggregate({ share: share(matches('url', 'a')), mean: mean('status_code') })
    .select('mean')
    .limit(1)
}

describe('wrong pipelines', () => {
  it('do not compile', () => {
    expect(wrongPipelines).toBeTypeOf('function')
  })
})
