import { beforeAll, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/arrow/engine.js'
import { limited } from '../../src/plan/limited.js'
import { SQL_LIMITS, type SqlLimits } from '../../src/sql/parse/limits.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'

const NOW_US = Date.UTC(2026, 10, 26) * 1000

const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('')
const nested = (count: number, before: string, inner: string, after: string): string =>
  before.repeat(count) + inner + after.repeat(count)
/** Common table expressions of which each is made of the one before it. */
const chained = (count: number, next: (before: string) => string): string => {
  const tables = times(count, (i) => `, a${i + 1} as (${next(`a${i}`)})`)
  return `with a0 as (select id as x from edge_logs)${tables} select * from a${count}`
}

describe('a text of SQL', () => {
  const limits: SqlLimits = { textBytes: 200, expressions: 20, levels: 8, scans: 3, unnests: 2 }
  const plan = (text: string, some: Partial<SqlLimits> = {}) =>
    readSql(text, { ...SQL_LIMITS, ...some }).plan({}, NOW_US)
  const refused = (message: string) => expect.objectContaining({ code: 'unsupported_sql', message })

  it('may have so many bytes', () => {
    const text = `select '${'é'.repeat(95)}'`
    expect(Buffer.byteLength(text)).toBe(199)
    expect(plan(`${text} `, limits)).toBeDefined()
    expect(() => plan(`${text}  `, limits)).toThrow(refused('The text is longer than 200 bytes. (line 1, column 1)'))
  })

  it('may have so many expressions, and more are refused at their place', () => {
    const some = { expressions: 12 }
    expect(plan(`select ${times(10, (i) => `${i}, `)}1, 2`, some)).toBeDefined()
    expect(() => plan(`select ${times(10, (i) => `${i}, `)}1, 2, 3`, some)).toThrow(
      refused('The text has more than 12 expressions. (line 1, column 44)'),
    )
  })

  it('counts the expressions of a common table expression at each use', () => {
    const text = (uses: number) =>
      `with a as (select 1 + 2 + 3 as x) select x from a${times(uses - 1, () => ' union all select x from a')}`
    expect(plan(text(2), { expressions: 12 })).toBeDefined()
    expect(() => plan(text(3), { expressions: 13 })).toThrow(
      refused('The query has more than 13 expressions. (line 1, column 101)'),
    )
  })

  it('may be nested so deep', () => {
    expect(plan(`select ${nested(6, '(', '1', ')')}`, limits)).toBeDefined()
    expect(() => plan(`select ${nested(8, '(', '1', ')')}`, limits)).toThrow(
      refused('The text is nested deeper than 8 levels. (line 1, column 15)'),
    )
    expect(() => plan(`select 1${'+ 1'.repeat(8)}`, limits)).toThrow(
      refused('The text is nested deeper than 8 levels. (line 1, column 8)'),
    )
  })

  it('counts the levels of common table expressions', () => {
    const text = (count: number) => chained(count, (before) => `select * from ${before}`)
    expect(plan(text(5), { levels: 8 })).toBeDefined()
    expect(() => plan(text(9), { levels: 8 })).toThrow(
      /^The query is nested deeper than 8 levels\. \(line 1, column \d+\)$/,
    )
  })

  it('may join so many lists', () => {
    const text = (count: number) => `select id from edge_logs${', unnest(list)'.repeat(count)}`
    expect(plan(text(2), limits)).toBeDefined()
    expect(() => plan(text(3), limits)).toThrow(refused('The query has more than 2 lists. (line 1, column 53)'))
  })

  it('may read so many tables', () => {
    const text = (count: number) => `select id from edge_logs${' union all select id from edge_logs'.repeat(count - 1)}`
    expect(plan(text(3), limits)).toBeDefined()
    expect(() => plan(text(4), { scans: 3 })).toThrow(refused('The query has more than 3 tables. (line 1, column 121)'))
  })
})

/** Texts that cost too much if a limit were missing, or a stack were used up; each is run or refused. */
const ATTACKS: readonly (readonly [string, string])[] = [
  [
    '30 common table expressions that double rows',
    chained(30, (before) => `select * from ${before} union all select * from ${before}`),
  ],
  [
    '30 common table expressions that double a text',
    chained(30, (before) => `select concat(x, x) as x from ${before}`),
  ],
  ['10 that double a text', chained(10, (before) => `select concat(x, x) as x from ${before}`)],
  ['nested replace', `select ${nested(200, 'replace(', `'${'x'.repeat(900)}'`, `, 'x', '${'y'.repeat(100)}')`)}`],
  ['nested replace of a column', `select ${nested(30, 'replace(', `id`, `, 'a', 'aaaaaaaaaa')`)} from edge_logs`],
  ['nested upper', `select ${nested(900, 'upper(', `'${'x'.repeat(900)}'`, ')')}`],
  [
    'three unnests of 1,000 elements',
    'select count(*) from edge_logs cross join unnest(list) a cross join unnest(list) b cross join unnest(list) c',
  ],
  ['2,000 unnests', `select count(*) from edge_logs ${'cross join unnest(metadata) '.repeat(2_000)}`],
  ['10,000 terms', `select id from edge_logs where ${times(10_000, () => 'a=1 or ')} b`],
  ['3,000 terms', `select id from edge_logs where ${times(3_000, (i) => `level = ${i} or `)} false`],
  ['9,000 elements of IN', `select id from edge_logs where status in (${times(9_000, (i) => `${i},`)} 1)`],
  ['9,000 columns', `select ${'a,'.repeat(9_000)} a from edge_logs`],
  ['1,000 levels of parentheses', `select ${nested(998, '(', '1', ')')}`],
  ['2,000 levels of parentheses', `select ${nested(2_000, '(', '1', ')')}`],
  ['60,000 parentheses', `select ${'('.repeat(60_000)}`],
  ['990 levels of a function', `select ${nested(990, 'lower(', 'id', ')')} from edge_logs`],
  ['490 levels of operators', `select id from edge_logs where ${nested(490, 'not (level = ', '1', ')')}`],
  ['900 levels of CASE', `select ${nested(900, 'case when level = 1 then ', 'id', ' end')} from edge_logs`],
  ['900 derived tables', `select id from ${nested(900, '(select * from ', 'edge_logs', ')')}`],
  ['900 derived tables with a limit', `select id from ${nested(900, '(select * from ', 'edge_logs', ' limit 5)')}`],
  [
    '90 derived tables of unions',
    `select id from ${nested(90, '(select id from edge_logs union all select id from ', 'edge_logs', ')')}`,
  ],
  [
    '90 subqueries',
    `select id from edge_logs where ${nested(90, 'id in (select id from edge_logs where ', 'true', ')')}`,
  ],
  ['30,000 additions', `select ${'1+'.repeat(30_000)}1`],
  ['15,000 negations', `select ${'not '.repeat(15_000)}true`],
  ['30,000 signs', `select ${'- '.repeat(30_000)}1`],
  ['12,000 CASE', `select ${'case '.repeat(12_000)}`],
  ['20,000 brackets', `select ${'a['.repeat(20_000)}`],
  ['a text without an end', `select ${"'".repeat(60_001)}`],
  ['a comment without an end', `select ${'/*'.repeat(30_000)}`],
  [
    'an exponential pattern',
    "select id from edge_logs where regexp_contains(event_message, '^(a+)+$') " +
      `or event_message like '${'%a'.repeat(200)}b'`,
  ],
  [
    '800 patterns',
    `select id from edge_logs where ${times(800, (i) => `regexp_contains(event_message, 'x+y${i}') or `)} false`,
  ],
]

describe('the engine with a text that costs much', () => {
  let engine: ArrowEngine
  beforeAll(async () => {
    engine = openEngine()
    const list = Array.from({ length: 1_000 }, (_, i) => ({ i }))
    const message = `${'a'.repeat(5_000)}!`
    await appendAll(engine, [edge({ id: 'a'.repeat(100), event_message: message, metadata: { list, status: 1 } })])
  })

  for (const [name, text] of ATTACKS) {
    it(`answers, or refuses it: ${name}`, async () => {
      const outcome = await outcomeOf(text)
      expect(outcome).toMatch(/^(?:rows|invalid_sql|unsupported_sql|too_much_memory)$/)
    })
  }

  async function outcomeOf(text: string): Promise<string> {
    try {
      await readAll(
        await engine.run(limited(readSql(text).plan({}, NOW_US), 1_000), { signal: AbortSignal.timeout(50_000) }),
      )
      return 'rows'
    } catch (error) {
      const { code, stack } = error as { code?: string; stack?: string }
      return typeof code === 'string' ? code : String(stack)
    }
  }
})
