import { describe, expect, it } from 'vitest'
import { phraseNote, readSearch } from '../../../src/page/explore/model/search-text.js'

const ALIASES = { status: 'response.status_code', path: 'request.path' }
const filtersOf = (text: string) => readSearch(text, ALIASES).filters

describe('the text of the search box', () => {
  it.each([
    ['', ''],
    ['  connection   refused ', 'connection refused'],
    ['/rest/v1/users', '/rest/v1/users'],
    ['10:32:01', '10:32:01'],
    ['https://example.com/a?b', 'https://example.com/a?b'],
    ['error: no such row', 'error: no such row'],
    ['-5', '-5'],
    ['foo->bar', 'foo->bar'],
    ['"status:500 \\"now\\" c:\\\\d"', 'status:500 "now" c:\\d'],
    ['"open', '"open'],
    ['field:', 'field:'],
  ])('%j is words only', (text, search) => {
    expect(readSearch(text, ALIASES)).toEqual({ filters: [], search, problem: undefined })
  })

  it.each([
    ['method:GET', { field: 'method', op: '=', value: 'GET' }],
    ['method=GET', { field: 'method', op: '=', value: 'GET' }],
    ['-method:GET', { field: 'method', op: '!=', value: 'GET' }],
    ['method!=GET', { field: 'method', op: '!=', value: 'GET' }],
    ['status:500', { field: 'response.status_code', op: '=', value: 500 }],
    ['status>=500', { field: 'response.status_code', op: '>=', value: 500 }],
    ['status<400.5', { field: 'response.status_code', op: '<', value: 400.5 }],
    ['id:007', { field: 'id', op: '=', value: '007' }],
    ['id:12345678901234567890', { field: 'id', op: '=', value: '12345678901234567890' }],
    ['id:1e999', { field: 'id', op: '=', value: '1e999' }],
    ['ok:true', { field: 'ok', op: '=', value: true }],
    ['ok:"true"', { field: 'ok', op: '=', value: 'true' }],
    ['user:null', { field: 'user', op: 'missing' }],
    ['-user:null', { field: 'user', op: 'exists' }],
    ['user:*', { field: 'user', op: 'exists' }],
    ['-user:*', { field: 'user', op: 'missing' }],
    ['path:/rest/v1/a', { field: 'request.path', op: '=', value: '/rest/v1/a' }],
    ['path:/rest/', { field: 'request.path', op: 'matches', value: 'rest' }],
    ['path:/a\\/b c/', { field: 'request.path', op: 'matches', value: 'a\\/b c' }],
    ['path:*token*', { field: 'request.path', op: 'contains', value: 'token' }],
    ['path:/a.b*', { field: 'request.path', op: 'matches', value: '^/a\\.b' }],
    ['path:*z', { field: 'request.path', op: 'matches', value: 'z$' }],
    ['path:a*z', { field: 'request.path', op: 'matches', value: '^a.*z$' }],
    ['a.b-c.d:"two words"', { field: 'a.b-c.d', op: '=', value: 'two words' }],
    ['at>=2026-11-20T10:00:00Z', { field: 'at', op: '>=', value: '2026-11-20T10:00:00Z' }],
    ['/time.?out/', { field: 'event_message', op: 'matches', value: 'time.?out' }],
  ])('%j is one filter', (text, filter) => {
    expect(readSearch(text, ALIASES)).toEqual({ filters: [filter], search: '', problem: undefined })
  })

  it('may have words, quoted texts and filters in any order', () => {
    expect(readSearch('no status:500 such "a b" row -path:* "c"', ALIASES)).toEqual({
      filters: [
        { field: 'response.status_code', op: '=', value: 500 },
        { field: 'request.path', op: 'missing' },
        { field: 'event_message', op: 'contains', value: 'a b' },
        { field: 'event_message', op: 'contains', value: 'c' },
      ],
      search: 'no such row',
      problem: undefined,
    })
    expect(readSearch('"a b" status:1').search).toBe('a b')
  })

  it('has alternatives between which there is an OR', () => {
    const failed = { field: 'response.status_code', op: '>=', value: 500 }
    const error = { field: 'level', op: '=', value: 'error' }
    expect(readSearch('status>=500 OR level:error', ALIASES)).toEqual({
      filters: [[failed, error]],
      search: '',
      problem: undefined,
    })
    expect(readSearch('late status>=500 OR "timed out" OR /re.?used/ row level:error', ALIASES)).toEqual({
      filters: [
        [
          failed,
          { field: 'event_message', op: 'contains', value: 'timed out' },
          { field: 'event_message', op: 'matches', value: 're.?used' },
        ],
        error,
      ],
      search: 'late row',
      problem: undefined,
    })
    for (const text of ['"a OR b"', 'this or that', 'ORDER BY']) expect(readSearch(text).filters).toEqual([])
  })

  it.each([
    'OR',
    'level:error OR',
    'OR level:error',
    'level:a OR OR level:b',
    'timeout OR refused',
    'level:error OR word',
    'level:error OR -path:/x/',
  ])('%j has a problem, and no filter', (text) => {
    const { filters, search, problem } = readSearch(text, ALIASES)
    expect(problem).toMatch(/“/)
    expect([filters, search]).toEqual([[], ''])
  })

  it('has a value that begins with a sign in quotes', () => {
    expect(filtersOf('query:"=x" a>"="')).toEqual([
      { field: 'query', op: '=', value: '=x' },
      { field: 'a', op: '>', value: '=' },
    ])
  })

  it.each([
    ...['-path:/x/', '-path:*x*', '-status>=3', 'status>null'],
    ...['status>==', 'status==500', 'status:>=500', 'status>=<5', '-status:=5'],
  ])('%j has a problem', (text) => {
    expect(readSearch(text, ALIASES).problem).toMatch(/“/)
    expect(filtersOf(text)).toEqual([])
  })
})

describe('what the page says of several words', () => {
  it.each([
    ['timed out', 'Read as one phrase: “timed out”. For all of several texts, quote each: "timed" "out".'],
    [
      'refused AND timeout',
      'Read as one phrase, with “AND” in it: “refused AND timeout”. ' +
        'For all of several texts, quote each: "refused" "timeout".',
    ],
    [
      'a or not b and c',
      'Read as one phrase, with “or” and “not” and “and” in it: “a or not b and c”. ' +
        'For all of several texts, quote each: "a" "b" "c".',
    ],
    ['NOT found', 'Read as one phrase, with “NOT” in it: “NOT found”.'],
    ['status:500 no route', 'Read as one phrase: “no route”. For all of several texts, quote each: "no" "route".'],
    ['say "hi" to  you', 'Read as one phrase: “say to you”. For all of several texts, quote each: "say" "to" "you".'],
    ['a\\b c', 'Read as one phrase: “a\\b c”. For all of several texts, quote each: "a\\\\b" "c".'],
  ])('%j', (text, note) => {
    expect(phraseNote(text)).toBe(note)
  })

  it.each([
    '',
    ' ',
    'timeout',
    '"timed out"',
    '"a" "b"',
    '/a b/',
    'status:500 timeout',
    'a:1 OR b:2',
  ])('is nothing for %j', (text) => {
    expect(phraseNote(text)).toBe('')
  })

  it.each(['a OR b', 'a OR "b"', 'OR'])('is the problem of “OR”, on Enter, for %j', (text) => {
    expect([phraseNote(text), readSearch(text).problem]).toEqual(['', expect.stringContaining('“OR”')])
  })

  it('gives conditions that are read as such', () => {
    const instead = phraseNote('a\\b c').split('quote each: ')[1]!.slice(0, -1)
    expect(readSearch(instead)).toEqual({
      search: 'a\\b',
      filters: [{ field: 'event_message', op: 'contains', value: 'c' }],
      problem: undefined,
    })
  })
})
