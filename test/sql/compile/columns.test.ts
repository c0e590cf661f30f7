import { expect, it } from 'vitest'
import { answerColumns } from '../../../src/plan/answer.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { NOW_US } from '../cases/case.js'

/** The columns of an answer as `name: kind`. */
const kinds = (sql: string) => answerColumns(readSql(sql).plan({}, NOW_US)).map(({ name, kind }) => `${name}: ${kind}`)

it('an answer has the types that the text fixes', () => {
  expect(
    kinds(`select id, timestamp, t.metadata, level, count(*) n, sum(status) as sum,
      sum(cast(status as int64)) as whole,
      avg(status) as avg, min(timestamp) as first, min(level) as least from auth_logs t
      group by 1, 2, 3, 4`),
  ).toEqual([
    'id: text',
    'timestamp: microseconds',
    'metadata: json',
    'level: any',
    'n: count',
    'sum: double',
    'whole: integer',
    'avg: double',
    'first: microseconds',
    'least: any',
  ])
})

it.each([
  ["'a'", 'text'],
  ['1', 'integer'],
  ['1.5', 'double'],
  ['true', 'boolean'],
  ['null', 'any'],
  ['cast(null as int64)', 'integer'],
  ['current_timestamp()', 'microseconds'],
  ['current_date()', 'text'],
  ['cast(timestamp as datetime)', 'datetime'],
  ['timestamp_trunc(timestamp, hour)', 'microseconds'],
  ['level', 'any'],
  ['ifnull(level, 1)', 'any'],
  ["concat(level, '')", 'text'],
  ["json_value(event_message, '$.a')", 'text'],
  ["level = 'a'", 'boolean'],
  ['length(id) + 1', 'integer'],
  ['length(id) / 2', 'double'],
  ['if(true, 1, 2.5)', 'integer'],
  ['if(level is null, 1, 2.5)', 'double'],
  ["if(level is null, 1, 'a')", 'any'],
  ['split(id)', 'any'],
  ['safe_cast(level as float64)', 'double'],
])('the type of %s is %s', (expression, kind) => {
  expect(kinds(`select ${expression} as x from auth_logs`)).toEqual([`x: ${kind}`])
})

it('columns of a union have a type if all parts have it', () => {
  expect(kinds("select 1 as a, 'x' as b, 1 as c union all select 2, 'y', null")).toEqual([
    'a: integer',
    'b: text',
    'c: any',
  ])
})
