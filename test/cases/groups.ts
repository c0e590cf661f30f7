import type { Params, PlainRow } from '../oracle/oracle.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { AWKWARD_NAMES, at, type Case } from './case.js'

const nowUs = at('2026-11-20T10:37:42.500000Z')

const grouped = (
  name: string,
  endpoint: string,
  records: readonly TestRecord[],
  params: Params,
  rows: readonly PlainRow[],
): Case => ({ name: `${endpoint}: ${name}`, endpoint, records, params: { project: 'a', ...params }, nowUs, rows })

const call = (function_id: unknown, execution_time_ms?: number, status_code?: number) =>
  invocation({ timestampUs: nowUs, metadata: { function_id, execution_time_ms, response: { status_code } } })
const request = (url: unknown, path = '/', timestampUs = nowUs) =>
  edge({ timestampUs, metadata: { request: { url, path } } })

const failed = (url: string) =>
  edge({ timestampUs: nowUs, metadata: { request: { url }, response: { status_code: 503 } } })

/** The row of a function. Each call took `time` milliseconds. Null: no call has a duration. */
const even = (function_id: string | null, count: number, time: number | null, errors = 0): PlainRow => ({
  function_id,
  count,
  error_count: errors,
  error_share: errors / count,
  min_execution_time: time,
  max_execution_time: time,
  avg_execution_time: time,
  p95_execution_time: time,
})

const CALLS = [call('slow', 900, 500), call('none'), call('quick', 3), call('slow', 900, 200), call('even', 3, 404)]
const SLOW = even('slow', 2, 900, 1)
const EVEN = even('even', 1, 3, 1)
const QUICK = even('quick', 1, 3)
const NONE = even('none', 1, null)

const stats = (name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]) =>
  grouped(name, 'test.functions', records, params, rows)
const urls = (name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]) =>
  grouped(name, 'test.urls', records, params, rows)

/** In the order of UTF-8 bytes, which is not that of JavaScript strings: 😀 is after U+FFFD. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const awkward = AWKWARD_NAMES.toSorted(byBytes)

const URLS = [
  ...[
    'https://a.co/x',
    'https://b.co/x?id=1',
    '/x#y',
    'https://a.co',
    'https://a.co?to=/x',
    'https://a.co#/x',
    '?',
    '',
  ],
  ...['http://a/', 'a.co//b', 'x://y://z/p', 'http:/a', 'https://é.co/ü\n/\0😀?to=http://b.co/y'],
]

export const GROUP_CASES: readonly Case[] = [
  stats('nothing', [], {}, []),
  stats('the slowest first, ties by key, null last', CALLS, {}, [SLOW, EVEN, QUICK, NONE]),
  stats('the quickest first, null last all the same', CALLS, { direction: 'asc' }, [EVEN, QUICK, SLOW, NONE]),
  stats('cut behind the order', CALLS, { limit: '1' }, [SLOW]),
  stats('by their key', CALLS, { order: 'function_id', direction: 'asc' }, [EVEN, NONE, QUICK, SLOW]),
  stats('by their key, backwards', CALLS, { order: 'function_id', limit: '3' }, [SLOW, QUICK, NONE]),
  stats('by how many', CALLS, { order: 'count', limit: '3' }, [SLOW, EVEN, NONE]),
  stats('by how many, the fewest first', CALLS, { order: 'count', direction: 'asc' }, [EVEN, NONE, QUICK, SLOW]),
  stats('by the share of errors', CALLS, { order: 'error_share' }, [EVEN, SLOW, NONE, QUICK]),
  stats('by the mean', CALLS, { order: 'avg_execution_time', limit: '3' }, [SLOW, EVEN, QUICK]),
  stats('by the mean, the least first', CALLS, { order: 'avg_execution_time', direction: 'asc' }, [
    EVEN,
    QUICK,
    SLOW,
    NONE,
  ]),
  stats(
    'by a mean that wants exact sums',
    [...[1e16, 3, -1e16].map((time) => call('one', time)), call('two', 2), call('half', 0.5)],
    { order: 'avg_execution_time', limit: '3' },
    [
      even('two', 1, 2),
      {
        ...even('one', 3, 1),
        min_execution_time: -1e16,
        max_execution_time: 1e16,
        p95_execution_time: 1e16,
      },
      even('half', 1, 0.5),
    ],
  ),
  stats(
    'without a function are one group, the last of its equals',
    [call(undefined, 5), call('', 5), call(7, 5), call('z', 5)],
    {},
    [even('z', 1, 5), even(null, 3, 5)],
  ),
  stats('of another project are not counted', [call('f', 1), { ...call('f', 2), project: 'b' }], {}, [even('f', 1, 1)]),
  stats(
    'with names that trip up',
    AWKWARD_NAMES.map((name) => call(name, 1)),
    {},
    awkward.map((name) => even(name, 1, 1)),
  ),
  urls(
    'each text is a group, the empty one too',
    [request('b', '/rest'), request(''), request(undefined, '/rest'), request('b'), request(null), request('a')],
    {},
    [
      { url: 'b', requests: 2, rest_share: 0.5 },
      { url: null, requests: 2, rest_share: 0.5 },
      { url: '', requests: 1, rest_share: 0 },
      { url: 'a', requests: 1, rest_share: 0 },
    ],
  ),
  urls('null is the last key, backwards too', [request('b'), request(null), request('c')], { order: 'url' }, [
    { url: 'c', requests: 1, rest_share: 0 },
    { url: 'b', requests: 1, rest_share: 0 },
    { url: null, requests: 1, rest_share: 0 },
  ]),
  urls(
    'of the window alone, both ends included',
    [-1, 0, 1].flatMap((off) => [request('first', '/', nowUs - 7 * 86_400e6 + off), request('last', '/', nowUs + off)]),
    { order: 'url', direction: 'asc' },
    [
      { url: 'first', requests: 2, rest_share: 0 },
      { url: 'last', requests: 2, rest_share: 0 },
    ],
  ),
  grouped(
    'one of many URLs, and null',
    'test.paths',
    [...URLS.map((url) => request(url)), request(undefined), failed('http://a/x?id=2')],
    {},
    [
      { url_path: '', requests: 5, error_share: 0 },
      { url_path: '/x', requests: 4, error_share: 0.25 },
      { url_path: '/', requests: 1, error_share: 0 },
      { url_path: '//b', requests: 1, error_share: 0 },
      { url_path: '//z/p', requests: 1, error_share: 0 },
      { url_path: '/a', requests: 1, error_share: 0 },
      { url_path: '/ü\n/\0😀', requests: 1, error_share: 0 },
      { url_path: null, requests: 1, error_share: 0 },
    ],
  ),
]
