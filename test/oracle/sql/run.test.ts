import { describe, expect, it } from 'vitest'
import { database, edge, type TestRecord } from '../../support/records.js'
import { answerOf, errorOf, NOW_US, type Plain } from './answers.js'
import { runSql } from './run.js'

/** Requests: the list of the first record has two elements, the last record has no request. */
const RECORDS: readonly TestRecord[] = [
  edge({
    id: 'a',
    timestampUs: 1,
    event_message: 'first',
    metadata: '{"request":[{"path":"/a","n":1},{"path":"/b"}],"level":"info","a.b":{"Key":5}}',
  }),
  edge({ id: 'b', timestampUs: 2, project: 'q', metadata: '{"request":{"path":"/c","n":1.50},"level":12}' }),
  edge({ id: 'c', timestampUs: 2, metadata: '[{"request":"text","level":null},{"level":"second"}]' }),
  database({ id: 'd', timestampUs: 4, metadata: '{"level":"info"}' }),
]

const rowsOf = (sql: string): Plain[] => answerOf(sql, RECORDS)
/** The only column of the rows. */
const column = (sql: string): unknown[] => rowsOf(sql).map((row) => Object.values(row)[0])

describe('statement', () => {
  it('is one SELECT, with comments, a trailing comma and a semicolon', () => {
    const text = `select id, -- it's
      # "no text
      /* 'none */ level,
      from edge_logs where id = 'b';`
    expect(rowsOf(text)).toEqual([{ id: 'b', level: 12 }])
    expect(errorOf('select 1; select 2')).toBe('invalid_sql')
    expect(errorOf('select')).toBe('invalid_sql')
    expect(errorOf("select 'open")).toBe('invalid_sql')
    expect(errorOf('delete from edge_logs where true')).toBe('unsupported_sql')
    expect(errorOf('explain select 1')).toBe('unsupported_sql')
  })

  it('needs no FROM', () => {
    expect(rowsOf('select 1 as one, null as none')).toEqual([{ one: 1, none: null }])
    expect(rowsOf('select count(*) as n')).toEqual([{ n: 1 }])
    expect(errorOf('select level')).toBe('invalid_sql')
  })

  it('may have common table expressions, which hide sources and are used several times', () => {
    const text = `with Low as (select id, level from edge_logs), edge_logs as (select id as x from low where level = 12)
      select x from edge_logs union all select id from LOW`
    expect(column(text)).toEqual(['b', 'a', 'b', 'c'])
    expect(errorOf('with a as (select 1) select * from b')).toBe('invalid_sql')
    expect(errorOf('with unused as (select upper(1, 2)) select 1')).toBe('invalid_sql')
    expect(errorOf('with recursive a as (select 1 as x) select x from a')).toBe('unsupported_sql')
  })

  it('may be a union, whose columns have the names of the first', () => {
    const text = "select id as x from edge_logs union all select 'z' union all (select 'y') order by x desc limit 3"
    expect(rowsOf(text)).toEqual([{ x: 'z' }, { x: 'y' }, { x: 'c' }])
    expect(column("select id from edge_logs union all select 'z' order by 1 desc limit 1")).toEqual(['z'])
    expect(errorOf('select 1 union all select 2, 3')).toBe('invalid_sql')
    expect(errorOf('select 1 union distinct select 1')).toBe('unsupported_sql')
    expect(errorOf('select 1 except distinct select 1')).toBe('unsupported_sql')
  })

  it('may read derived tables', () => {
    expect(rowsOf('select * from (select id, upper(id) as Up from edge_logs) as d where d.UP = "B"')).toEqual([
      { id: 'b', Up: 'B' },
    ])
    expect(column('select id from (select id from edge_logs order by id desc limit 2 offset 1)')).toEqual(['b', 'a'])
    expect(column('select level from (select metadata from edge_logs)')).toEqual(['info', 12, null])
    expect(errorOf('select level from (select id from edge_logs)', RECORDS)).toBe('invalid_sql')
  })

  it('has IN over another query', () => {
    expect(column("select id from edge_logs where id in (select 'a' union all select 'c')")).toEqual(['a', 'c'])
    expect(column("select id not in (select 'a' union all select null) as x from edge_logs")).toEqual([
      false,
      null,
      null,
    ])
    expect(column('select id in (select 1 from edge_logs where false) as x from edge_logs where id = "a"')).toEqual([
      false,
    ])
    expect(
      rowsOf('select count(*) as n, countif(id in (select "a")) as k from edge_logs having n in (select 3)'),
    ).toEqual([{ n: 3, k: 1 }])
    expect(errorOf('select 1 in (select 1, 2)')).toBe('invalid_sql')
  })

  it('has no joins, windows, scalar subqueries and the like', () => {
    const unsupported = [
      'select 1 from edge_logs, auth_logs',
      'select 1 from edge_logs as a join auth_logs as b on a.id = b.id',
      'select 1 from edge_logs full join unnest(request) on true',
      'select 1 from unnest(request)',
      'select 1 from edge_logs, unnest(request) with offset',
      'select (select 1)',
      'select exists(select 1)',
      'select count(*) over () from edge_logs',
      'select * except (id) from edge_logs',
      'select id from edge_logs qualify true',
      "select id like 'a' escape 'b' from edge_logs",
      'select array_agg(struct(id)) from edge_logs',
      'select sum(distinct level) from edge_logs',
      'select array_agg(id order by id) from edge_logs',
      'select cast(1 as numeric)',
      'select [1, 2]',
      "select timestamp('2026-01-01', 'Europe/Berlin')",
    ]
    expect(unsupported.map((text) => errorOf(text))).toEqual(unsupported.map(() => 'unsupported_sql'))
  })
})

describe('FROM and unnest', () => {
  it('name sources by name or alias, in any case', () => {
    expect(column('select id from `Edge_Logs` t where t.id = "a"')).toEqual(['a'])
    expect(column('select edge_logs.id from edge_logs limit 1')).toEqual(['a'])
    expect(column('select id from `postgres.logs`')).toEqual(['d'])
    expect(column('select id from cloudflare.logs.prod as c')).toEqual(['a', 'b', 'c'])
    expect(errorOf('select id from edge_log')).toBe('invalid_sql')
  })

  it('make one row of an object, and one for each element of a list', () => {
    const joins = [
      'cross join unnest(request) as r',
      ', unnest(request) r',
      ', unnest(t.metadata) m cross join unnest(m.request) r',
    ]
    for (const join of joins) {
      expect(rowsOf(`select id, r.path from edge_logs as t ${join}`)).toEqual([
        { id: 'a', path: '/a' },
        { id: 'a', path: '/b' },
        { id: 'b', path: '/c' },
      ])
    }
    expect(rowsOf('select id, m.level from edge_logs t cross join unnest(t.metadata) as m')).toEqual([
      { id: 'a', level: 'info' },
      { id: 'b', level: 12 },
      { id: 'c', level: null },
      { id: 'c', level: 'second' },
    ])
  })

  it('keep a row of nulls with a left join', () => {
    const text = 'select id, r.path, r from edge_logs left join unnest(request) as r on'
    expect(rowsOf(`${text} true where id != 'a'`)).toEqual([
      { id: 'b', path: '/c', r: { path: '/c', n: 1.5 } },
      { id: 'c', path: null, r: null },
    ])
    expect(errorOf(`${text} false`)).toBe('invalid_sql')
    expect(errorOf('select r.path from edge_logs left join unnest(request) as r')).toBe('invalid_sql')
  })
})

describe('names', () => {
  it('are aliases, then columns, then fields', () => {
    expect(rowsOf("select request.path, metadata.request.n, t.level, t.id from edge_logs t where id = 'b'")).toEqual([
      { path: '/c', n: 1.5, level: 12, id: 'b' },
    ])
    // An unnest hides a column.
    expect(column('select id.path from edge_logs, unnest(request) as id where id.n = 1')).toEqual(['/a'])
  })

  it('are row by row the first value of the unnests, innermost first, then of the metadata', () => {
    const join = 'from edge_logs cross join unnest(metadata) left join unnest(request) on true'
    expect(rowsOf(`select id, path, level, n ${join}`)).toEqual([
      { id: 'a', path: '/a', level: 'info', n: 1 },
      { id: 'a', path: '/b', level: 'info', n: null },
      { id: 'b', path: '/c', level: 12, n: 1.5 },
      { id: 'c', path: null, level: null, n: null },
      { id: 'c', path: null, level: 'second', n: null },
    ])
    expect(column(`select request.path ${join} where id = 'a'`)).toEqual(['/a', '/a'])
  })

  it('ignore case, but for keys', () => {
    expect(
      rowsOf('select T.ID as Id, M.level as l, m.Level as none from edge_logs t, unnest(Metadata) m limit 1'),
    ).toEqual([{ Id: 'a', l: 'info', none: null }])
    expect(column('select m.`a.b`.Key from edge_logs, unnest(metadata) as m limit 1')).toEqual([5])
    expect(column('select `a.b`.key from edge_logs limit 1')).toEqual([null])
  })
})

describe('a subquery', () => {
  it('has no names of the tables around it', () => {
    const inner = (query: string) => errorOf(`select 1 from edge_logs t, unnest(request) r where level in (${query})`)
    expect(inner('select p.level from auth_logs p where p.id = t.id')).toBe('unsupported_sql')
    expect(inner('select T.level from auth_logs')).toBe('unsupported_sql')
    expect(inner('select r from auth_logs')).toBe('unsupported_sql')
    expect(inner('select lower(r.path) from auth_logs')).toBe('unsupported_sql')
    expect(inner('select r.path')).toBe('unsupported_sql')
    expect(inner('with c as (select t.level from auth_logs) select level from c')).toBe('unsupported_sql')
    expect(inner('select level from (select t.level from auth_logs)')).toBe('unsupported_sql')
    expect(inner('select 1 union all (select t.level from auth_logs)')).toBe('unsupported_sql')
    expect(inner('select 1 from auth_logs where level in (select t.level from edge_logs)')).toBe('unsupported_sql')
    expect(inner('select level from auth_logs, unnest(t.x)')).toBe('unsupported_sql')
  })

  it('has its own names', () => {
    const ids = (query: string) => column(`select t.id from edge_logs t where t.id in (${query})`)
    expect(ids('select metadata.t.id from edge_logs')).toEqual([])
    expect(ids('select t.id from edge_logs t')).toEqual(['a', 'b', 'c'])
    expect(ids("select t.id from edge_logs, unnest(metadata) t where t.level = 'info'")).toEqual([])
    expect(ids('select t from (select id as t from edge_logs)')).toEqual(['a', 'b', 'c'])
    expect(column('select t.id from (select t.id from edge_logs) t')).toEqual([null, null, null])
  })
})

describe('SELECT', () => {
  it('names its columns', () => {
    const text =
      'select request.path, 1, upper(id), level as path, t.level Level, level, max(n) from edge_logs t group by 1, 3, 4'
    const [row] = rowsOf(text)
    expect(Object.keys(row!)).toEqual(['path', 'f0_', 'f1_', 'path_1', 'Level', 'level_1', 'f2_'])
  })

  it('has all columns for *', () => {
    const all = { id: 'd', timestamp: 4, event_message: '', project: 'a', metadata: [{ level: 'info' }] }
    expect(rowsOf('select * from postgres_logs')).toEqual([all])
    expect(rowsOf('select p.*, 1 as one from postgres_logs p')).toEqual([{ ...all, one: 1 }])
    expect(errorOf('select x.* from postgres_logs p')).toBe('invalid_sql')
  })

  it('returns JSON with each object in a list', () => {
    expect(rowsOf('select metadata, request, to_json_string(request) as t from edge_logs where id <= "b"')).toEqual([
      {
        metadata: [{ request: [{ path: '/a', n: 1 }, { path: '/b' }], level: 'info', 'a.b': [{ Key: 5 }] }],
        request: [{ path: '/a', n: 1 }, { path: '/b' }],
        t: '[{"path":"/a","n":1},{"path":"/b"}]',
      },
      {
        metadata: [{ request: [{ path: '/c', n: 1.5 }], level: 12 }],
        request: [{ path: '/c', n: 1.5 }],
        t: '{"path":"/c","n":1.50}',
      },
    ])
  })

  it('may be distinct', () => {
    expect(column('select distinct level from edge_logs order by level desc')).toEqual(['info', 12, null])
    expect(column('select distinct project from edge_logs order by upper(project) desc')).toEqual(['q', 'a'])
    expect(rowsOf('select distinct count(*) as n from edge_logs group by id')).toEqual([{ n: 1 }])
    expect(errorOf('select distinct level from edge_logs order by id', RECORDS)).toBe('invalid_sql')
  })
})

describe('WHERE', () => {
  it('keeps rows for which the condition is true', () => {
    const ids = (where: string) => column(`select id from edge_logs where ${where}`).join('')
    expect(ids("level = 'info' or level = 12")).toBe('ab')
    expect(ids("not level = 'info'")).toBe('b')
    expect(ids("level != 'info'")).toBe('b')
    expect(ids("level <> 'info'")).toBe('b')
    expect(ids('level is null')).toBe('c')
    expect(ids('level is not null')).toBe('ab')
    expect(ids("(level = 'info') is not true")).toBe('bc')
    expect(ids("(level = 'info') is true")).toBe('a')
    expect(ids("(level = 'info') is false")).toBe('b')
    expect(ids("(level = 'info') is not false")).toBe('ac')
    expect(ids("level in ('info', 3)")).toBe('a')
    expect(ids("level not in ('info', 3)")).toBe('b')
    expect(ids('level between 10 and 12')).toBe('b')
    expect(ids('id not between "b" and "c"')).toBe('a')
    expect(ids("level like '%n_o' or level like '1%'")).toBe('ab')
    expect(ids("id not like 'a'")).toBe('bc')
    expect(ids("id ilike 'A'")).toBe('a')
    expect(ids("id > 'a' and id < 'c'")).toBe('b')
    expect(ids("id >= 'b' and id <= 'b'")).toBe('b')
    expect(ids('request.n = "1.5"')).toBe('b')
    expect(ids("timestamp >= '1970-01-01T00:00:00.000002Z'")).toBe('bc')
  })

  it('sees no error of a row that does not reach the expression', () => {
    const failing = 'cast(level as int64)'
    expect(column(`select id from edge_logs where id = 'b' and ${failing} = 12`)).toEqual(['b'])
    expect(column(`select if(id = 'a', 0, ${failing}) as x from edge_logs`)).toEqual([0, 12, null])
    expect(column(`select case when id != 'a' then ${failing} end as x from edge_logs`)).toEqual([null, 12, null])
    expect(column(`select id = 'a' or ${failing} = 12 as x from edge_logs`)).toEqual([true, true, null])
    expect(errorOf(`select ${failing} from edge_logs`, RECORDS)).toBe('invalid_sql')
    expect(errorOf(`select 1 from edge_logs where ${failing} = 1 or true`, RECORDS)).toBe('invalid_sql')
  })
})

describe('GROUP BY and HAVING', () => {
  it('group by output names, numbers, fields and expressions', () => {
    const expected = [
      { day: 12, n: 1 },
      { day: 'info', n: 1 },
      { day: null, n: 1 },
    ]
    for (const key of ['day', 'DAY', '1', 'level', 'metadata.level']) {
      const text = `select level as day, count(*) as n from edge_logs group by ${key} order by day nulls last`
      expect(rowsOf(text)).toEqual(expected)
    }
    expect(rowsOf('select upper(level), max(id) as m from edge_logs group by upper(level) order by m')).toEqual([
      { f0_: 'INFO', m: 'a' },
      { f0_: '12', m: 'b' },
      { f0_: null, m: 'c' },
    ])
  })

  it('prefer an output name, if it is the whole key', () => {
    const text = (key: string) => `select 'x' as level, count(*) as n from edge_logs group by ${key}`
    expect(rowsOf(text('level'))).toEqual([{ level: 'x', n: 3 }])
    expect(rowsOf(text('lower(level)'))).toHaveLength(3)
    const bucket =
      'select timestamp_trunc(timestamp, second) as timestamp, max(timestamp) as m from edge_logs group by timestamp'
    expect(rowsOf(bucket)).toEqual([{ timestamp: 0, m: 2 }])
  })

  it('refuse what is neither a key nor an aggregate', () => {
    expect(errorOf('select id, count(*) from edge_logs')).toBe('invalid_sql')
    expect(errorOf('select id from edge_logs group by level')).toBe('invalid_sql')
    expect(errorOf('select count(*) as n from edge_logs group by n')).toBe('invalid_sql')
    expect(errorOf('select id from edge_logs where count(*) > 1')).toBe('invalid_sql')
    expect(errorOf('select sum(count(*)) from edge_logs')).toBe('invalid_sql')
    expect(errorOf('select level from edge_logs group by 2')).toBe('invalid_sql')
  })

  it('filter groups by output names and aggregates', () => {
    const groups = (having: string) =>
      column(`select level as l, min(id) as level from edge_logs group by l having ${having} order by level`)
    expect(groups("level = 'b'")).toEqual([12])
    expect(groups("l = 'info'")).toEqual(['info'])
    expect(groups('max(level) = 12')).toEqual([12])
    expect(groups('count(*) > 1')).toEqual([])
  })
})

describe('ORDER BY and LIMIT', () => {
  it('sort by several keys, nulls first if ascending', () => {
    const ids = (keys: string) => column(`select id, level as x from edge_logs order by ${keys}`).join('')
    expect(ids('x')).toBe('cba')
    expect(ids('level desc')).toBe('abc')
    expect(ids('2 nulls last')).toBe('bac')
    expect(ids('x desc nulls first')).toBe('cab')
    expect(ids('timestamp desc, id')).toBe('bca')
    expect(ids("case when id = 'b' then 0 else 1 end, id desc")).toBe('bca')
    expect(errorOf('select id from edge_logs order by 2')).toBe('invalid_sql')
  })

  it('prefer an output name to a field, outside of aggregates', () => {
    expect(column('select id, timestamp as level from edge_logs order by -unix_micros(level), id')).toEqual([
      'b',
      'c',
      'a',
    ])
    expect(column('select id as x, 1 as level from edge_logs group by x order by max(level) desc')).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  it('sort equal timestamps by arrival, the latest first', () => {
    const { outcome } = runSql('select id from edge_logs order by timestamp desc', RECORDS, {
      nowUs: 0,
      maxRows: 9,
      project: 'a',
    })
    expect([outcome.rows.map(([cell]) => cell!.value), outcome.ranks]).toEqual([
      ['c', 'a'],
      [0, 1],
    ])
  })

  it('limit the rows, at most to the maximum', () => {
    const limitOf = (text: string) => {
      const { limit, offset } = runSql(text, RECORDS, { nowUs: 0, maxRows: 10, parameters: { n: 3 } }).outcome
      return [limit, offset]
    }
    expect(limitOf('select 1')).toEqual([10, 0])
    expect(limitOf('select 1 limit 11 offset 2')).toEqual([10, 2])
    expect(limitOf('select 1 limit @n')).toEqual([3, 0])
    expect(column('select id from edge_logs order by id limit 1 offset 1')).toEqual(['b'])
    expect(errorOf('select 1 limit -1')).toBe('invalid_sql')
  })
})

describe('the records', () => {
  it('are those of the project and the time range, start excluded', () => {
    const ids = (options: object) => answerOf('select id from edge_logs', RECORDS, options).map(({ id }) => id)
    expect(ids({ project: 'a' })).toEqual(['a', 'c'])
    expect(ids({ fromUs: 1 })).toEqual(['b', 'c'])
    expect(ids({ throughUs: 1 })).toEqual(['a'])
    const failing = 'select cast(level as int64) as x from edge_logs'
    expect(answerOf(failing, RECORDS, { project: 'q' })).toEqual([{ x: 12 }])
  })

  it('are read with parameters and the time of the query', () => {
    const text = 'select @a as a, @b as b, current_timestamp() as t'
    expect(answerOf(text, [], { parameters: { a: "it's" } })).toEqual([{ a: "it's", b: null, t: NOW_US }])
  })
})
