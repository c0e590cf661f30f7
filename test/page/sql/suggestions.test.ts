import { describe, expect, test } from 'vitest'
import { SOURCE_NAMES } from '../../../src/common/sources.js'
import { writtenField } from '../../../src/page/sql/field-cache.js'
import { namesOf } from '../../../src/page/sql/names.js'
import { suggestionsAt } from '../../../src/page/sql/suggestions.js'
import { TEMPLATES } from '../../../src/page/sql/templates.js'
import { tokensOf } from '../../../src/page/sql/tokens.js'
import { tokensOf as compilerTokensOf } from '../../../src/sql/parse/lexer.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { SQL_CASES } from '../../sql/cases/index.js'

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  nginx: ['path', 'upstream.name'],
  edge_logs: ['request.cf.country', 'request.cf.city', 'metadata.id', 'request.`a-b`'],
}
const sources = { names: [...SOURCE_NAMES, 'nginx', 'status'], fieldsOf: (source: string) => FIELDS[source] ?? [] }

/** Returns the suggestions at the `|` of a text, and the characters that a suggestion replaces. */
function at(marked: string) {
  const offset = marked.indexOf('|')
  const found = suggestionsAt(marked.replace('|', ''), offset, sources)
  return found && { replaces: marked.slice(found.from, offset), labels: found.options.map(({ label }) => label) }
}

const labelsAt = (marked: string) => at(marked)!.labels

describe('suggestions', () => {
  test('are sources behind FROM, JOIN and commas between tables', () => {
    for (const text of ['select 1 from |', 'select 1 from edge_logs cross join |', 'select 1 from edge_logs e, |'])
      expect(labelsAt(text), text).toContain('postgres_logs')
    expect(labelsAt('with mine as (select 1 from edge_logs) select * from m|')).toContain('mine')
    expect(labelsAt('select count(*), | from edge_logs')).not.toContain('postgres_logs')
  })

  test('are columns, fields of the sources, functions and keywords elsewhere', () => {
    const labels = labelsAt('select | from edge_logs')
    for (const label of ['event_message', 'request.path', 'request.cf.country', 'countif', 'timestamp_trunc', 'where'])
      expect(labels).toContain(label)
    expect(labels).not.toContain('parsed.user_name')
    expect(labelsAt('select | from postgres_logs')).toContain('parsed.user_name')
  })

  test('know sources of one’s own that have rows, and their fields', () => {
    expect(labelsAt('select 1 from n|')).toContain('nginx')
    expect(labelsAt('select | from nginx')).toEqual(expect.arrayContaining(['path', 'upstream.name']))
    expect(labelsAt('select upstream.| from edge_logs, nginx')).toEqual(['name'])
    expect(labelsAt('select n.| from nginx n')).toEqual(expect.arrayContaining(['event_message', 'path']))
  })

  test('are the rest of a path behind a dot', () => {
    expect(at('select request.cf.c| from edge_logs')).toEqual({ replaces: 'c', labels: ['country', 'city'] })
    expect(labelsAt('select metadata.| from edge_logs')).toContain('id')
    expect(labelsAt('select request.| from edge_logs')).toContain('`a-b`')
  })

  test('know aliases of sources and of lists', () => {
    const text = 'select e.| from edge_logs as e'
    expect(labelsAt(text)).toContain('event_message')
    expect(labelsAt(text)).toContain('request.path')
    const list = 'from edge_logs cross join unnest(metadata.request) as r left join unnest(r.cf) as c on true'
    expect(labelsAt(`select r.| ${list}`)).toEqual(expect.arrayContaining(['method', 'cf.country']))
    expect(labelsAt(`select c.| ${list}`)).toEqual(['country', 'city'])
  })

  test('are units and types where these are written', () => {
    expect(labelsAt('select timestamp_trunc(timestamp, |) from edge_logs')[0]).toBe('microsecond')
    expect(labelsAt('select timestamp_diff(a, b, h|')[0]).toBe('microsecond')
    expect(labelsAt('select timestamp_sub(timestamp, interval 1 |')).toEqual(labelsAt('select interval 5 d|'))
    expect(labelsAt('select cast(status as |')).toContain('int64')
    expect(labelsAt('select status as |')).not.toContain('int64')
  })

  test('are the names that the query gives to columns', () => {
    expect(labelsAt('select count(*) as failed from edge_logs order by |')).toContain('failed')
  })

  test.each(["select 'a|'", 'select "a|', '-- a|', '/* a| */', '# a|', 'select 12|'])('are none in %s', (text) =>
    expect(at(text)).toBeUndefined())

  test('begin again behind a text or a comment', () => {
    for (const text of ["select 'a' |", "select 'a' a|, 1", '/* a */ s|', '-- a\ns|'])
      expect(labelsAt(text), text).toContain('select')
  })
})

describe('tokens', () => {
  test('of complete queries are those of the compiler', () => {
    const texts = Object.values(SQL_CASES)
      .flat()
      .filter(({ rows }) => rows !== undefined)
      .map(({ sql }) => sql)
    expect(texts.length).toBeGreaterThan(400)
    for (const text of texts) {
      const code = tokensOf(text).filter(({ kind }) => kind !== 'comment')
      const starts = compilerTokensOf(text, SQL_LIMITS)
        .filter(({ kind }) => kind === 'text' || kind === 'word' || kind === 'quoted')
        .map(({ kind, at: start }) => [kind, start])
      const own = code
        .filter(({ kind, text: spelled }) => ['text', 'word', 'quoted'].includes(kind) && !spelled.startsWith('@'))
        .map(({ kind, at: start }) => [kind, start])
      expect([text, own]).toEqual([text, starts])
    }
  })

  test('cover incomplete texts to their end', () => {
    for (const text of ["select 'a", 'select "a\\', '/* a', '`a', "r'a"])
      expect(tokensOf(text).at(-1)!.end, text).toBe(text.length)
  })
})

test('names of a query', () => {
  const names = namesOf(
    tokensOf('with t as (select id as x from edge_logs e) select x from t, auth_logs as a where a.level = "as b"'),
    sources.names,
  )
  const { tables, aliases, columns } = names
  expect([names.sources, tables, columns]).toEqual([['edge_logs', 'auth_logs'], ['t'], ['x']])
  expect([...aliases]).toEqual([
    ['e', ''],
    ['a', ''],
  ])
})

test('a source with the name of a column is read only where a table is named', () => {
  const sourcesIn = (text: string) => namesOf(tokensOf(text), sources.names).sources
  expect(sourcesIn('select path, status s from nginx where status > 1 order by id, status')).toEqual(['nginx'])
  expect(sourcesIn('select 1 from nginx n, status cross join `edge_logs`')).toEqual(['nginx', 'status', 'edge_logs'])
  expect(namesOf(tokensOf('select path, status s from nginx'), sources.names).aliases.size).toBe(0)
})

test('fields are written so that the compiler reads them', () => {
  for (const field of ['request.path', 'metadata.id', 'default.x', 'a-b.c`d', '1st'])
    expect(() => readSql(`select ${writtenField(field)} from edge_logs`).plan({}, 0), field).not.toThrow()
  expect(writtenField('["a.b","c"]')).toBeUndefined()
})

test('templates have different titles and are accepted by the compiler', () => {
  expect(new Set(TEMPLATES.map(({ title }) => title)).size).toBe(TEMPLATES.length)
  for (const { sql } of TEMPLATES) expect(() => readSql(sql).plan({}, 0), sql).not.toThrow()
})
