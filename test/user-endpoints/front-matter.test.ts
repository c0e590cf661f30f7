import { describe, expect, it } from 'vitest'
import { Timestamp } from '../../src/plan/values/values.js'
import { readFrontMatter } from '../../src/user-endpoints/front-matter.js'

const DEFAULTS = {
  name: undefined,
  id: undefined,
  maxRows: 1000,
  cache: 'disabled',
  isProjectByHand: false,
  params: new Map(),
  view: undefined,
}

const read = (...lines: string[]) => readFrontMatter([...lines, 'select 1'].join('\n'))

describe('front matter', () => {
  it('is what the comments before the query say', () => {
    const { params, ...others } = read(
      '-- Errors of a database by hour.',
      '-- name: errors.by-hour',
      '',
      '--id: 5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
      '  -- Max Rows:500  ',
      '-- cache: 900s, warm 300s\r',
      '-- project: by hand',
      '-- param project: text',
      '-- param since: timestamp',
      '-- See also: the manual',
    )
    expect(others).toEqual({
      name: 'errors.by-hour',
      id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
      summary: 'Errors of a database by hour',
      maxRows: 500,
      cache: { ttlS: 900, warmS: 300 },
      isProjectByHand: true,
    })
    expect([...params].map(([name, { line }]) => [name, line])).toEqual([
      ['project', 8],
      ['since', 9],
    ])
  })

  it.each([
    ['no comment', 'select 1'],
    ['nothing', ''],
    ['other comments', '/* max rows: 5 */\nselect 1'],
    ['comments behind the start of the query', 'select 1\n-- max rows: 5\n-- param: x'],
  ])('is the default with %s', (_, text) => {
    expect(readFrontMatter(text)).toEqual(DEFAULTS)
  })

  it.each([
    [
      '-- hello\n-- https://example.com: a page\n-- Gives: rows\n--\n-- More.\nselect 1',
      'hello https://example.com: a page Gives: rows',
    ],
    ['-- max rows: 5\n-- Two\n-- lines.\n-- param a: text\n-- Others.', 'Two lines'],
    [`-- ${'long '.repeat(50)}`, 'long '.repeat(40)],
  ])('has the first plain comment of %j as its summary', (text, summary) => {
    expect(readFrontMatter(text)).toEqual({
      ...DEFAULTS,
      params: expect.any(Map),
      maxRows: expect.any(Number),
      summary,
    })
  })

  it.each([
    ['900s', 900, 300],
    ['15m', 900, 300],
    ['1 h, warm 10 m', 3600, 600],
    ['1s', 1, 1],
    ['5s', 5, 2],
    ['24h,warm 24h', 86_400, 86_400],
  ])('reads the cache %s', (text, ttlS, warmS) => {
    expect(read(`-- cache: ${text}`).cache).toEqual({ ttlS, warmS })
  })

  it('reads a disabled cache', () => {
    expect(read('-- cache: disabled').cache).toBe('disabled')
  })

  const cache = (text: string) =>
    `cache: ${text} is not understood. Write "900s", "15m, warm 5m" or "disabled": at most 24h, and "warm" at most ` +
    'as long (line 2)'
  it.each([
    ['-- max row: 5', 'there is no "max row:". Did you mean "max rows:"? (line 2)'],
    ['-- max_rows: 5', 'there is no "max_rows:". Did you mean "max rows:"? (line 2)'],
    ['-- Cahce: 5s', 'there is no "Cahce:". Did you mean "cache:"? (line 2)'],
    ['-- params x: text', 'there is no "params x:". Did you mean "param x:"? (line 2)'],
    ['-- param x text', 'write "-- param x: TYPE", with a colon behind the name (line 2)'],
    ['-- name:', '"name:" has no value (line 2)'],
    ['-- max rows: 0', 'max rows: 0 is not a number from 1 to 10000 (line 2)'],
    ['-- max rows: 10001', 'max rows: 10001 is not a number from 1 to 10000 (line 2)'],
    ['-- max rows: 1e3', 'max rows: 1e3 is not a number from 1 to 10000 (line 2)'],
    ['-- cache: 900', cache('900')],
    ['-- cache: 0s', cache('0s')],
    ['-- cache: 25h', cache('25h')],
    ['-- cache: 10s, warm 11s', cache('10s, warm 11s')],
    ['-- cache: 10s, warm 0s', cache('10s, warm 0s')],
    ['-- cache: 10s warm 5s', cache('10s warm 5s')],
    ['-- project: none', 'project: none is not understood. Write "by hand", or delete the line (line 2)'],
    ['-- name: a\n-- name: b', '"name:" is given twice (line 3)'],
    ['-- param a: text\n-- param a: text', 'the parameter a is declared twice (line 3)'],
    ['select 1\n-- param a: text', 'move "-- param a: …" above the query (line 3)'],
  ])('with %j is refused', (lines, message) => {
    expect(() => read('-- A comment.', ...lines.split('\n'))).toThrow(
      expect.objectContaining({ code: 'usage', message }),
    )
  })

  it('is read in linear time', () => {
    const spaces = ' '.repeat(32_768)
    // Quadratic time would be longer than the timeout of a test.
    for (let i = 0; i < 100; i++) {
      for (const line of [`-- a${spaces}b`, `-- param a: text${spaces}, otherwise${spaces}b`, `-- a${spaces}b: c`]) {
        read(line)
      }
    }
  })
})

const declare = (declared: string) => read(`-- param x: ${declared}`).params.get('x')!
const valueRead = (declared: string, text: string | undefined) => {
  const { param, scalarOf } = declare(declared)
  return scalarOf(param.read(text, 'x'))
}

describe('a parameter of a .sql file', () => {
  it.each<[string, string | undefined, unknown]>([
    ['text', 'a, b', 'a, b'],
    ['text', undefined, null],
    ['text, otherwise a, b', undefined, 'a, b'],
    ['text, otherwise a, b', 'c', 'c'],
    ['text,required', 'a', 'a'],
    ['number', '10', 10],
    ['number', '-0.5e1', -5],
    ['number', undefined, null],
    ['number, otherwise 1.5', undefined, 1.5],
    ['timestamp', '2026-11-20T10:00:00.000001Z', new Timestamp(Date.UTC(2026, 10, 20, 10) * 1000 + 1)],
    ['timestamp', undefined, null],
    ['timestamp, otherwise 2026-11-20', undefined, new Timestamp(Date.UTC(2026, 10, 20) * 1000)],
    ['pattern', '^a+$', '^a+$'],
    ['pattern', undefined, null],
    ['pattern, otherwise a|b, c', undefined, 'a|b, c'],
    ['word 1day|7day', '7day', '7day'],
    ['word 1day | 7day', '8day', null],
    ['word 1day|7day', undefined, null],
    ['word 1day|7day, otherwise 1day', '7day', '7day'],
    ['word 1day|7day, otherwise 1day', '8day', '1day'],
    ['word 1day|7day, otherwise 1day', undefined, '1day'],
    ['word 1day|7day, required', '7day', '7day'],
    ['word __proto__|a', '__proto__', '__proto__'],
  ])('%j reads %j as %j', (declared, text, value) => {
    expect(valueRead(declared, text)).toEqual(value)
  })

  it('of type pattern stays a pattern for a caller bound to projects', () => {
    expect(declare('pattern').param.readBound).toBeUndefined()
  })

  const NUMBER = 'The parameter "x" is not a number. Write it as 12, -0.5 or 1e6; an integer may have up to 2^53.'
  const MISSING = 'The parameter "x" is missing or empty. Give it a value: ?x=…'
  it.each<[string, string | undefined, string, unknown]>([
    ['text, required', undefined, 'missing_parameter', MISSING],
    ['number, required', undefined, 'missing_parameter', MISSING],
    ['timestamp, required', undefined, 'missing_parameter', MISSING],
    ['pattern, required', undefined, 'missing_parameter', MISSING],
    ['word a|b, required', undefined, 'missing_parameter', MISSING],
    ['word a|b, required', 'c', 'invalid_parameter', 'The parameter "x" is none of its words. Give it one of a, b.'],
    ['number', 'ten', 'invalid_parameter', NUMBER],
    ['number', '1e400', 'invalid_parameter', NUMBER],
    ['number, required', '9007199254740993', 'invalid_parameter', NUMBER],
    ['timestamp', 'now', 'invalid_timestamp', expect.stringContaining('is not an ISO 8601 time')],
    ['pattern', '(', 'invalid_pattern', expect.stringContaining('not valid RE2')],
    ['pattern, required', '(', 'invalid_pattern', expect.stringContaining('not valid RE2')],
  ])('%j refuses %j with %s', (declared, text, code, message) => {
    expect(declare(declared).param.codes ?? ['invalid_parameter']).toContain(code)
    expect(() => valueRead(declared, text)).toThrow(expect.objectContaining({ code, message }))
  })

  it.each([
    ['text', false, 'any text; absent: null', undefined],
    ['text, required', true, 'any text', { type: 'string', minLength: 1 }],
    ['text, otherwise a', false, 'any text; absent: a', undefined],
    ['number, otherwise 10', false, 'a number; absent: 10', { type: 'number' }],
    ['number, required', true, 'a number', { type: 'number' }],
    [
      'timestamp',
      false,
      'an ISO 8601 time; absent: null',
      { type: 'string', examples: ['2026-11-20T10:00:00Z'], 'x-kind': 'timestamp' },
    ],
    ['pattern', false, 'an RE2 pattern; absent: null', { type: 'string', maxLength: 1000 }],
    ['word a|b', false, 'one of a, b; anything else: null', { type: 'string', examples: ['a', 'b'] }],
    ['word a|b, otherwise b', false, 'one of a, b; anything else: b', { type: 'string', examples: ['a', 'b'] }],
    ['word a|b, required', true, 'one of a, b', { type: 'string', enum: ['a', 'b'] }],
  ])('%j is listed as it is', (declared, required, description, schema) => {
    expect(declare(declared).param).toMatchObject({ required, description })
    expect(declare(declared).param.schema).toEqual(schema)
  })

  it.each([
    ['', 'has an unknown type "". There are: text, word, number, timestamp, pattern.'],
    ['txt', 'has an unknown type "txt". Did you mean text?'],
    ['string', 'has an unknown type "string". There are: text, word, number, timestamp, pattern.'],
    ['text, requird', 'has "requird" behind its type. Write "required", or "otherwise" and a value'],
    ['text,', 'has "" behind its type. Write "required", or "otherwise" and a value'],
    ['text, otherwise', 'has "otherwise" behind its type. Write "required", or "otherwise" and a value'],
    [
      'text, required, otherwise a',
      'has "required, otherwise a" behind its type. Write "required", or "otherwise" and a value',
    ],
    ['text required', 'has "required" behind its type without a comma: write "text, required"'],
    ["text, otherwise 'a'", 'has a default in quotes: write "otherwise a"'],
    ['word', 'lists no different words: write "word one|two"'],
    ['word a|', 'lists no different words: write "word one|two"'],
    ['word a|b|a', 'lists no different words: write "word one|two"'],
    ['word a|b, otherwise c', 'has the default c, which is none of its words'],
    ['number, otherwise ten', 'does not accept its default ten: it is not a number'],
    ['timestamp, otherwise now', 'does not accept its default now: it is not an ISO 8601 time'],
    ['pattern, otherwise (', 'does not accept its default (: it is not an RE2 pattern'],
  ])('%j is refused', (declared, problem) => {
    expect(() => declare(declared)).toThrow(
      expect.objectContaining({ code: 'usage', message: `the parameter x ${problem} (line 1)` }),
    )
  })

  it.each([
    'text',
    'pattern, required',
    'text, otherwise a',
    'word a|b, required',
  ])('named project is refused as %j, because it is applied to every source', (declared) => {
    const message =
      'the parameter project is applied to every source. Write "-- param project: text, required", ' +
      'or add "-- project: by hand" if the query does it (line 1)'
    expect(() => read(`-- param project: ${declared}`)).toThrow(expect.objectContaining({ message }))
    expect(read(`-- param project: ${declared}`, '-- project: by hand').params.has('project')).toBe(true)
  })
})
