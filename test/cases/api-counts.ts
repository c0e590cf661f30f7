import type { Params, PlainRow } from '../oracle/oracle.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { edge, type TestRecord } from '../support/records.js'
import { AWKWARD_NAMES, at, type Case, shown, upTo } from './case.js'
import { PATTERN_CASES, type PatternCase } from './patterns.js'

const nowUs = at('2026-11-20T10:37:42.500000Z')
const MINUTE_US = 60_000_000

function counts(name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]): Case {
  return {
    name: `usage.api-counts: ${name}`,
    endpoint: 'usage.api-counts',
    records,
    params: { project: 'abc', interval: 'minutely', ...params },
    nowUs,
    rows,
  }
}

export type Four = [rest: number, storage: number, auth: number, realtime: number]

/** A row of usage.api-counts. */
export const countsRow = (timestamp: string, [rest, storage, auth, realtime]: Four): PlainRow => ({
  timestamp,
  total_rest_requests: rest,
  total_storage_requests: storage,
  total_auth_requests: auth,
  total_realtime_requests: realtime,
})

/** A request. The default URL matches the pattern `abc`. */
const requestAt = (timestampUs: number, path: unknown = '/rest', url: unknown = 'https://abc.co') =>
  edge({ timestampUs, metadata: { request: { url, path } } })

const NOW_ROW = '2026-11-20T10:37:00'

/** Requests at the start of the window, a microsecond before the start, now, and in the future. */
function edges(interval: string, first: string, rows: readonly PlainRow[]): Case {
  const moments = [nowUs + 3_600_000_000, at(first), at(first) - 1, nowUs]
  return counts(
    `the window of the interval "${interval}"`,
    moments.map((moment) => requestAt(moment)),
    { interval },
    rows,
  )
}

const EDGES = [
  edges('minutely', '2026-11-20T09:37:42.500000Z', [
    countsRow('2026-11-20T09:37:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T10:37:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T11:37:00', [1, 0, 0, 0]),
  ]),
  edges('hourly', '2026-11-20T09:37:42.500000Z', [
    countsRow('2026-11-20T09:00:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T10:00:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T11:00:00', [1, 0, 0, 0]),
  ]),
  edges('daily', '2026-11-13T10:37:42.500000Z', [
    countsRow('2026-11-13T00:00:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T00:00:00', [2, 0, 0, 0]),
  ]),
  ...['', 'MINUTELY', '1hr', '5min', 'weekly', '__proto__', 'constructor', 'daily '].map((interval) =>
    edges(interval, '2026-11-20T09:37:42.500000Z', []),
  ),
  {
    ...counts('no interval at all, no row', [requestAt(nowUs)], {}, []),
    params: { project: 'abc' },
  },
  counts(
    'both sides of a bucket’s edge',
    ['10:35:59.999999', '10:36:00', '10:36:59.999999', '10:37:00'].map((time) => requestAt(at(`2026-11-20T${time}Z`))),
    {},
    [
      countsRow('2026-11-20T10:35:00', [1, 0, 0, 0]),
      countsRow('2026-11-20T10:36:00', [2, 0, 0, 0]),
      countsRow('2026-11-20T10:37:00', [1, 0, 0, 0]),
    ],
  ),
  {
    ...counts(
      'the turn of a year',
      ['2026-12-31T23:59:59.999999Z', '2027-01-01'].map((time) => requestAt(at(time))),
      {},
      [countsRow('2026-12-31T23:59:00', [1, 0, 0, 0]), countsRow('2027-01-01T00:00:00', [1, 0, 0, 0])],
    ),
    nowUs: at('2027-01-01T00:10Z'),
  },
  {
    ...counts(
      'before the epoch',
      ['1969-12-31T23:59:59.999999Z', '1970-01-01'].map((time) => requestAt(at(time))),
      {
        interval: 'daily',
      },
      [countsRow('1969-12-31T00:00:00', [1, 0, 0, 0]), countsRow('1970-01-01T00:00:00', [1, 0, 0, 0])],
    ),
    nowUs: at('1970-01-02'),
  },
]

const area = (name: string, paths: readonly unknown[], four: Four) =>
  counts(
    `areas: ${name}`,
    paths.map((path) => edge({ timestampUs: nowUs, metadata: { request: { url: 'abc', path } } })),
    {},
    [countsRow(NOW_ROW, four)],
  )

const AREAS = [
  area('one each', ['/rest/v1/t', '/storage/v1/o', '/auth/v1/token', '/realtime/v1'], [1, 1, 1, 1]),
  area('counted each', ['/rest', '/rest', '/rest', '/auth', '/auth', '/storage'], [3, 1, 2, 0]),
  area('several in one path', ['/rest/storage', '/auth/realtime/rest', '/storage/auth'], [2, 2, 2, 1]),
  area('anywhere, and as the start of a word', ['/x/rest', '/restaurant', 'a/authx', '//realtime'], [2, 0, 1, 1]),
  area('none of them', ['/', '', 'rest', '/Rest', '/res', '/r/est', '%2Frest'], [0, 0, 0, 0]),
  area('no path, or of the wrong type', [undefined, null, 7, ['/rest'], { path: '/rest' }], [0, 0, 0, 0]),
  area('twice in one path is once', ['/rest/rest/rest'], [1, 0, 0, 0]),
  counts('a bucket of zeros next to one that is not', [requestAt(nowUs), requestAt(nowUs - MINUTE_US, '/x')], {}, [
    countsRow('2026-11-20T10:36:00', [0, 0, 0, 0]),
    countsRow(NOW_ROW, [1, 0, 0, 0]),
  ]),
]

const METADATA_WITH_URL = [
  '{"request":{"url":"abc","path":"/rest"}}',
  '[{"request":[{"url":"abc","path":"/rest"}]}]',
  '{"request":[{"url":"abc","path":"/rest"},{"url":"x","path":"/auth"}]}',
  '[{"request":{"url":"abc","path":"/rest"}},{"request":{"url":"x","path":"/auth"}}]',
  '{"request":{"url":"x","path":"/auth"},"request":{"url":"abc","path":"/rest"}}',
  '{"request":{"url":"x","url":"\\u0061bc","path":"\\/rest"}}',
  '{"request":{"url":"abc\\ud800","path":"/rest"}}',
]

const METADATA_WITHOUT_URL = [
  '{}',
  '[]',
  '[{}]',
  '{"request":null}',
  '{"request":[]}',
  '{"request":"abc"}',
  '{"request":{"url":null,"path":"/rest"}}',
  '{"request":{"url":7,"path":"/rest"}}',
  '{"request":{"url":["abc"],"path":"/rest"}}',
  '{"url":"abc","path":"/rest"}',
  '{"request":{"url":"abc"},"request":{"path":"/rest"}}',
  '{"request":[{"path":"/rest"},{"url":"abc"}]}',
]

const urls = (metadata: readonly string[]) => metadata.map((json) => edge({ timestampUs: nowUs, metadata: json }))

const URLS = [
  counts('where the URL lies', urls(METADATA_WITH_URL), {}, [countsRow(NOW_ROW, [7, 0, 0, 0])]),
  counts('no URL: no pattern finds it', urls(METADATA_WITHOUT_URL), { project: 'a*' }, []),
  counts('an empty URL is one', [requestAt(nowUs, '/rest', '')], { project: 'a*' }, [countsRow(NOW_ROW, [1, 0, 0, 0])]),
  counts(
    'no URL next to empty ones',
    [...urls(METADATA_WITHOUT_URL), requestAt(nowUs, '/rest', '')],
    { project: '^$' },
    [countsRow(NOW_ROW, [1, 0, 0, 0])],
  ),
  counts('nothing held, no row', [], {}, []),
  counts('nothing found, no row', [requestAt(nowUs)], { project: 'nobody' }, []),
  counts(
    'whatever the project of the record',
    ['a', 'abc', '', null].map((project) => ({ ...requestAt(nowUs), project })),
    {},
    [countsRow(NOW_ROW, [4, 0, 0, 0])],
  ),
  counts(
    'rows of the source edge_logs alone',
    NINE_AND_OWN.map((source) => ({ ...requestAt(nowUs), source })),
    {},
    [countsRow(NOW_ROW, [1, 0, 0, 0])],
  ),
  ...shown('I4', [
    counts(
      'awkward URLs, all found',
      AWKWARD_NAMES.map((url) => requestAt(nowUs, '/auth', url)),
      { project: '(?s)^.' },
      [countsRow(NOW_ROW, [0, 0, AWKWARD_NAMES.length, 0])],
    ),
    ...AWKWARD_NAMES.filter((name) => name.length < 1000).map((url) =>
      counts(
        `the URL ${JSON.stringify(url)} and no other`,
        AWKWARD_NAMES.map((name) => requestAt(nowUs, '/auth', name)),
        { project: `^${url.replace(/[|\\]/g, '\\$&')}$` },
        [countsRow(NOW_ROW, [0, 0, 1, 0])],
      ),
    ),
  ]),
]

/** Each URL has a separate minute, matching and other URLs in turn, so that the rows show which URLs matched. */
function patternCase({ pattern, finds, passes }: PatternCase, i: number): Case {
  const all = [...finds, ...passes]
  const records = upTo(all.length).map((n) => requestAt(nowUs - n * MINUTE_US, '/rest', all[n - 1]))
  const minute = (n: number) => new Date((nowUs - n * MINUTE_US) / 1000).toISOString().slice(0, 16)
  const rows = finds.map((_, n) => countsRow(`${minute(n + 1)}:00`, [1, 0, 0, 0])).reverse()
  const mixed = records.toSorted((a, b) => (a.timestampUs % 7) - (b.timestampUs % 7))
  return counts(`pattern ${i + 1}: ${pattern.slice(0, 40)}`, mixed, { project: pattern }, rows)
}

const MANY_MINUTES = upTo(1500).map((n) => requestAt(nowUs + (1501 - n) * MINUTE_US))

const LIMITS = [
  counts(
    'the 1000 oldest of 1500 minutes to come',
    MANY_MINUTES,
    {},
    upTo(1000).map((n) =>
      countsRow(`${new Date((nowUs + n * MINUTE_US) / 1000).toISOString().slice(0, 16)}:00`, [1, 0, 0, 0]),
    ),
  ),
  counts(
    'many requests of few URLs',
    upTo(3000).map((n) =>
      requestAt(nowUs, n % 2 === 0 ? '/rest' : '/auth', `https://${n % 3 === 0 ? 'abc' : 'xyz'}.co/${n % 10}`),
    ),
    {},
    [countsRow(NOW_ROW, [500, 0, 500, 0])],
  ),
]

export const API_COUNTS_CASES: readonly Case[] = [
  ...EDGES,
  ...AREAS,
  ...URLS,
  ...PATTERN_CASES.map(patternCase),
  ...LIMITS,
]
