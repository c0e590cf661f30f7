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
  min,
  nothing,
  optional,
  quantile,
  scan,
  share,
  union,
} from '../../src/plan/builder.js'
import { agg, fn } from '../../src/plan/calls.js'
import { call, column, literal } from '../../src/plan/expression.js'
import { field } from '../../src/plan/names.js'
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

  it('sorts equal groups by their keys, also behind a filter and computed columns', () => {
    const keys = [key('requests'), key('url')]
    expect(grouped().orderBy('requests').limit(1)[2]).toEqual({ op: 'orderBy', keys })
    expect(grouped().filter(atLeast('requests', 2)).orderBy('requests').limit(1)[3]).toEqual({ op: 'orderBy', keys })
    const extended = (name: string) =>
      grouped()
        .extend({ [name]: 'slowest' })
        .orderBy('requests')
        .limit(1)[3]
    expect(extended('other')).toEqual({ op: 'orderBy', keys })
    expect(extended('url')).toEqual({ op: 'orderBy', keys: [key('requests')] })
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

  it('ranks the rows of an order by time', () => {
    const plan = rows().select('id').orderBy('timestamp', 'desc').rank('place').limit(2, 3)
    expect(plan.slice(2)).toEqual([
      { op: 'orderBy', keys: [key('timestamp', 'desc')], rank: 'place' },
      { op: 'limit', rows: 2, offset: 3 },
    ])
    expect([...schemaOf(plan).keys()]).toEqual(['id', 'place'])
    const twoKeys = rows().orderBy('timestamp').rank('place').thenBy('id').limit(1)
    expect(() => schemaOf(twoKeys)).toThrow(TypeError)
    expect(() => schemaOf(grouped().orderBy('requests').rank('place').limit(1))).toThrow(TypeError)
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

  it('scans several sources, and unites plans', () => {
    const all = scan(['edge_logs', 'auth_logs'], RANGE)
    expect(all.limit(1)[0]).toEqual({ ...EDGE, sources: ['edge_logs', 'auth_logs'] })
    const first = all.select({ day: fn.date_trunc('timestamp', 'day') })
    const second = grouped().select('url').limit(2)
    const plan = union(first, second).orderBy('day').limit(1)
    expect(plan).toEqual([
      { op: 'union', plans: [first.limit(1).slice(0, -1), second] },
      { op: 'orderBy', keys: [key('day')] },
      { op: 'limit', rows: 1, offset: 0 },
    ])
    expect([...schemaOf(plan)]).toEqual([['day', 'any']])
  })

  it('unnests lists, and reads fields of their elements', () => {
    const plan = rows()
      .unnest('metadata.items', 'item')
      .unnest(column('item'), 'part', 'outer')
      .select('item.a.b')
      .limit(1)
    expect(plan.slice(1, -1)).toEqual([
      { op: 'unnest', list: field('items'), name: 'item', isOuter: false },
      { op: 'unnest', list: column('item'), name: 'part', isOuter: true },
      { op: 'select', columns: [{ name: 'b', value: fn.field('item', 'a', 'b') }] },
    ])
  })

  it('asks whether a value is among the rows of another plan', () => {
    const inner = rows().select('metadata.level').limit(9)
    const plan = rows().isIn('a.b', inner, 'known').filter(column('known')).select('known').limit(1)
    expect(plan[1]).toEqual({ op: 'isIn', value: field('a.b'), plan: inner, name: 'known' })
    expect([...schemaOf(plan)]).toEqual([['known', 'boolean']])
  })

  it('groups by nothing, and by columns next to expressions', () => {
    expect(rows().group().aggregate({ n: count() }).limit(1)[1]).toMatchObject({ op: 'group', keys: [] })
    const plan = rows().group('parsed.user_name', 'url', { day: 'timestamp' }).aggregate({ n: count() }).limit(1)
    expect(plan[1]).toMatchObject({
      keys: [
        { name: 'user_name', value: field('parsed.user_name') },
        { name: 'url', value: column('url') },
        { name: 'day', value: column('timestamp') },
      ],
    })
    expect(() => rows().group(literal(1) as never)).toThrow('Give an expression a name: { name: expression }.')
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

describe('names', () => {
  const where = (condition: ReturnType<typeof column>, from = rows()) =>
    (from.filter(condition).limit(1).at(-2) as { where: unknown }).where

  it('are fields if they have dots, in every operator and at every depth', () => {
    const a = call('field', column('metadata'), literal('a'), literal('b'))
    expect(field('a.b')).toEqual(a)
    expect(field('metadata.a.b')).toEqual(a)
    expect(field(['metadata', 'a.b'])).toEqual(call('field', column('metadata'), literal('metadata'), literal('a.b')))
    expect(where(equals('a.b', 1))).toEqual(call('eq', a, literal(1)))
    expect(where(column('metadata.url'))).toEqual(field('url'))
    expect(where(fn.not(fn.or(fn.is_null('a.b'), equals('url', ''))))).toEqual(
      call('not', call('or', call('is_null', a), call('eq', column('url'), literal('')))),
    )
    const plan = rows()
      .extend({ x: 'a.b' })
      .group({ y: 'a.b' })
      .aggregate({ least: min('a.b'), texts: agg.string_agg('a.b', '.') })
      .limit(1)
    expect(plan.slice(1, 3)).toEqual([
      { op: 'extend', columns: [{ name: 'x', value: a }] },
      {
        op: 'group',
        keys: [{ name: 'y', value: a }],
        aggregates: [
          { name: 'least', value: { fn: 'min', args: [a] } },
          { name: 'texts', value: { fn: 'string_agg', args: [a, literal('.')] } },
        ],
      },
    ])
    const sorted = rows().select('id').orderBy(column('a.b')).thenBy(column('status_code')).limit(1)
    expect(sorted[2]).toMatchObject({ keys: [{ by: a }, { by: column('status_code') }] })
    expect(rows().orderBy('a.b').limit(1)[1]).toMatchObject({ keys: [{ by: a }] })
  })

  it('are columns if there is one, of today or made by the plan', () => {
    for (const name of ['url', 'path', 'status_code', 'metadata', 'level']) {
      expect(where(column(name))).toEqual(column(name))
    }
    expect(where(column('a.b'), rows().extend({ 'a.b': literal(1) }))).toEqual(column('a.b'))
    const grouped = rows()
      .extend({ 'a.b': literal(1) })
      .group('a.b')
    expect(grouped.aggregate({ n: count() }).limit(1)[2]).toMatchObject({
      keys: [{ name: 'a.b', value: column('a.b') }],
    })
  })

  it('start in a column that may hold JSON, else in the metadata', () => {
    const json = rows().extend({ request: 'metadata.request', text: fn.lower('url') })
    expect(where(column('request.method'), json)).toEqual(fn.field('request', 'method'))
    expect(where(column('text.method'), json)).toEqual(field('text.method'))
    expect(where(column('url.x'))).toEqual(field('url.x'))
  })

  it('url_path is the path in the URL where there is one', () => {
    expect(where(equals('url_path', '/x'))).toEqual(call('eq', call('url_path', column('url')), literal('/x')))
    expect(where(column('url_path'), rows().extend({ url_path: literal(1) }))).toEqual(column('url_path'))
    expect(where(column('url_path'), scan('auth_logs', RANGE))).toEqual(column('url_path'))
  })

  it('that no column has are told by the check of the plan', () => {
    expect(() => schemaOf(rows().filter(column('level')).limit(1))).toThrow(
      /^There is no column level, but id.* A field is written metadata.level.$/,
    )
    const plan = grouped().filter(column('parsed.level')).limit(1)
    expect(() => schemaOf(plan)).toThrow('There is no column parsed.level, but url, requests, slowest.')
  })

  it('keep an expression that occurs twice one object', () => {
    const shared = fn.lower('a.b')
    const condition = where(fn.and(shared, fn.not(shared))) as { args: [unknown, { args: [unknown] }] }
    expect(condition.args[0]).toBe(condition.args[1].args[0])
  })
})

/** Never called: the compiler checks the body. */
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
  // @ts-expect-error: there must be a source
  scan([], RANGE)
  // @ts-expect-error: a key has the last key of its path as its name
  rows().group('parsed.user_name').aggregate({ n: count() }).orderBy('parsed.user_name')
  // @ts-expect-error: behind a select the other columns are gone
  rows().select('parsed.user_name', { day: 'timestamp' }).select('parsed')
  // @ts-expect-error: a union has the columns of its first plan
  union(rows().select('id'), rows().select('url')).select('url')
  // @ts-expect-error: an expression needs a name
  rows().group(field('level'))
  // @ts-expect-error: an aggregate is no column
  rows().extend({ n: agg.count() })
  // @ts-expect-error: rows are unnested inner or outer
  rows().unnest('metadata.items', 'item', 'left')
  // @ts-expect-error: a path has a key
  field([])

  grouped().orderBy('slowest').thenBy('url').limit(1)
  rows()
    .group('url')
    .aggregate({ share: share(matches('url', 'a')), mean: mean('status_code') })
    .select('mean')
    .limit(1)
  rows()
    .select('parsed.user_name', 'id', { day: 'timestamp' })
    .unnest('user_name', 'part')
    .orderBy('user_name')
    .thenBy('part')
    .thenBy('day')
    .limit(1)
  const name: string = 'url'
  rows().group(name).aggregate({ n: count() }).orderBy(name).limit(1)
}

describe('wrong pipelines', () => {
  it('do not compile', () => {
    expect(wrongPipelines).toBeTypeOf('function')
  })
})
