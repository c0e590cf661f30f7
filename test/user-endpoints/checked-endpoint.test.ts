import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { invalidParameter, text } from '../../src/endpoints/params.js'
import type { Aggregate } from '../../src/plan/aggregates.js'
import { contains, count, countWhere, equals, mean, nothing, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { checkedEndpoint, checkPlan } from '../../src/user-endpoints/checked-endpoint.js'

const ALL = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const rows = (source: 'edge_logs' = 'edge_logs', range = ALL) =>
  scan(source, range).select('id').orderBy('timestamp', 'desc')
const buckets = (aggregate: Aggregate = count()) =>
  scan('edge_logs', ALL)
    .truncate('timestamp', 'day')
    .group('timestamp')
    .aggregate({ n: aggregate })
    .orderBy('timestamp')

const groups = (by: string) => scan('edge_logs', ALL).group(by).aggregate({ n: count() })

function checkedCall(plan: (args: { project: string }, nowUs: number) => Plan, project = text('')) {
  const checked = checkedEndpoint(
    endpoint({ id: '', name: 'a.b', maxRows: 5, cache: 'disabled', params: { project }, query: '', plan }),
  )
  return (query: string, call: 'call' | 'callBound' = 'call') => checked[call](new URLSearchParams(query)).plan(7)
}

describe('the plan of an own endpoint', () => {
  it('is left as it is, but for its limit', () => {
    expect(checkPlan(rows().limit(5), 5)).toEqual(rows().limit(5))
    expect(checkPlan(rows().limit(6), 5)).toEqual(rows().limit(5))
    expect(checkPlan(nothing(), 5)).toEqual([])
    expect(checkPlan(buckets(mean('url')).limit(5), 5)).toEqual(buckets(mean('url')).limit(5))
    expect(checkPlan(rows().limit(9).slice(0, -1), 5)).toEqual(rows().limit(5))
    expect(checkPlan(rows().limit(9, 3), 5)).toEqual(rows().limit(5, 3))
    for (const { name, call } of ENDPOINTS) {
      const field = name === 'logs.measure' ? '&field=status' : ''
      const given = `project=a&source=edge_logs&function_id=f&interval=hourly${field}`
      const plan = call(new URLSearchParams(given)).plan(3_600_000_000)
      expect(checkPlan(plan, 10_000)).toEqual(plan)
    }
  })

  it.each<[string, unknown, string]>([
    ['none', undefined, 'plan() did not return a plan. Build it with scan(…) and end it with .limit(rows).'],
    ['one without an end', rows(), 'plan() did not return a plan. Build it with scan(…) and end it with .limit(rows).'],
    [
      'one to come',
      Promise.resolve([]),
      'plan() did not return a plan. Build it with scan(…) and end it with .limit(rows).',
    ],
    ['another order', rows().limit(1).toReversed(), 'A plan starts with scan, view or union, and only there: limit.'],
    ['no source', rows('x' as never).limit(1), 'There is no source "x".'],
    ['an alias', rows('cloudflare.logs.prod' as never).limit(1), 'There is no source "cloudflare.logs.prod".'],
    [
      'parts of a microsecond',
      rows('edge_logs', { ...ALL, fromUs: 1.5 }).limit(1),
      'scan() takes whole microseconds from fromUs through throughUs, not 1.5.',
    ],
    [
      'no time',
      rows('edge_logs', { ...ALL, throughUs: Number.NaN }).limit(1),
      'scan() takes whole microseconds from fromUs through throughUs, not NaN.',
    ],
    ['a crooked limit', rows().limit(-1), 'limit(-1) is not a number of rows: use a non-negative integer.'],
    ['a crooked offset', rows().limit(1, 0.5), 'limit(0.5) is not a number of rows: use a non-negative integer.'],
    [
      'a crooked limit within a union',
      [{ op: 'union', plans: [rows().limit(Number.NaN)] }],
      'limit(NaN) is not a number of rows: use a non-negative integer.',
    ],
    [
      'a crooked limit within isIn',
      scan('edge_logs', ALL).isIn('id', rows().limit(0.5), 'known').limit(1),
      'limit(0.5) is not a number of rows: use a non-negative integer.',
    ],
    [
      'no time within isIn',
      scan('edge_logs', ALL)
        .isIn('id', rows('edge_logs', { ...ALL, fromUs: Number.NaN }).limit(1), 'known')
        .limit(1),
      'scan() takes whole microseconds from fromUs through throughUs, not NaN.',
    ],
    [
      'SQL for a column',
      scan('edge_logs', ALL).select('id, 1').orderBy('timestamp', 'desc').limit(1),
      'There is no column id, 1, but id, timestamp, event_message, project, metadata, url, path, status_code.',
    ],
    [
      'a filter on no column',
      scan('edge_logs', ALL).filter(equals('x', '')).select('id').orderBy('timestamp', 'desc').limit(1),
      'There is no column x, but id, timestamp, event_message, project, metadata, url, path, status_code. ' +
        'A field is written metadata.x.',
    ],
    [
      'a count on no column',
      buckets(countWhere(contains('x', ''))).limit(1),
      'There is no column x, but id, timestamp, event_message, project, metadata, url, path, status_code. ' +
        'A field is written metadata.x.',
    ],
    ['the mean of nothing', buckets({ fn: 'avg', args: [] }).limit(1), 'avg takes 1 argument, and got 0.'],
    [
      'SQL for a group',
      groups('url, 1').orderBy('n').limit(1),
      'There is no column url, 1, but id, timestamp, event_message, project, metadata, url, path, status_code.',
    ],
    ['SQL for an order', groups('url').orderBy('n; drop').limit(1), expect.stringContaining('n; drop')],
  ])('is refused: %s', (_, plan, message) => {
    expect(() => checkPlan(plan as Plan, 5)).toThrow(expect.objectContaining({ name: 'TypeError', message }))
  })
})

describe('an own endpoint', () => {
  it('gets its parameters and the time', () => {
    const ask = checkedCall(({ project }, nowUs) =>
      scan('edge_logs', { fromUs: nowUs, throughUs: nowUs })
        .filter(equals('project', project))
        .select('id')
        .orderBy('timestamp', 'desc')
        .limit(9),
    )
    const expected = scan('edge_logs', { fromUs: 7, throughUs: 7 })
      .filter(equals('project', 'p'))
      .select('id')
      .orderBy('timestamp', 'desc')
      .limit(5)
    expect(ask('project=p')).toEqual(expected)
    expect(ask('project=p', 'callBound')).toEqual(expected)
  })

  it('sees one project when its caller is bound, whatever its plan does', () => {
    const ask = checkedCall(() => rows().limit(1))
    expect(ask('project=p', 'callBound')[1]).toEqual({ op: 'filter', where: equals('project', 'p') })
  })

  it('names itself where it throws', () => {
    const ask = checkedCall(() => {
      throw new RangeError('too far')
    })
    expect(() => ask('project=p')).toThrow(new Error('endpoint a.b: RangeError: too far'))
    expect(() => ask('project=p', 'callBound')).toThrow(new Error('endpoint a.b: RangeError: too far'))
    const reads = checkedCall(nothing, {
      ...text(''),
      read() {
        throw new TypeError('oh')
      },
    })
    expect(() => reads('project=p')).toThrow(new Error('endpoint a.b: TypeError: oh'))
  })

  it('refuses what its parameters refuse', () => {
    const ask = checkedCall(nothing, {
      ...text(''),
      read() {
        throw invalidParameter('The parameter "project" is too long. Send a shorter one.')
      },
    })
    const refused = new LogweirError('invalid_parameter', 'The parameter "project" is too long. Send a shorter one.')
    expect(() => ask('project=p')).toThrow(refused)
    expect(() => checkedCall(nothing)('')).toThrow('The parameter "project" is missing or empty.')
  })
})
