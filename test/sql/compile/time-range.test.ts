import { describe, expect, it } from 'vitest'
import type { Operator, Plan } from '../../../src/plan/plan.js'
import { datetimeText } from '../../../src/plan/values/times.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { NOW_US } from '../cases/case.js'

const planOf = (sql: string): Plan => readSql(sql).plan({}, NOW_US)

const planned = (where: string) => planOf(`select id from edge_logs as t where ${where}`)

/** All operators of a plan, with the operators of inner plans. */
const operatorsOf = (plan: Plan): Operator[] =>
  plan.flatMap((operator) => {
    const inner = operator.op === 'union' ? operator.plans : operator.op === 'isIn' ? [operator.plan] : []
    return [...inner.flatMap(operatorsOf), operator]
  })

const timeText = (us: number) => (Number.isFinite(us) ? datetimeText(us).replace('2026-11-', '') : '')

/**
 * The range of each scan as `from/through`: day and time, empty where the range has no end. Subqueries follow the rows
 * that they test.
 */
const ranges = (plan: Plan) =>
  operatorsOf(plan).flatMap((operator) => {
    if (operator.op !== 'scan') return []
    const { fromUs, throughUs } = operator
    return [fromUs > throughUs ? 'never' : `${timeText(fromUs)}/${timeText(throughUs)}`]
  })

const filters = (plan: Plan) => operatorsOf(plan).filter(({ op }) => op === 'filter').length

describe('a condition on the time narrows the scan, and is no filter any more', () => {
  it.each([
    ["timestamp >= '2026-11-24T10:00:00Z'", '24T10:00:00/'],
    ["timestamp > '2026-11-24T10:00:00Z'", '24T10:00:00.000001/'],
    ["timestamp <= '2026-11-24T10:00:00Z'", '/24T10:00:00'],
    ["timestamp < '2026-11-24T10:00:00Z'", '/24T09:59:59.999999'],
    ["timestamp = '2026-11-24T10:00:00Z'", '24T10:00:00/24T10:00:00'],
    ["'2026-11-24T10:00:00Z' <= t.timestamp", '24T10:00:00/'],
    ["'2026-11-24T10:00:00Z' > TIMESTAMP", '/24T09:59:59.999999'],
    ["timestamp between '2026-11-24' and '2026-11-25'", '24T00:00:00/25T00:00:00'],
    [
      "timestamp > '2026-11-24' and timestamp > '2026-11-23' and timestamp < '2026-11-26'",
      '24T00:00:00.000001/25T23:59:59.999999',
    ],
    ["timestamp > '2026-11-25' and timestamp < '2026-11-24'", 'never'],
    ['timestamp >= 1795514480000000', '24T10:01:20/'],
    ['timestamp >= 1795514480', '24T10:01:20/'],
    ["timestamp >= date '2026-11-24'", '24T00:00:00/'],
    ['timestamp > timestamp_sub(current_timestamp(), interval 1 hour)', '24T11:00:00.000001/'],
    ['timestamp > current_timestamp() - interval 7 day', '17T12:00:00.000001/'],
    ["cast(timestamp as datetime) >= '2026-11-24 10:00:00'", '24T10:00:00/'],
    ["datetime(timestamp) < datetime '2026-11-24 10:00:00'", '/24T09:59:59.999999'],
    ["date(timestamp) = '2026-11-24'", '24T00:00:00/24T23:59:59.999999'],
    ["date(timestamp) > '2026-11-24'", '25T00:00:00/'],
    ["date(timestamp) <= '2026-11-24'", '/24T23:59:59.999999'],
    ["timestamp_trunc(timestamp, hour) = '2026-11-24T10:00:00Z'", '24T10:00:00/24T10:59:59.999999'],
    ["timestamp_trunc(timestamp, hour) = '2026-11-24T10:30:00Z'", 'never'],
    ["timestamp_trunc(timestamp, hour) >= '2026-11-24T10:30:00Z'", '24T11:00:00/'],
    ["timestamp_trunc(timestamp, hour) > '2026-11-24T10:30:00Z'", '24T11:00:00/'],
    ["timestamp_trunc(timestamp, hour) > '2026-11-24T10:00:00Z'", '24T11:00:00/'],
    ["timestamp_trunc(timestamp, hour) <= '2026-11-24T10:30:00Z'", '/24T10:59:59.999999'],
    ["timestamp_trunc(timestamp, hour) < '2026-11-24T10:30:00Z'", '/24T10:59:59.999999'],
    ["timestamp_trunc(timestamp, hour) < '2026-11-24T10:00:00Z'", '/24T09:59:59.999999'],
    ["timestamp_trunc(timestamp, isoweek) = '2026-11-23'", '23T00:00:00/29T23:59:59.999999'],
    ["timestamp_trunc(timestamp, month) = '2026-11-01'", '01T00:00:00/30T23:59:59.999999'],
  ])('%s', (where, range) => {
    const plan = planned(where)
    expect(ranges(plan)).toEqual([range])
    expect(filters(plan)).toBe(0)
  })
})

describe('other conditions remain filters', () => {
  it.each([
    ["timestamp > '2026-11-24' or id = 'a'", '/'],
    ["not timestamp > '2026-11-24'", '/'],
    ["timestamp != '2026-11-24'", '/'],
    ["timestamp in ('2026-11-24', '2026-11-25')", '/'],
    ['timestamp > x', '/'],
    ['timestamp_add(timestamp, interval 1 day) > current_timestamp()', '/'],
    ["timestamp_trunc(timestamp_trunc(timestamp, hour), day) = '2026-11-24'", '/'],
    ['unix_seconds(timestamp) > 5', '/'],
    ['timestamp > null', '/'],
    ["metadata.timestamp > '2026-11-24'", '/'],
    ["cast(timestamp as string) > '2026-11-24'", '/'],
    ["id = 'a' and timestamp > '2026-11-24'", '24T00:00:00.000001/'],
  ])('%s', (where, range) => {
    const plan = planned(where)
    expect(ranges(plan)).toEqual([range])
    expect(filters(plan)).toBe(1)
  })
})

describe('the scans that a condition narrows', () => {
  const LATER = "> '2026-11-24'"
  const from = '24T00:00:00.000001/'

  it.each([
    ['of a derived table', `select id from (select id, timestamp as t from edge_logs) where t ${LATER}`, [from]],
    [
      'behind two',
      `select a from (select a, t from (select id as a, timestamp as t from edge_logs)) where t ${LATER}`,
      [from],
    ],
    ['behind a join', `select id from edge_logs cross join unnest(metadata) as m where timestamp ${LATER}`, [from]],
    [
      'of all parts of a union',
      `select id from (select id, timestamp from edge_logs union all select id, timestamp from auth_logs)
      where timestamp ${LATER}`,
      [from, from],
    ],
    [
      'of the groups of a time',
      `select t from (select timestamp_trunc(timestamp, day) as t from edge_logs group by t) where t >= '2026-11-24'`,
      ['24T00:00:00/'],
    ],
    [
      'of HAVING',
      `select timestamp_trunc(timestamp, day) as t from edge_logs group by t having t >= '2026-11-24'`,
      ['24T00:00:00/'],
    ],
    [
      'of one use of a common table expression',
      `with a as (select id, timestamp from edge_logs) select id from a where timestamp ${LATER}
      union all select id from a`,
      [from, '/'],
    ],
    [
      'of a subquery alone',
      `select id from auth_logs where id in (select id from edge_logs where timestamp ${LATER})`,
      ['/', from],
    ],
    [
      'not of a subquery',
      `select id from auth_logs where timestamp ${LATER} and id in (select id from edge_logs)`,
      [from, '/'],
    ],
    [
      'not behind a limit',
      `select id from (select id, timestamp from edge_logs order by timestamp limit 5) where timestamp ${LATER}`,
      ['/'],
    ],
    ['not of an aggregate', `select t from (select max(timestamp) as t from edge_logs) where t ${LATER}`, ['/']],
    [
      'not of a column that hides the time',
      `select id from (select id, timestamp_add(timestamp, interval 1 day) as timestamp from edge_logs)
      where timestamp ${LATER}`,
      ['/'],
    ],
  ])('%s', (_, sql, expected) => {
    expect(ranges(planOf(sql))).toEqual(expected)
  })

  it('are those of the parts of a union that have a time; the condition remains for the others', () => {
    const plan = planOf(
      `select id from (select id, timestamp as t from edge_logs union all select id, null from auth_logs)
      where t ${LATER}`,
    )
    expect(ranges(plan)).toEqual([from, '/'])
    expect(filters(plan)).toBe(1)
  })
})
