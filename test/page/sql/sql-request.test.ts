import { describe, expect, test } from 'vitest'
import { AGGREGATE_CALLS, FUNCTION_CALLS } from '../../../src/common/sql-words.js'
import { Failure } from '../../../src/page/api/api.js'
import { templateOfCall } from '../../../src/page/sql/call-template.js'
import { offsetOf, readFault } from '../../../src/page/sql/fault-place.js'
import { MOST_RUNS, withRun } from '../../../src/page/sql/history.js'
import { problemText } from '../../../src/page/sql/problem.js'
import { endpointFile, nameProblem } from '../../../src/page/sql/save/endpoint-file.js'
import { paramsOf } from '../../../src/page/sql/sql-request.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { readFrontMatter } from '../../../src/user-endpoints/front-matter.js'
import { validateEndpoint } from '../../../src/user-endpoints/validate.js'

describe('a query', () => {
  test('has bounds a microsecond earlier: its start is exclusive, its end inclusive', () => {
    const bounds = { fromUs: 1_763_632_800_000_000, toUs: 1_763_632_900_123_456 }
    expect(paramsOf({ project: 'p', sql: 'select 1', bounds })).toEqual({
      project: 'p',
      sql: 'select 1',
      iso_timestamp_start: '2025-11-20T09:59:59.999999Z',
      iso_timestamp_end: '2025-11-20T10:01:40.123455Z',
    })
    expect(paramsOf({ project: 'p', sql: '', bounds: { ...bounds, toUs: undefined } })).not.toHaveProperty(
      'iso_timestamp_end',
    )
  })
})

describe('the place of an error', () => {
  test('is read from the end of the message, relative to the text of the user', () => {
    expect(readFault('A (line 1, column 2) is wrong. (line 3, column 14)')).toEqual({
      message: 'A (line 1, column 2) is wrong.',
      place: { line: 3, column: 14 },
    })
    expect(readFault('Wrong. (line 2, column 5)', 1).place).toEqual({ line: 1, column: 5 })
    expect(readFault('Too many. (line 1, column 1)', 1).place).toBeUndefined()
    expect(readFault('Too many groups.')).toEqual({ message: 'Too many groups.', place: undefined })
  })

  test.each([
    'select nope(1)',
    'select 1,\n  nope(2)\nfrom edge_logs',
    "select 'ü𝄞',\n\n\tnope(3)",
  ])('is that of the wrong word in %j', (text) => {
    const message = messageOf(() => readSql(text).plan({}, 0))
    expect(offsetOf(text, readFault(message).place!)).toBe(text.indexOf('nope'))
  })

  test('beyond the text is its end, beyond a line the end of the line', () => {
    expect(offsetOf('ab\ncd', { line: 9, column: 1 })).toBe(5)
    expect(offsetOf('ab\ncd', { line: 1, column: 9 })).toBe(2)
    const message = messageOf(() => readSql('select').plan({}, 0))
    expect(offsetOf('select', readFault(message).place!)).toBe(6)
  })

  test('problems say what can be done', () => {
    const busy = new Failure('busy', 'Too many queries', 5)
    expect(problemText(busy, busy.message)).toBe(
      'Too many queries. Run it again in 5 seconds; if it takes too long, choose a shorter time range.',
    )
    const groups = new Failure('refused', 'It has over 100000 groups.', undefined, 'too_many_groups')
    expect(problemText(groups, groups.message)).toContain('Group by fewer values')
    expect(problemText(new Failure('refused', 'No.', undefined, 'invalid_sql'), 'No.')).toBe('No.')
  })
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('the file of an endpoint', () => {
  const made = (sql: string, description = '') => endpointFile({ name: 'my.errors', description, maxRows: 50, sql })

  test('has the settings that were given, and the query', () => {
    const text = made(
      '-- cache: short, max rows: 3\n\n-- param x: text\nselect 1 as n -- one\nfrom edge_logs;\n',
      'Counts',
    )
    const { name, maxRows, cache, params } = readFrontMatter(text)
    expect([name, maxRows, cache, [...params.keys()]]).toEqual(['my.errors', 50, 'disabled', ['project']])
    expect(text.startsWith('-- Counts\n')).toBe(true)
    expect(() => readSql(text).plan({}, 0)).not.toThrow()
  })

  test.each([
    'cache: 5m',
    'param x',
    'name: other',
    'a\n-- max rows: 7',
    'Max row: 3',
  ])('takes no setting from the description %j', (description) => {
    const { name, maxRows, cache, params } = readFrontMatter(made('select 1', description))
    expect([name, maxRows, cache, [...params.keys()]]).toEqual(['my.errors', 50, 'disabled', ['project']])
  })

  test('names are checked as the service does', () => {
    const endpoint = {
      id: '5b1f6a3e-0000-4000-8000-000000000000',
      maxRows: 1,
      cache: 'disabled',
      query: 'x',
      params: {},
    }
    for (const name of ['', 'a', 'a.b-c_d', '_a', '.a', 'a..b', 'a b', 'ä', '1a', 'a.', 'x'.repeat(101)]) {
      const isValid = validateEndpoint({ ...endpoint, name } as never) === undefined
      expect([name, nameProblem(name) === undefined]).toEqual([name, isValid])
    }
  })
})

test('the history keeps the newest queries, each once', () => {
  const all = Array.from({ length: 60 }, (_, i) => ({ sql: `select ${i}`, atMs: i }))
  const kept = all.reduce<readonly { sql: string; atMs: number }[]>(withRun, [])
  expect(kept.map(({ atMs }) => atMs)).toEqual(Array.from({ length: MOST_RUNS }, (_, i) => 59 - i))
  expect(withRun(kept, { sql: 'select 40', atMs: 99 }).map(({ atMs }) => atMs)).toEqual([
    99,
    ...kept.map(({ atMs }) => atMs).filter((atMs) => atMs !== 40),
  ])
  const long = { sql: 'x'.repeat(300_000), atMs: 1 }
  expect(withRun([long], { ...long, sql: 'y'.repeat(300_000) })).toHaveLength(1)
})

test('functions are inserted with their arguments as the first place to write', () => {
  expect(templateOfCall('current_timestamp()')).toBe('current_timestamp()')
  expect(templateOfCall('count(*)')).toBe('count(#{*})')
  expect(templateOfCall("split(text, ',')[offset(0)]")).toBe("split(#{text, ','})[offset(0)]")
  for (const call of Object.values({ ...AGGREGATE_CALLS, ...FUNCTION_CALLS }))
    expect(templateOfCall(call).replaceAll(/#\{(.*?)\}/g, '$1')).toBe(call)
})
