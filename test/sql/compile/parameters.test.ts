import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/plan/answer.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { NOW_US } from '../cases/case.js'
import { SHOP } from '../cases/records.js'

async function rowsOf(sql: string, args: Record<string, Scalar>): Promise<Row[]> {
  const engine = openEngine()
  await appendAll(engine, SHOP)
  const rows: Row[] = []
  for await (const row of await engine.run(readSql(sql).plan(args, NOW_US))) rows.push(row)
  await engine.close()
  return rows
}

describe('parameters', () => {
  it('are named by the query, once each', () => {
    const { parameters } = readSql("select @a, '@b', `@c` -- @d\n from edge_logs where id = @e and id = @a limit @f")
    expect([...parameters]).toEqual(['a', 'e', 'f'])
  })

  it('are refused, with the place of the first, where only values are written', () => {
    const refused = (sql: string) => () => readSql(sql).refuseParameters()
    const message = 'The query has the parameter @b, but only stored queries have parameters. Write its value.'
    expect(refused("select '@a', `@a` -- @a\nfrom edge_logs where id = @b or id = @c or id = @b")).toThrow(
      `${message} (line 2, column 27)`,
    )
    expect(refused('with t as (select @b as x) select 1')).toThrow(`${message} (line 1, column 19)`)
    expect(refused("select '@a' as x")).not.toThrow()
  })

  it('are values wherever an expression is', async () => {
    const sql = `select id from edge_logs where request.method = @method and response.status_code >= @least
      and regexp_contains(request.path, @pattern) order by id limit @rows`
    const args = { method: 'GET', least: 400, pattern: '^/(rest|storage)/', rows: 1 }
    expect(await rowsOf(sql, args)).toEqual([{ id: 'e4' }])
    expect(await rowsOf(sql, { ...args, rows: 9 })).toEqual([{ id: 'e4' }, { id: 'e5' }])
  })

  it('that are null make an optional condition', async () => {
    const sql = 'select count(*) as n from auth_logs where @level is null or level = @level'
    expect(await rowsOf(sql, { level: null })).toEqual([{ n: 3 }])
    expect(await rowsOf(sql, { level: 'error' })).toEqual([{ n: 1 }])
  })

  it('may name a unit of time', () => {
    const plan = (bucket: Scalar) =>
      readSql('select timestamp_trunc(timestamp, @bucket) as t from edge_logs').plan({ bucket }, NOW_US)
    expect(plan('hour')).toEqual(
      readSql('select timestamp_trunc(timestamp, hour) as t from edge_logs').plan({}, NOW_US),
    )
    expect(() => plan('fortnight')).toThrow(/^fortnight is no unit of time\. .* \(line 1, column 35\)$/)
    expect(() => plan(null)).toThrow(/^A unit of time .* \(line 1, column 35\)$/)
  })

  it('are data, whatever they spell', async () => {
    const level = "error' or 'a' = 'a"
    expect(await rowsOf('select count(*) as n from auth_logs where level = @level', { level })).toEqual([{ n: 0 }])
  })

  it('fail where they do not fit', () => {
    const plan = (sql: string, args: Record<string, Scalar>) => () => readSql(sql).plan(args, NOW_US)
    expect(plan('select @a as x', {})).toThrow(
      'The parameter @a has no value. Parameters are declared in the files of stored queries. (line 1, column 8)',
    )
    expect(plan('select 1 as x limit @n', { n: -1 })).toThrow(
      'LIMIT takes a whole number from 0, or a parameter. (line 1, column 21)',
    )
    expect(plan('select id from edge_logs\nwhere regexp_contains(id, @p)', { p: '(' })).toThrow(
      'The pattern is not valid RE2: missing ): (. (line 2, column 7)',
    )
    expect(plan('select id from edge_logs where timestamp > @t', { t: 'x' })).toThrow(
      '"x" is no time. Write it as ISO 8601: 2026-11-24T12:00:00Z. (line 1, column 44)',
    )
  })

  it('of one call leave the next call alone', () => {
    const query = readSql('select @a as x')
    const first = query.plan({ a: 1 }, NOW_US)
    expect(query.plan({ a: 1 }, NOW_US)).toEqual(first)
    expect(query.plan({ a: 2 }, NOW_US)).not.toEqual(first)
  })
})

it('EXPLAIN is known before a text is compiled', () => {
  expect(readSql('explain select 1 as x').isExplain).toBe(true)
  expect(readSql('select 1 as explain').isExplain).toBe(false)
})
