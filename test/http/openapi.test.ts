import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { backtestAnswer } from '../../src/alerts/backtest/answer.js'
import { alertsAnswer, rulesAnswer } from '../../src/alerts/evaluate/answers.js'
import { LogweirError } from '../../src/base/errors.js'
import type { ListedDeletion } from '../../src/common/deletions.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import type { SendOutcome } from '../../src/http/intake/logs.js'
import { openApi } from '../../src/http/openapi/document.js'
import type { AppOptions } from '../../src/http/options.js'
import { type Dialect, LOGFLARE_DIALECT, OWN_DIALECT } from '../../src/http/reply/dialect.js'
import { HTTP_STATUSES } from '../../src/http/reply/errors.js'
import type { Row } from '../../src/plan/answer.js'
import { RawJson } from '../../src/plan/values/values.js'
import { alertOf, viewOf } from '../alerts/views.js'
import type { TestToken } from './support.js'
import { API_COUNTS, createTestApp, LOGS_ALL, PREFIX, STATS, settle, TOKEN } from './support.js'

interface Media {
  schema: object
}
interface Documented {
  content?: Record<string, Media>
  headers?: Record<string, object>
}
interface Operation {
  responses: Record<string, Documented>
  parameters?: readonly object[]
}
interface CodeSchema {
  code?: { enum: string[] }
}
interface Description {
  paths: Record<string, Record<string, Operation>>
}

const LOGS_ROW: Row = { id: 'a', timestamp: 1, event_message: '', metadata: new RawJson('{"a":[1.0]}') }
const STATS_ROW: Row = {
  timestamp: 1,
  min_execution_time: null,
  max_execution_time: 0.5,
  avg_execution_time: 0.5,
  p95_execution_time: 0.5,
  p99_execution_time: 0.5,
  count: 2,
  error_count: 0,
}
const COUNTS_ROW: Row = {
  timestamp: '2026-11-20T10:00:00',
  total_rest_requests: 1,
  total_storage_requests: 0,
  total_auth_requests: 0,
  total_realtime_requests: 0,
}
const BUCKET_ROW: Row = { timestamp: 0, bucket_us: 1_000_000, class: null, count: 1 }
const MEASURED_ROW: Row = { timestamp: 0, bucket_us: 1, count: 2, min: 1, max: 2, avg: 1.5, p50: 1, p95: 2, p99: 2 }

const TOKENS: (string | TestToken)[] = [
  TOKEN,
  { token: 'sender', scopes: new Set(['ingest']) },
  { token: 'reader', scopes: new Set(['query']) },
  { token: 'bound', projects: new Set(['mine']) },
  { token: 'deleter', scopes: new Set(['delete']) },
  { token: 'bound-deleter', scopes: new Set(['delete']), projects: new Set(['mine']) },
  { token: 'slow', limit: { take: () => 7 } },
]

type TestOptions = NonNullable<Parameters<typeof createTestApp>[0]>

const BROKEN = { startsUs: 0, notifiedUs: undefined, reason: 'No.' }
const VIEWS = [
  viewOf('a', { lastUs: 1, alerts: new Map([['1', alertOf([['project', 'mine']], 1, 2)]]) }),
  viewOf('b', { broken: BROKEN }, '-- muted: until 2100-01-01T00:00Z, why\n'),
]
const ALERTING: AppOptions['alerting'] = {
  alerts: (projects) => alertsAnswer(VIEWS, 0, projects),
  rules: (projects) => rulesAnswer(VIEWS, 0, projects),
}

const TESTED = backtestAnswer({
  events: [
    {
      ...{ rule: 'rule', identity: '', state: 'firing', instantUs: 1e15, startsUs: 1e15, text: 'It fails.' },
      ...{ labels: [['project', 'a']], values: [['errors', 2]] },
    },
  ],
  ...{ omitted: 0, method: 'steps', wanted: 20_160, failed: 1 },
  instants: { firstUs: 1e15, everyUs: 30_000_000, count: 1_000 },
})

const DELETION: ListedDeletion = {
  ...{ id: '019adf0a1b2c00000000', state: 'erased', project: 'a', source: null, start: null, end: null },
  ...{ where: null, where_sha256: 'ab', by: '1a2b3c4d (ops)', accepted: '2026-11-20T10:00:00Z' },
  ...{ erased: '2026-11-20T10:00:01Z', rows: 1, bytes: -5 },
  dropped_groups: [{ view: 'own.view', first: '2026-11-20T00:00:00Z', last: '2026-11-21T00:00:00Z' }],
}
const OPEN_DELETION: ListedDeletion = {
  ...{ ...DELETION, state: 'hidden', source: 'edge_logs', start: '2026-11-20T00:00:00Z', where: 'true' },
  ...{ erased: null, rows: null, bytes: null, dropped_groups: [] },
}

/** The app. The parts return or fail as the case says. */
function open({ rows = [LOGS_ROW], failure, fate, status = 'ok', ...parts }: Case['given'] = {}) {
  const engine = {
    async run() {
      if (failure !== undefined) throw failure
      return (async function* () {
        yield* rows
      })()
    },
    async usage() {
      if (failure !== undefined) throw failure
      return [{ project: undefined, source: 'edge_logs', day: 20_000, rows: 1, bytes: 100 }]
    },
    follow: async () => ({ run: async () => ({ rows: (async function* () {})(), delivered: 0 }), stop() {} }),
  }
  const intake = {
    writeFailure: () => (parts.isTroubled ? new Error('full') : undefined),
    prepare() {},
    async take() {
      if (fate instanceof Error) throw fate
      return fate ?? { taken: 1, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  async function testRule() {
    if (failure !== undefined) throw failure
    return TESTED
  }
  async function given<T>(answer: T): Promise<T> {
    if (failure !== undefined) throw failure
    return answer
  }
  const deleting = {
    accept: () => given(OPEN_DELETION),
    count: () => given({ project: 'a', rows: 1, sources: [{ source: 'edge_logs', rows: 1 }] }),
    list: () => given([OPEN_DELETION, DELETION]),
    find: () => given(parts.hasNoDeletion ? undefined : DELETION),
  }
  const test = createTestApp({
    deleting: parts.cannotDelete ? undefined : deleting,
    engine,
    intake,
    translate: async () => Buffer.from('{}\n'),
    alerting: ALERTING,
    testRule: parts.hasNoSql ? undefined : testRule,
    tokens: TOKENS,
    limits: parts.limits,
    dialect: parts.dialect,
  } as TestOptions)
  test.state.status = status
  return test
}

interface Case {
  about: string
  /** The path in the description. */
  path: string
  search?: string
  init?: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }
  status: number
  code?: string
  given?: {
    rows?: Row[]
    failure?: Error
    fate?: SendOutcome | Error
    status?: 'starting' | 'ok' | 'stopping'
    isTroubled?: boolean
    isEnding?: boolean
    hasNoSql?: boolean
    hasNoDeletion?: boolean
    cannotDelete?: boolean
    /** The body never ends: how long the clock advances before the response is awaited. */
    passMs?: number
    limits?: TestOptions['limits']
    dialect?: Dialect
  }
}

const key = (token: string) => ({ headers: { 'X-API-KEY': token } })
const accepting = (Accept: string) => ({ headers: { Accept } })
const post = (body: string, type = 'application/json', more: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': type, ...more },
})
const refused = (reason: string): SendOutcome => ({
  taken: 0,
  rejected: 1,
  byReason: { [reason]: 1 },
  rejects: [{ record: 1, reason }],
})
const ENGINE_AWAY = new LogweirError('engine_unavailable', 'It is away.')
const DEFECT = new Error('a defect')

/** The error responses of every path that needs a token. */
const behindToken = (path: string, init: Case['init'], search: string, scopeless: string): Case[] => {
  const as = (token: string) => ({ ...init, headers: { ...init?.headers, 'X-API-KEY': token } })
  return [
    { about: 'a wrong token', path, search, init: as('wrong'), status: 401, code: 'unauthorized' },
    { about: 'a scope that is missing', path, search, init: as(scopeless), status: 403, code: 'forbidden' },
    { about: 'too often', path, search, init: as('slow'), status: 429, code: 'too_many_requests' },
    { about: 'starting', path, search, init, status: 503, code: 'starting', given: { status: 'starting' } },
    ...(MAY_WAIT.test(path) ? [stoppingAt(path, search, init)] : []),
  ]
}

/** The paths with answers that may take long. */
const MAY_WAIT = /^\/api\/endpoints\/query\/|\/logs$|\/(projects|usage|test)$/
const stoppingAt = (path: string, search: string, init: Case['init']): Case => {
  return { about: 'stopping', path, search, init, status: 503, code: 'stopping', given: { isEnding: true } }
}

const queries = (path: string, row: Row, more = ''): Case[] => [
  ...behindToken(path, {}, `?project=a${more}`, 'sender'),
  { about: 'rows', path, search: `?project=a${more}`, status: 200, given: { rows: [row] } },
  ...['application/x-ndjson', 'text/csv', 'application/vnd.apache.arrow.stream'].map((type) => ({
    about: type,
    path,
    search: `?project=a${more}`,
    init: accepting(type),
    status: 200,
    given: { rows: [row] },
  })),
  {
    about: 'the same again',
    path,
    search: `?project=a${more}`,
    init: { headers: { 'If-None-Match': '*' } },
    status: 304,
  },
  { about: 'no project', path, status: 400, code: 'missing_parameter' },
  { about: 'two projects', path, search: `?project=a&project=b${more}`, status: 400, code: 'duplicate_parameter' },
  {
    about: 'another project',
    path,
    search: `?project=a${more}`,
    init: key('bound'),
    status: 403,
    code: 'forbidden_project',
  },
  {
    about: 'an unknown format',
    path,
    search: `?project=a${more}`,
    init: accepting('image/png'),
    status: 406,
    code: 'not_acceptable',
  },
  {
    about: 'no room',
    path,
    search: `?project=a${more}`,
    status: 503,
    code: 'overloaded',
    given: { failure: new LogweirError('overloaded', 'Full.') },
  },
  {
    about: 'too many groups',
    path,
    search: `?project=a${more}`,
    status: 400,
    code: 'too_many_groups',
    given: { failure: new LogweirError('too_many_groups', 'Too many.') },
  },
  ...(
    [
      ['too much memory', 400, 'too_much_memory'],
      ['an expression that fails', 400, 'invalid_sql'],
      ['a plan that the engine cannot run', 501, 'unsupported_by_engine'],
    ] as const
  ).map(([about, status, code]): Case => {
    return { about, path, search: `?project=a${more}`, status, code, given: { failure: new LogweirError(code, 'No.') } }
  }),
  {
    about: 'no engine',
    path,
    search: `?project=a${more}`,
    status: 503,
    code: 'engine_unavailable',
    given: { failure: ENGINE_AWAY },
  },
  { about: 'a defect', path, search: `?project=a${more}`, status: 500, code: 'internal', given: { failure: DEFECT } },
]

/** The same by POST, with the parameters in the body, and the mistakes that are possible there. */
const byPost = (cases: readonly Case[]): Case[] => {
  const sent = (search: string | undefined, init: Case['init']): Case['init'] => {
    const body = post(search?.slice(1) ?? '', 'application/x-www-form-urlencoded')
    return { ...body, ...init, headers: { ...body.headers, ...init?.headers } }
  }
  const posted = cases.map(({ search, init, ...one }) => ({ ...one, init: sent(search, init) }))
  const wrong = [...new Map(posted.map((one) => [one.path, one])).keys()].flatMap((path): Case[] => [
    { about: 'a list as a value', path, init: post('{"a":[]}'), status: 400, code: 'invalid_parameter' },
    { about: 'no JSON', path, init: post('{'), status: 400, code: 'invalid_body' },
    { about: 'an unknown type', path, init: post('{}', 'text/plain'), status: 415, code: 'unsupported_content_type' },
    {
      about: 'an unknown coding',
      path,
      init: post('{}', 'application/json', { 'Content-Encoding': 'lzma' }),
      status: 415,
      code: 'unsupported_content_encoding',
    },
    { about: 'too slow', path, init: post('{}'), status: 408, code: 'request_timeout', given: { passMs: 15_000 } },
    {
      about: 'too large',
      path,
      init: post('{}'),
      status: 413,
      code: 'body_too_large',
      given: { limits: { bodyBytes: 1 } as TestOptions['limits'] },
    },
    {
      about: 'too many bodies',
      path,
      init: post('{}'),
      status: 429,
      code: 'too_many_bodies',
      given: { limits: { bodiesBytes: 1 } as TestOptions['limits'] },
    },
  ])
  return [...posted, ...wrong]
}

/** The same for a query of the log explorer. */
const explored = (path: string, row: Row, more = ''): Case[] => {
  const refusal = (about: string, wrong: string, code: string): Case => {
    return { about, path, search: `?project=a&${wrong}${more}`, status: 400, code }
  }
  return [
    ...queries(path, row, `&source=edge_logs${more}`),
    refusal('no time', 'source=edge_logs&end=x', 'invalid_timestamp'),
    refusal('no source', 'source=x', 'invalid_parameter'),
    refusal('no filter', 'source=edge_logs&filter={}', 'invalid_parameter'),
    refusal('no pattern', 'source=edge_logs&filter=[{"field":"id","op":"matches","value":"("}]', 'invalid_pattern'),
  ]
}

const sendings = (path: string, sent: Case['init']): Case[] => [
  ...behindToken(path, sent, '', 'reader'),
  { about: 'records', path, init: sent, status: 200 },
  { about: 'some records', path, init: sent, status: 200, given: { fate: { ...refused('invalid_json'), taken: 1 } } },
  {
    about: 'many rejects',
    path,
    init: sent,
    status: 200,
    given: { fate: { ...refused('invalid_json'), taken: 1, rejected: 9 } },
  },
  { about: 'two sources', path, search: '?source=a&source=b', init: sent, status: 400, code: 'duplicate_parameter' },
  { about: 'an unknown source', path, search: '?source=nginx', init: sent, status: 400, code: 'unknown_source' },
  {
    about: 'no source',
    path,
    init: sent,
    status: 400,
    code: 'missing_source',
    given: { fate: refused('missing_source') },
  },
  {
    about: 'bad records',
    path,
    init: sent,
    status: 400,
    code: 'invalid_records',
    given: { fate: refused('invalid_json') },
  },
  {
    about: 'no JSON',
    path,
    init: sent,
    status: 400,
    code: 'invalid_body',
    given: { fate: new LogweirError('invalid_body', 'No.') },
  },
  {
    about: 'too large',
    path,
    init: sent,
    status: 413,
    code: 'body_too_large',
    given: { limits: { bodyBytes: 1 } as TestOptions['limits'] },
  },
  {
    about: 'too slow',
    path,
    init: sent,
    status: 408,
    code: 'request_timeout',
    given: { passMs: 15_000 },
  },
  { about: 'an unknown type', path, init: post('{}', 'text/plain'), status: 415, code: 'unsupported_content_type' },
  {
    about: 'an unknown coding',
    path,
    init: { ...sent, headers: { ...sent?.headers, 'Content-Encoding': 'lzma' } },
    status: 415,
    code: 'unsupported_content_encoding',
  },
  {
    about: 'too many bodies',
    path,
    init: sent,
    status: 429,
    code: 'too_many_bodies',
    given: { limits: { bodiesBytes: 1 } as TestOptions['limits'] },
  },
  {
    about: 'another project',
    path,
    search: '?project=other',
    init: { ...sent, headers: { ...sent?.headers, 'X-API-KEY': 'bound' } },
    status: 403,
    code: 'forbidden_project',
  },
  {
    about: 'no room on the disk',
    path,
    init: sent,
    status: 503,
    code: 'engine_unavailable',
    given: { isTroubled: true },
  },
]

const TAIL = '/api/tail'

const QUERIES: Case[] = [
  ...queries(LOGS_ALL, LOGS_ROW),
  ...queries(STATS, STATS_ROW),
  ...queries(API_COUNTS, COUNTS_ROW),
  ...explored('/api/endpoints/query/logs.explore', { ...LOGS_ROW, rank: 1 }),
  ...explored('/api/endpoints/query/logs.histogram', BUCKET_ROW),
  ...explored('/api/endpoints/query/logs.measure', MEASURED_ROW, '&field=status'),
  ...explored('/api/endpoints/query/logs.fields', LOGS_ROW),
  {
    about: 'no time',
    path: LOGS_ALL,
    search: '?project=a&iso_timestamp_end=x',
    status: 400,
    code: 'invalid_timestamp',
  },
  { about: 'no pattern', path: API_COUNTS, search: '?project=(', status: 400, code: 'invalid_pattern' },
]

const CASES: Case[] = [
  ...QUERIES,
  ...byPost(QUERIES),
  ...behindToken(TAIL, {}, '?project=a', 'sender'),
  { about: 'a stream', path: TAIL, search: '?project=a', status: 200 },
  { about: 'no project', path: TAIL, status: 400, code: 'missing_parameter' },
  { about: 'two projects', path: TAIL, search: '?project=a&project=b', status: 400, code: 'duplicate_parameter' },
  { about: 'no source', path: TAIL, search: '?project=a&source=x', status: 400, code: 'invalid_parameter' },
  {
    about: 'no pattern',
    path: TAIL,
    search: `?project=a&filter=${encodeURIComponent('[{"field":"id","op":"matches","value":"("}]')}`,
    status: 400,
    code: 'invalid_pattern',
  },
  {
    about: 'no event id',
    path: TAIL,
    search: '?project=a',
    init: { headers: { 'Last-Event-ID': 'x' } },
    status: 400,
    code: 'invalid_last_event_id',
  },
  {
    about: 'another project',
    path: TAIL,
    search: '?project=a',
    init: key('bound'),
    status: 403,
    code: 'forbidden_project',
  },
  {
    about: 'no room',
    path: TAIL,
    search: '?project=a',
    status: 503,
    code: 'overloaded',
    given: { limits: { tails: 0 } as TestOptions['limits'] },
  },
  {
    about: 'it stops',
    path: TAIL,
    search: '?project=a',
    status: 503,
    code: 'stopping',
    given: { isEnding: true },
  },
  ...sendings('/api/logs', post('[{}]')),
  {
    about: 'one field as time and message',
    path: '/api/logs',
    search: '?time_field=a&message_field=a',
    init: post('[{}]'),
    status: 400,
    code: 'invalid_parameter',
  },
  ...sendings('/v1/logs', post('{}')),
  { about: 'protobuf', path: '/v1/logs', init: post('', 'application/x-protobuf'), status: 200 },
  { about: 'it lives', path: '/health', status: 200 },
  { about: 'it lives, and stops', path: '/health', status: 200, given: { status: 'stopping' } },
  { about: 'it starts', path: '/health', status: 503, code: 'starting', given: { status: 'starting' } },
  { about: 'it serves', path: '/ready', status: 200 },
  { about: 'it starts', path: '/ready', status: 503, code: 'starting', given: { status: 'starting' } },
  { about: 'it stops', path: '/ready', status: 503, code: 'stopping', given: { status: 'stopping' } },
  { about: 'all projects', path: '/api/session', status: 200 },
  { about: 'some projects', path: '/api/session', init: key('bound'), status: 200 },
  { about: 'no token', path: '/api/session', init: key(''), status: 200 },
  { about: 'too often', path: '/api/session', init: key('slow'), status: 429, code: 'too_many_requests' },
  { about: 'it starts', path: '/api/session', status: 503, code: 'starting', given: { status: 'starting' } },
  ...['/metrics', '/api/endpoints', '/api/openapi.json'].flatMap(document),
  ...['/api/alerting/alerts', '/api/alerting/rules'].flatMap(alertList),
  ...document('/api/views'),
  { about: 'of all projects', path: '/api/views', init: key('bound'), status: 403, code: 'forbidden' },
  ...ruleTests(),
  ...deletions(),
  ...projects(),
  ...usage(),
]

function document(path: string): Case[] {
  return [...behindToken(path, {}, '', 'sender'), { about: 'an answer', path, status: 200 }]
}

function alertList(path: string): Case[] {
  return [...document(path), { about: 'to a bound token', path, init: key('bound'), status: 200 }]
}

function ruleTests(): Case[] {
  const path = '/api/alerting/test'
  const asked = post('{"rule":"-- alert: every 30s","last":"7d"}')
  const wrong = byPost([{ about: '', path, status: 200 }]).filter(({ code }) => code !== undefined)
  const failing = (about: string, status: number, code: string): Case => {
    return { about, path, init: asked, status, code, given: { failure: new LogweirError(code, 'No.') } }
  }
  return [
    ...behindToken(path, asked, '', 'sender'),
    { about: 'transitions', path, init: asked, status: 200 },
    { about: 'of all projects', path, init: { ...asked, ...key('bound') }, status: 403, code: 'forbidden' },
    { about: 'no SQL', path, init: asked, status: 404, code: 'not_found', given: { hasNoSql: true } },
    { about: 'no rule', path, init: post('{"last":"7d"}'), status: 400, code: 'missing_parameter' },
    {
      about: 'a rule twice',
      path,
      init: post('{"rule":"a","rule":"a","last":"7d"}'),
      status: 400,
      code: 'duplicate_parameter',
    },
    failing('a fault', 400, 'invalid_rule'),
    failing('another test', 503, 'overloaded'),
    { about: 'a defect', path, init: asked, status: 500, code: 'internal', given: { failure: DEFECT } },
    ...wrong,
  ]
}

function deletions(): Case[] {
  const path = '/api/deletions'
  const byId = `${path}/{id}`
  const deleter = key('deleter')
  const asking = (members: string, token = 'deleter') =>
    post(`{"project":"a"${members}}`, undefined, { 'X-API-KEY': token })
  const asked = asking('')
  const wrong = byPost([{ about: '', path, status: 202, init: deleter }]).flatMap((one) =>
    one.code === undefined
      ? []
      : [{ ...one, init: { ...one.init, headers: { ...one.init?.headers, ...deleter.headers } } }],
  )
  const failing = (about: string, status: number, code: string): Case => {
    return { about, path, init: asked, status, code, given: { failure: new LogweirError(code, 'No.') } }
  }
  return [
    ...behindToken(path, deleter, '', TOKEN),
    { about: 'a list', path, init: deleter, status: 200 },
    ...behindToken(byId, deleter, '', TOKEN),
    { about: 'a deletion', path: byId, init: deleter, status: 200 },
    { about: 'no deletion', path: byId, init: deleter, status: 404, code: 'not_found', given: { hasNoDeletion: true } },
    ...[path, byId].flatMap((one): Case[] => [
      {
        ...{ about: 'an engine that cannot delete', path: one, init: deleter },
        ...{ status: 501, code: 'unsupported_by_engine', given: { cannotDelete: true } },
      },
      { about: 'a defect', path: one, init: deleter, status: 500, code: 'internal', given: { failure: DEFECT } },
    ]),
    ...behindToken(path, asked, '', TOKEN),
    stoppingAt(path, '', asked),
    { about: 'a deletion', path, init: asked, status: 202 },
    { about: 'a count', path, init: asking(',"dry_run":true'), status: 200 },
    { about: 'another project', path, init: asking('', 'bound-deleter'), status: 403, code: 'forbidden_project' },
    {
      about: 'no project',
      path,
      init: { ...post('{}'), ...{ headers: { ...post('').headers, ...deleter.headers } } },
      status: 400,
      code: 'missing_parameter',
    },
    { about: 'a project twice', path, init: asking(',"project":"a"'), status: 400, code: 'duplicate_parameter' },
    { about: 'no time', path, init: asking(',"start":"x"'), status: 400, code: 'invalid_timestamp' },
    failing('wrong SQL', 400, 'invalid_sql'),
    failing('SQL that can fail', 400, 'unsupported_sql'),
    failing('no pattern', 400, 'invalid_pattern'),
    failing('no memory', 400, 'too_much_memory'),
    failing('too many', 503, 'too_many_deletions'),
    failing('no room', 503, 'overloaded'),
    failing('no disk', 503, 'engine_unavailable'),
    {
      ...{ about: 'an engine that cannot delete', path, init: asked },
      ...{ status: 501, code: 'unsupported_by_engine', given: { cannotDelete: true } },
    },
    { about: 'a defect', path, init: asked, status: 500, code: 'internal', given: { failure: DEFECT } },
    ...wrong,
  ]
}

function projects(): Case[] {
  const path = '/api/projects'
  const rows = [{ project: 'a', source: 'edge_logs', rows: 2, newest: 1 }]
  const failing = (about: string, status: number, code: 'overloaded' | 'too_many_groups'): Case => {
    return { about, path, status, code, given: { failure: new LogweirError(code, 'No.') } }
  }
  return [
    ...behindToken(path, {}, '', 'sender'),
    { about: 'rows', path, status: 200, given: { rows } },
    { about: 'one of them', path, search: '?project=a', status: 200, given: { rows } },
    { about: 'by name and rows', path, search: '?match=a&order=rows', status: 200, given: { rows } },
    { about: 'another order', path, search: '?order=size', status: 400, code: 'invalid_parameter' },
    { about: 'two of them', path, search: '?project=a&project=b', status: 400, code: 'duplicate_parameter' },
    {
      about: 'another project',
      path,
      search: '?project=other',
      init: key('bound'),
      status: 403,
      code: 'forbidden_project',
    },
    ...['application/x-ndjson', 'text/csv', 'application/vnd.apache.arrow.stream'].map((type) => {
      return { about: type, path, init: accepting(type), status: 200, given: { rows } }
    }),
    { about: 'the same again', path, init: { headers: { 'If-None-Match': '*' } }, status: 304, given: { rows } },
    { about: 'an unknown format', path, init: accepting('image/png'), status: 406, code: 'not_acceptable' },
    failing('no room', 503, 'overloaded'),
    failing('too many projects', 400, 'too_many_groups'),
    { about: 'no engine', path, status: 503, code: 'engine_unavailable', given: { failure: ENGINE_AWAY } },
    { about: 'a defect', path, status: 500, code: 'internal', given: { failure: DEFECT } },
  ]
}

function usage(): Case[] {
  const path = '/api/usage'
  const failing = (about: string, status: number, code: string): Case => {
    return { about, path, status, code, given: { failure: new LogweirError(code, 'No.') } }
  }
  return [
    ...behindToken(path, {}, '', 'sender'),
    { about: 'rows', path, status: 200 },
    {
      about: 'some',
      path,
      search: '?project=a&source=edge_logs&start=2026-11-20T00:00:00Z&end=2026-11-21',
      status: 200,
    },
    { about: 'of a bound token', path, init: key('bound'), status: 200 },
    { about: 'of an unknown source', path, search: '?source=edge', status: 400, code: 'invalid_parameter' },
    { about: 'no time', path, search: '?start=today', status: 400, code: 'invalid_timestamp' },
    { about: 'two projects', path, search: '?project=a&project=b', status: 400, code: 'duplicate_parameter' },
    {
      about: 'another project',
      path,
      search: '?project=other',
      init: key('bound'),
      status: 403,
      code: 'forbidden_project',
    },
    ...['application/x-ndjson', 'text/csv', 'application/vnd.apache.arrow.stream'].map((type) => {
      return { about: type, path, init: accepting(type), status: 200 }
    }),
    { about: 'the same again', path, init: { headers: { 'If-None-Match': '*' } }, status: 304 },
    { about: 'an unknown format', path, init: accepting('image/png'), status: 406, code: 'not_acceptable' },
    failing('no room', 503, 'overloaded'),
    failing('too many rows', 400, 'too_many_groups'),
    failing('too much memory', 400, 'too_much_memory'),
    failing('an engine that does not count', 501, 'unsupported_by_engine'),
    { about: 'no engine', path, status: 503, code: 'engine_unavailable', given: { failure: ENGINE_AWAY } },
    { about: 'a defect', path, status: 500, code: 'internal', given: { failure: DEFECT } },
  ]
}

const LISTS = ['/api/backends']
/** The cases of each dialect. */
const DIALECTS: [string, Dialect, Case[]][] = [
  ['of its own', OWN_DIALECT, CASES],
  ['of Logflare', LOGFLARE_DIALECT, [...CASES, ...LISTS.flatMap(document)]],
]

const refuseCall = () => {
  throw new LogweirError('invalid_parameter', 'It is not seven.')
}

/** Returns the description, and a validator with the description. */
async function describedIn(dialect: Dialect) {
  const description = (await (await open({ dialect }).get('/api/openapi.json')).json()) as Description
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(description, 'description')
  return { description, ajv, dialect }
}

const pointer = (...names: string[]) =>
  `description#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

/** The apps of cases that need nothing special, by dialect: an app takes 14 ms to create. */
const plainApps = new Map<Dialect, ReturnType<typeof open>>()

function appFor(given: Case['given'], dialect: Dialect) {
  if (given !== undefined) return open({ ...given, dialect })
  const app = plainApps.get(dialect) ?? open({ dialect })
  plainApps.set(dialect, app)
  return app
}

/** Sends the request of a case and checks the response against the description. */
async function held(
  { description, ajv, dialect }: Awaited<ReturnType<typeof describedIn>>,
  { path, search = '', init = {}, given }: Case,
) {
  const { app, clock } = appFor(given, dialect)
  if (given?.isEnding) app.beginStop(0)
  clock.advance(0)
  const headers = { 'X-API-KEY': TOKEN, ...init.headers }
  const body = given?.passMs === undefined ? init.body : new ReadableStream()
  const whole = { ...init, body, headers, duplex: 'half' } as RequestInit
  const reply = app.fetch(new Request(PREFIX + path + search, whole))
  if (given?.passMs !== undefined) {
    await settle()
    clock.advance(given.passMs)
  }
  const response = await reply
  const method = (init.method ?? 'GET').toLowerCase()
  const documented = description.paths[path]![method]!.responses[response.status]
  const type = response.headers.get('content-type')?.split(';')[0]
  const text = type === 'text/event-stream' ? '' : await response.text()
  if (type === 'text/event-stream') await response.body?.cancel().catch(() => {})
  const json = type === 'application/json' ? JSON.parse(text) : undefined
  const place = pointer('paths', path, method, 'responses', String(response.status), 'content', type ?? '', 'schema')
  const isAsTold = json === undefined || ajv.validate({ $ref: place }, json)
  const missing = Object.keys(documented?.headers ?? {}).filter((name) => name !== 'Age' && !response.headers.has(name))
  return {
    status: response.status,
    code: (json?.code ?? json?.error?.code) as string | undefined,
    isDocumented: documented !== undefined && (response.status === 304 || documented.content?.[type!] !== undefined),
    faults: isAsTold ? [] : ajv.errors,
    missing,
  }
}

test('says how many rows an endpoint has, and which endpoints the owner added', async () => {
  const own = { ...ENDPOINTS[0]!, name: 'own', summary: undefined, isOwn: true as const }
  const { paths } = JSON.parse(openApi([...ENDPOINTS, own], '1', 0)) as {
    paths: Record<string, { get: { tags: string[]; summary: string; description: string; 'x-rows': object } }>
  }
  const of = (name: string) => paths[`/api/endpoints/query/${name}`]!.get
  expect(of('own')).toMatchObject({ tags: ['queries', 'own'], summary: 'The rows of own' })
  expect(of('logs.all')).toMatchObject({
    tags: ['queries'],
    summary: 'The newest edge requests of a project',
    description: expect.stringMatching(/^At most 1000 rows; 100 if only the required parameters are given\. /),
    'x-rows': { maximum: 1000, default: 100 },
  })
  expect(of('logs.explore')['x-rows']).toEqual({ maximum: 1000, default: 100 })
  expect(of('logs.fields')).toMatchObject({
    description: expect.stringMatching(/^At most 300 rows\. /),
    'x-rows': { maximum: 300 },
  })
})

test('requires a project only without a default project, and never names the default', async () => {
  type Described = { name: string; required?: boolean; description: string }
  type Paths = Record<string, { get?: { parameters?: Described[] }; post?: { parameters?: Described[] } }>
  const given = async (defaultProject?: string) => {
    const answer = await createTestApp({ defaultProject }).get('/api/openapi.json')
    const text = await answer.text()
    const described = Object.entries((JSON.parse(text) as { paths: Paths }).paths).flatMap(([path, { get, post }]) =>
      [...(get?.parameters ?? []), ...(post?.parameters ?? [])]
        .filter(({ name }) => name === 'project')
        .map(({ required = false, description }) => ({ path, required, description })),
    )
    return { text, described }
  }
  const [without, having] = [await given(), await given('the-default')]
  const withoutDefault = ['/api/logs', '/v1/logs', '/api/projects', '/api/usage']
  for (const { path, required, description } of without.described) {
    expect([path, required]).toEqual([path, !withoutDefault.includes(path)])
    expect(description).not.toContain('default project')
  }
  for (const { path, required, description } of having.described) {
    expect([path, required]).toEqual([path, false])
    // The list of projects and the usage have all projects, whatever the default.
    expect([path, description.includes('default project')]).toEqual([
      path,
      !['/api/projects', '/api/usage'].includes(path),
    ])
  }
  expect(having.described.map(({ path }) => path)).toEqual(without.described.map(({ path }) => path))
  expect(without.described.length).toBeGreaterThan(8)
  expect(having.text).not.toContain('the-default')
})

test('says what each code means that a path answers', () => {
  const { paths, components } = JSON.parse(openApi(ENDPOINTS, '1', 0)) as {
    paths: object
    components: { 'x-codes': { code: string; status: number; meaning: string }[] }
  }
  const named = JSON.stringify(paths).matchAll(/"code":\{"enum":(\[.*?\])/g)
  const codes = [...named].flatMap(([, list]) => JSON.parse(list!) as string[])
  const explained = new Map(components['x-codes'].map(({ code, status }) => [code, status]))
  expect([...new Set(codes)].filter((code) => !explained.has(code))).toEqual([])
  expect([...HTTP_STATUSES.keys()].filter((code) => !explained.has(code))).toEqual(['abandoned'])
  expect([explained.get('unauthorized'), explained.get('internal'), explained.get('overloaded')]).toEqual([
    401, 500, 503,
  ])
})

describe.each(DIALECTS)('/api/openapi.json in the dialect %s', async (_, dialect, cases) => {
  const described = await describedIn(dialect)
  const { description } = described

  test('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(description) as object as Record<string, unknown>,
    )
    expect([valid, errors]).toEqual([true, undefined])
  })

  test.each(
    cases.map((one) => [one.init?.method ?? 'GET', one.path, one.about, one] as const),
  )('says what %s %s answers: %s', async (_method, _path, _about, one) => {
    expect(await held(described, one)).toEqual({
      status: one.status,
      code: one.code,
      isDocumented: true,
      faults: [],
      missing: [],
    })
  })

  test('names no path, status or code that no case above has shown', () => {
    const shown = new Set(
      cases.flatMap(({ path, init, status, code }) => {
        const answer = `${(init?.method ?? 'GET').toLowerCase()} ${path} ${status}`
        return code === undefined ? [answer] : [answer, `${answer} ${code}`]
      }),
    )
    const named = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content }]) => {
          const schema = content?.['application/json']?.schema as {
            allOf?: { properties?: CodeSchema & { error?: { properties: CodeSchema } } }[]
          }
          const properties = schema?.allOf?.[1]?.properties
          const codes = (properties?.error?.properties ?? properties)?.code?.enum ?? []
          const answer = `${method} ${path} ${status}`
          return [answer, ...codes.map((code) => `${answer} ${code}`)]
        }),
      ),
    )
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter((one) => !shown.has(one))).toEqual([])
  })
})

describe('/api/openapi.json', () => {
  test('follows endpoints that come and go', async () => {
    const { app, get } = open()
    const own = { required: false, description: 'a parameter of its own', read: () => 1 }
    const params = { ...ENDPOINTS[0]!.params, own }
    app.replaceEndpoints([...ENDPOINTS, { ...ENDPOINTS[0]!, name: 'own.one', params }])
    const { paths } = (await (await get('/api/openapi.json')).json()) as Description
    const { responses } = paths['/api/endpoints/query/own.one']!.get!
    expect(JSON.stringify(responses[400])).toContain('"invalid_parameter"')
    expect(JSON.stringify(responses)).not.toMatch(/[:,[]null/)
  })

  test('is there for an endpoint whose parameter takes what nobody guesses', async () => {
    const own = {
      required: true,
      description: 'seven',
      read(text: string | undefined) {
        if (text === 'seven') return 7
        throw new LogweirError('invalid_parameter', 'It is not seven.')
      },
    }
    const { name: _, ...logsAll } = ENDPOINTS[0]!
    const guarded = { ...logsAll, name: 'own.seven', params: { own }, call: refuseCall, callBound: refuseCall }
    const { app, get } = open()
    app.replaceEndpoints([...ENDPOINTS, guarded])
    const { paths } = (await (await get('/api/openapi.json')).json()) as Description
    const { content } = paths['/api/endpoints/query/own.seven']!.get!.responses[200]!
    expect(content!['application/json']!.schema).toMatchObject({
      properties: { result: { items: { type: 'object' } } },
    })
  })

  test('says that each query can be followed, and from which event on', async () => {
    const { description } = await describedIn(OWN_DIALECT)
    const queries = Object.entries(description.paths).filter(([path]) => path.startsWith('/api/endpoints/query/'))
    expect(queries.length).toBeGreaterThan(5)
    for (const operation of queries.flatMap(([, { get, post }]) => [get!, post!])) {
      expect(operation.responses[200]!.content).toHaveProperty(['text/event-stream'])
      expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/LastEventId' })
    }
    expect(description.paths['/api/projects']!.get!.responses[200]!.content).not.toHaveProperty(['text/event-stream'])
  })

  test('names the kind of each column of a row', async () => {
    const { description } = await describedIn(OWN_DIALECT)
    const { content } = description.paths['/api/endpoints/query/functions.invocation-stats']!.get!.responses[200]!
    const { properties } = content!['application/json']!.schema as {
      properties: { result: { items: { properties: Record<string, { 'x-kind': string }> } } }
    }
    const { timestamp, count, avg_execution_time } = properties.result.items.properties
    expect([timestamp, count, avg_execution_time].map((schema) => schema!['x-kind'])).toEqual([
      'microseconds',
      'count',
      'double',
    ])
  })
})
