import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { warningsHeader } from '../../src/endpoints/name-warning.js'
import { createNameChecks } from '../../src/endpoints/unknown-names.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { limited } from '../../src/plan/limited.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Plan } from '../../src/plan/plan.js'
import { withinTime } from '../../src/plan/within-time.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { database, edge, type TestRecord } from '../support/records.js'

const RECORDS: readonly TestRecord[] = [
  edge({
    id: '1',
    timestampUs: 10,
    metadata: { request: { method: 'GET', path: '/a' }, user_id: 'u', list: [{ a: 1 }, { b: 2 }] },
  }),
  edge({ id: '2', timestampUs: 20, metadata: { request: [{ method: 'PUT', path: '/b' }], region: null, 'a.b': 1 } }),
  edge({ id: '3', timestampUs: 30, metadata: { only_late: true } }),
  edge({ id: '4', timestampUs: 20, project: 'b', metadata: { usr_id: 'foreign', secret: { regoin: 1 } } }),
  database({ id: '5', timestampUs: 20, metadata: { parsed: { query: 'select 1' }, detail: 'x' } }),
]

/** The newest 5,000 rows of the project lack the field `rare`. */
const MANY: readonly TestRecord[] = Array.from({ length: 6_000 }, (_, i) =>
  edge({ id: `${i}`, timestampUs: i, project: 'many', metadata: i < 1_000 ? { rare: 1, usual: 1 } : { usual: 1 } }),
)

let engine: ArrowEngine
beforeAll(async () => {
  engine = openEngine({ sealRows: 500 })
  await appendAll(engine, [...RECORDS, ...MANY], 100)
})
afterAll(() => engine.close())

interface Options {
  project?: string
  fromUs?: number
  throughUs?: number
  ranMs?: number
}

const never = new AbortController().signal

async function warningsOf(
  sql: string,
  {
    project = 'a',
    fromUs = Number.NEGATIVE_INFINITY,
    throughUs = Number.POSITIVE_INFINITY,
    ranMs = 60_000,
  }: Options = {},
  checks = createNameChecks(),
  run: (plan: Plan, signal: AbortSignal) => ReturnType<ArrowEngine['run']> = (plan) => engine.run(plan),
): Promise<string[]> {
  const plan = ofProject(withinTime(limited(readSql(sql).plan({}, 0), 1000), { fromUs, throughUs }), project)
  await readAll(await engine.run(plan))
  return checks.warnings({ plan, project, ranMs, signal: never, run })
}

const absent = (name: string, meant?: string, source = 'edge_logs') =>
  `No row of ${source} in the range has the field ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
const unseen = (name: string, source = 'edge_logs') =>
  `No row of ${source} in the range has the field ${name}, and WHERE does not see output columns. ` +
  `Filter a derived table: SELECT * FROM (SELECT …) WHERE ${name} …`

const WRONG: readonly (readonly [title: string, sql: string, ...warnings: string[]])[] = [
  ['SELECT', 'select usr_id from edge_logs', absent('usr_id', 'user_id')],
  ['WHERE', "select id from edge_logs where usr_id = 'u'", absent('usr_id', 'user_id')],
  ['WHERE, a text function', "select id from edge_logs where user_idd like 'u'", absent('user_idd', 'user_id')],
  ['GROUP BY', 'select count(*) as n from edge_logs group by user_ids', absent('user_ids', 'user_id')],
  ['HAVING', 'select 1 as x from edge_logs having max(userid) > 1', absent('userid', 'user_id')],
  ['ORDER BY', 'select id from edge_logs order by usr_id', absent('usr_id', 'user_id')],
  ['an aggregate', 'select countif(usr_id is null) as n from edge_logs', absent('usr_id', 'user_id')],
  ['two names', 'select usr_id, nothing from edge_logs', absent('usr_id', 'user_id'), absent('nothing')],
  ['a name twice', 'select usr_id from edge_logs where usr_id is null', absent('usr_id', 'user_id')],
  ['a path', 'select request.metod from edge_logs', absent('request.metod', 'request.method')],
  ['the first step of a path', 'select reqest.path from edge_logs', absent('reqest.path', 'request.path')],
  ['metadata.', 'select metadata.usr_id from edge_logs', absent('metadata.usr_id', 'user_id')],
  ['an alias of the table', 'select e.usr_id from edge_logs e', absent('e.usr_id', 'user_id')],
  ['another case', 'select USER_ID from edge_logs', absent('USER_ID', 'user_id')],
  ['the last key of a path', 'select method from edge_logs', absent('method', 'request.method')],
  ['a column', 'select event_mesage from edge_logs', absent('event_mesage', 'event_message')],
  ['a field that is null', 'select region from edge_logs', absent('region')],
  ['nothing like it', 'select banana from edge_logs', absent('banana')],
  ['a key with a dot', 'select a.b from edge_logs', absent('a.b')],
  ['a list', 'select 1 as x from edge_logs cross join unnest(lst) as l', absent('lst', 'list')],
  ['an element', 'select l.c from edge_logs, unnest(list) as l', absent('l.c', 'list.a')],
  [
    'behind lists',
    'select metod from edge_logs, unnest(metadata) m, unnest(m.request) r',
    absent('metod', 'request.method'),
  ],
  ['a derived table', 'select usr_id from (select metadata from edge_logs) t', absent('usr_id', 'user_id')],
  ['within a derived table', 'select u from (select usr_id as u from edge_logs)', absent('usr_id', 'user_id')],
  ['WITH', 'with c as (select usr_id as u from edge_logs) select u from c, unnest(u)', absent('usr_id', 'user_id')],
  ['a subquery', 'select id from edge_logs where id in (select usr_id from edge_logs)', absent('usr_id', 'user_id')],
  [
    'a union, each with its source',
    'select detal from postgres_logs union all select usr_id from edge_logs',
    absent('detal', 'detail', 'postgres_logs'),
    absent('usr_id', 'user_id'),
  ],
  ['EXPLAIN', 'explain select usr_id from edge_logs', absent('usr_id', 'user_id')],
  ['an output in WHERE', "select request.path as p from edge_logs where p like '/a'", unseen('p')],
  ['an output of an expression', 'select upper(id) as up from edge_logs where up is null', unseen('up')],
  ['an output without AS', "select request.path p from edge_logs where p = '/a'", unseen('p')],
  ['a path of an output', 'select request as r from edge_logs where r.path is null', unseen('r.path')],
  [
    'an output that is a field with a column elsewhere',
    "select request.path as path from edge_logs where path like '/%'",
    unseen('path'),
  ],
]

const RIGHT: [title: string, sql: string, options?: Options][] = [
  ['fields of rows', 'select user_id, request.method, list, only_late from edge_logs'],
  ['fields with a column, that no row has', 'select response.status_code, request.headers from edge_logs'],
  ['columns', "select id, timestamp, event_message, project, metadata from edge_logs where id = '9'"],
  ['a field of one row', 'select id from edge_logs where only_late'],
  ['a field of the second element of a list', 'select l.b, b from edge_logs, unnest(list) as l'],
  [
    'names behind lists',
    "select path, method from edge_logs, unnest(metadata) m, unnest(m.request) r where path like '/%'",
  ],
  ['an output of a field that rows have', 'select upper(user_id) as user_id from edge_logs where user_id is not null'],
  [
    'an output in GROUP BY, HAVING and ORDER BY',
    'select user_id as u, count(*) as n from edge_logs group by u having n > 0 order by u',
  ],
  ['an output of a derived table', "select * from (select request.path as p from edge_logs) where p like '/a'"],
  ['a computed column', "select x.y from (select json_object('y', 1) as x from edge_logs)"],
  ['no rows in the range', 'select usr_id from edge_logs', { fromUs: 500 }],
  ['no rows of the project', 'select usr_id from edge_logs', { project: 'none' }],
  ['SELECT without FROM', 'select 1 as x'],
]

describe('warnings', () => {
  it.each(WRONG)('name a field that no row has: %s', async (_, sql, ...warnings) => {
    expect(await warningsOf(sql)).toEqual(warnings)
  })

  it.each(RIGHT)('are not given: %s', async (_, sql, options = {}) => {
    expect(await warningsOf(sql, options)).toEqual([])
  })

  it('are about the rows of the range alone', async () => {
    expect(await warningsOf('select only_late from edge_logs', { throughUs: 20 })).toEqual([absent('only_late')])
    expect(await warningsOf('select only_lat from edge_logs', { throughUs: 20 })).toEqual([absent('only_lat')])
    expect(await warningsOf('select only_lat from edge_logs')).toEqual([absent('only_lat', 'only_late')])
  })

  it('are about the rows of the project alone', async () => {
    expect(await warningsOf('select user_id from edge_logs', { project: 'b' })).toEqual([absent('user_id', 'usr_id')])
    expect(await warningsOf('select secret.regoin from edge_logs')).toEqual([absent('secret.regoin')])
    const foreign = "select usr_id from edge_logs where project = 'b'"
    expect(await warningsOf(foreign)).toEqual([absent('usr_id', 'user_id')])
  })

  it('are not given for a field of old rows alone', async () => {
    expect(await warningsOf('select rare from edge_logs', { project: 'many' })).toEqual([])
    expect(await warningsOf('select rar from edge_logs', { project: 'many' })).toEqual([absent('rar')])
    expect(await warningsOf('select usul from edge_logs', { project: 'many' })).toEqual([absent('usul', 'usual')])
  })

  it('read no rows for names that were found before', async () => {
    const checks = createNameChecks()
    let runs = 0
    const counted = (plan: Plan) => {
      runs++
      return engine.run(plan)
    }
    const sql = 'select user_id from edge_logs'
    for (let i = 0; i < 3; i++) expect(await warningsOf(sql, {}, checks, counted)).toEqual([])
    expect(runs).toBe(1)
    expect(await warningsOf(sql, { fromUs: 25 }, checks, counted)).toEqual([absent('user_id')])
    await warningsOf('select response.status_code from edge_logs', {}, checks, counted)
    expect(runs).toBe(3)
  })

  it('are about the newest rows if a search of all rows takes too long, which is not tried again', async () => {
    const checks = createNameChecks()
    let searches = 0
    const slow = (plan: Plan, signal: AbortSignal) => {
      if (plan.filter(({ op }) => op === 'filter').length < 2) return engine.run(plan)
      searches++
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const run = (sql: string) => warningsOf(sql, { project: 'many', ranMs: 0 }, checks, slow)
    const warning = 'The newest 4096 rows of edge_logs have no field usul. Did you mean usual?'
    for (let i = 0; i < 2; i++) expect(await run('select usul from edge_logs')).toEqual([warning])
    expect(searches).toBe(1)
    expect(await run('select banana from edge_logs')).toEqual([])
    expect(await run("select id as banana from edge_logs where banana = '1'")).toEqual([
      'The newest 4096 rows of edge_logs have no field banana, and WHERE does not see output columns. ' +
        'Filter a derived table: SELECT * FROM (SELECT …) WHERE banana …',
    ])
  })

  it('are not given if the rows cannot be read', async () => {
    const fails = () => Promise.reject(new Error('gone'))
    expect(await warningsOf('select usr_id from edge_logs', {}, createNameChecks(), fails)).toEqual([])
  })
})

describe('the header of warnings', () => {
  it('is a JSON list in ASCII', () => {
    const header = warningsHeader(['größe', '😀\n"'])
    expect(header).toBe('["gr\\u00f6\\u00dfe","\\ud83d\\ude00\\n\\""]')
    expect(JSON.parse(header!)).toEqual(['größe', '😀\n"'])
  })

  it('has at most ten warnings and 2 KiB, and none is not sent', () => {
    expect(warningsHeader([])).toBeUndefined()
    expect(JSON.parse(warningsHeader(Array.from({ length: 20 }, (_, i) => `${i}`))!)).toHaveLength(10)
    const long = warningsHeader(Array.from({ length: 10 }, () => 'x'.repeat(900)))!
    expect(JSON.parse(long)).toHaveLength(2)
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(2048)
  })

  it('fits with names of any length', async () => {
    for (const name of ['x'.repeat(5_000), 'ä'.repeat(300), '😀'.repeat(300), '\\t'.repeat(500)]) {
      const [warning, ...more] = await warningsOf(`select id as \`${name}\` from edge_logs where \`${name}\` is null`)
      expect(more).toEqual([])
      const header = warningsHeader([warning!])!
      expect(header).toMatch(/^[\x20-\x7e]{20,2048}$/)
    }
  })
})
