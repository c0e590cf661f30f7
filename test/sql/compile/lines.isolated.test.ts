import { describe, expect, it } from 'vitest'
import { compileLines } from '../../../src/lines/execute/compile.js'
import { readSql } from '../../../src/sql/read-sql.js'

const compile = (sql: string) => compileLines(sql, 0)
const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return `${code}: ${message}`
  }
  return undefined
}

describe('the table of lines', () => {
  it.each([
    'select * from lines',
    'select * from LINES',
    'select * from `lines`',
    'select l.line from lines l',
    'select lines.line, lines.timestamp, lines.level from lines',
    'select lines.`timestamp`, lines.`line` from lines',
    'select metadata, id, project, event_message from lines',
    'select a.b.c.`d e`.f from lines',
    'select x.* from (select line from lines) as x',
    'with lines as (select 1 as a) select a from lines',
    'explain select * from lines',
    'select 1',
  ])('is read by %s', (sql) => expect(refusal(() => compile(sql))).toBeUndefined())

  it.each<[sql: string, message: string]>([
    [
      'select * from line',
      'invalid_sql: There is no table line. The lines are the table lines: from lines (line 1, column 15)',
    ],
    [
      'select *\nfrom edge_logs',
      'invalid_sql: There is no table edge_logs. The lines are the table lines: from lines (line 2, column 6)',
    ],
    [
      'select * from view.a',
      'invalid_sql: There is no table a. The lines are the table lines: from lines (line 1, column 15)',
    ],
    [
      'select * from view.lines',
      'invalid_sql: There is no table lines. The lines are the table lines: from lines (line 1, column 15)',
    ],
    [
      'select @a from lines',
      'unsupported_sql: The query has the parameter @a, but only stored ' +
        'queries have parameters. Write its value. (line 1, column 8)',
    ],
    ['select a from lines l where lines.b = 1', ''],
    ['select nothing(a) from lines', ''],
    ['select from lines', ''],
    ['select a', ''],
    ['drop table lines', ''],
    ["select regexp_contains(line, '(') from lines", ''],
    ['select * from (select line from lines) where a = 1', ''],
  ])('is not read by %s', (sql, message) => {
    const refused = refusal(() => compile(sql))
    expect(refused).toMatch(/^(invalid_sql|unsupported_sql|invalid_pattern): .* \(line \d+, column \d+\)$/)
    if (message !== '') expect(refused).toBe(message)
  })

  it('is no table of a service that stores no such source', () => {
    expect(refusal(() => readSql('select * from other_lines').plan({}, 0))).toMatch(/^invalid_sql: /)
  })
})

describe('a query that may read lines several times', () => {
  const behind = 'may read the lines several times, and the standard input comes once: name a file.'

  it.each<[sql: string, clause: string, place: string]>([
    ['select a from lines union all select b from lines', 'UNION ALL', '(line 1, column 31)'],
    ['with x as (select 1 as a from lines)\nselect a from x', 'WITH', '(line 1, column 6)'],
    ['select a from lines where b in (select b from lines)', 'IN (select …)', '(line 1, column 27)'],
    ['select a from lines where b not in (select b from lines)', 'IN (select …)', '(line 1, column '],
    ['select * from (\n  select a from lines union all select 1\n)', 'UNION ALL', '(line 2, column '],
    ['select a from lines group by a having a in (select 1)', 'IN (select …)', '(line 1, column '],
    ['select if(a in (select 1), 1, 2) from lines', 'IN (select …)', '(line 1, column '],
  ])('is refused for a pipe: %s', (sql, clause, place) => {
    const { refuseSeveralReads } = compile(sql)
    const message = refusal(refuseSeveralReads)!
    expect(message).toContain(`unsupported_sql: ${clause} ${behind} ${place}`)
  })

  it.each([
    'select a from lines where b in (1, 2)',
    'select a, count(*) from (select a from lines) group by a',
    "select a from lines where line like '%union all%'",
    'select e from lines, unnest(a) as e where e in unnest([1, 2])',
  ])('is none: %s', (sql) => {
    const refused = refusal(() => compile(sql).refuseSeveralReads())
    expect(refused ?? '').not.toContain('standard input')
  })
})

describe('a stage in threads', () => {
  it.each<[sql: string, isSingle: boolean]>([
    ['select a from lines', true],
    ['select a, count(*) from lines group by a', true],
    ['select count(*) from (select a from lines order by a limit 3)', true],
    ['select max(n) from (select a, count(*) as n from lines group by a)', true],
    ['select a from lines union all select a from lines', false],
    ['select a from lines where a in (select b from lines)', false],
    ['select a from lines where a in (select 1)', false],
    ['select 1', false],
  ])('%s: %s', (sql, isSingle) => expect(compile(sql).stage !== undefined).toBe(isSingle))
})
