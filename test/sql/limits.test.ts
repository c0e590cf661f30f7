import { beforeAll, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { limited } from '../../src/plan/limited.js'
import { schemaOf } from '../../src/plan/schema.js'
import { SQL_LIMITS, type SqlLimits } from '../../src/sql/parse/limits.js'
import { readSql } from '../../src/sql/read-sql.js'
import { COSTLY_TEXTS, chained, nested, times } from '../support/costly-sql.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'

const NOW_US = Date.UTC(2026, 10, 26) * 1000

describe('a text of SQL', () => {
  const limits: SqlLimits = { textBytes: 200, expressions: 20, levels: 8, scans: 3, unnests: 2, columns: 4 }
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

  it('may return so many columns', () => {
    expect(plan('select 1, 2, 3, 4', limits)).toBeDefined()
    expect(() => plan('select 1, 2, 3, 4, 5', limits)).toThrow(
      refused('A SELECT has more than 4 columns. (line 1, column 20)'),
    )
  })

  it('may have so many keys', () => {
    const some = { ...limits, expressions: 100 }
    expect(plan('select a from edge_logs group by 1, a, b, c', some)).toBeDefined()
    expect(() => plan('select a from edge_logs group by 1, a, b, c, d', some)).toThrow(
      refused('GROUP BY has more than 4 keys. (line 1, column 46)'),
    )
    expect(plan('select a from edge_logs order by 1, a, b, c', some)).toBeDefined()
    expect(() => plan('select a from edge_logs order by 1, a, b, c, d', some)).toThrow(
      refused('ORDER BY has more than 4 keys. (line 1, column 46)'),
    )
    expect(() =>
      plan('select a from edge_logs union all select b from edge_logs order by 1, 1, 1, 1, a', some),
    ).toThrow(refused('ORDER BY has more than 4 keys. (line 1, column 80)'))
  })

  it('may join so many lists', () => {
    const text = (count: number) => `select id from edge_logs${', unnest(list)'.repeat(count)}`
    expect(plan(text(2), limits)).toBeDefined()
    expect(() => plan(text(3), limits)).toThrow(refused('The query has more than 2 lists. (line 1, column 53)'))
  })

  const path = (keys: number) => Array.from({ length: keys }, () => 'a').join('.')
  const PLACES: readonly ((path: string) => string)[] = [
    (path) => `select ${path} from edge_logs`,
    (path) => `select metadata.${path} as x from edge_logs`,
    (path) => `select t.${path} as x from edge_logs t`,
    (path) => `select m.${path} as x from edge_logs, unnest(metadata) m`,
    (path) => `select ${path} as x from edge_logs, unnest(metadata) m, unnest(m.request) r`,
    (path) => `select 1 as x from edge_logs where ${path} = 1`,
    (path) => `select 1 as x from edge_logs where ${path}`,
    (path) => `select 1 as x from edge_logs group by ${path}`,
    (path) => `select 1 as x from edge_logs order by ${path}`,
    (path) => `select metadata as m from edge_logs order by m.${path}`,
    (path) => `select count(*) as n from edge_logs having max(${path}) = 1`,
    (path) => `select count(${path}) as c from edge_logs`,
    (path) => `select string_agg(${path}) as c from edge_logs`,
    (path) => `select lower(${path}) as x from edge_logs`,
    (path) => `select 1 as x from edge_logs cross join unnest(${path}) as m`,
    (path) => `select x.${path} from (select metadata as x from edge_logs)`,
    (path) => `select id from edge_logs where id in (select ${path} from edge_logs)`,
    (path) => `select id from edge_logs where ${path} in (select id from edge_logs)`,
    (path) => `select id from edge_logs union all select id from edge_logs order by id.${path}`,
  ]
  for (const textOf of PLACES) {
    it(`may have a path of so many steps: ${textOf('…')}`, () => {
      expect(() => schemaOf(plan(textOf(path(5))))).not.toThrow(TypeError)
      const code = expect.stringMatching(/^(?:un|inval).*_sql$/)
      expect(() => plan(textOf(path(129)))).toThrow(expect.objectContaining({ code }))
      expect(() => plan(textOf(path(5_000)))).toThrow(expect.objectContaining({ code }))
    })
  }

  it('may read so many tables', () => {
    const text = (count: number) => `select id from edge_logs${' union all select id from edge_logs'.repeat(count - 1)}`
    expect(plan(text(3), limits)).toBeDefined()
    expect(() => plan(text(4), { scans: 3 })).toThrow(refused('The query has more than 3 tables. (line 1, column 121)'))
  })
})

describe('the engine with a text that costs much', () => {
  let engine: ArrowEngine
  beforeAll(async () => {
    engine = openEngine()
    const list = Array.from({ length: 1_000 }, (_, i) => ({ i }))
    const message = `${'a'.repeat(5_000)}!`
    await appendAll(engine, [edge({ id: 'a'.repeat(100), event_message: message, metadata: { list, status: 1 } })])
  })

  for (const [name, text] of COSTLY_TEXTS) {
    it(`answers, or refuses it: ${name}`, async () => {
      const outcome = await outcomeOf(text)
      expect(outcome).toMatch(/^(?:rows|invalid_sql|unsupported_sql|too_much_memory|invalid_pattern)$/)
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
