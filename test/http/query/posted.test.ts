import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../src/http/server/server.js'
import { eventually } from '../../support/eventually.js'
import { bodyOf, listenTo, statusLines } from '../../support/raw-http.js'
import { head } from '../malformed-cases.js'
import { createSqlApp, IDS, nested, sqlPath } from '../sql/support.js'
import {
  API_COUNTS,
  createTestApp,
  LOGS_ALL,
  NOT_FOUND,
  PREFIX,
  projectOf,
  readReply,
  refusal,
  STATS,
  settle,
  TOKEN,
  UNAUTHORIZED,
} from '../support.js'

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const EXPLORE = '/api/endpoints/query/logs.explore'

const post = (
  body: string | Uint8Array | ReadableStream,
  type: string | undefined = JSON_TYPE,
  headers: Record<string, string> = {},
) => ({
  method: 'POST',
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  headers: { ...(type === '' ? {} : { 'Content-Type': type }), ...headers },
})
const postJson = (parameters: object, headers: Record<string, string> = {}) =>
  post(JSON.stringify(parameters), JSON_TYPE, headers)
const postForm = (parameters: Record<string, string>) => post(String(new URLSearchParams(parameters)), FORM)

/** Status, headers without the timing, and body. */
async function wholeReply(reply: Promise<Response>) {
  const response = await reply
  const { 'server-timing': _, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
}

describe('a query by POST', () => {
  const FILTER = '[{"field":"response.status_code","op":">=","value":500}]'
  const CALLS: [path: string, parameters: Record<string, string>][] = [
    [LOGS_ALL, { project: 'a', project_tier: 'PRO' }],
    [LOGS_ALL, { project: 'a+b c&d=%41é\u{1f600}"\\\n' }],
    [STATS, { project: 'a', function_id: '', interval: '7day' }],
    [API_COUNTS, { project: '^https?://(a|b)\\.', interval: 'hourly' }],
    [EXPLORE, { project: 'a', source: 'auth_logs', filter: FILTER, search: 'Σ', limit: '7' }],
    ['/api/endpoints/query/logs.histogram', { project: 'a', source: 'edge_logs', by: 'part' }],
    ['/api/endpoints/query/logs.fields', { project: 'a', source: 'edge_logs', field: 'a.b' }],
  ]
  test.each(CALLS)('of %s runs the plan of the GET with the same parameters', async (path, parameters) => {
    const plans = []
    for (const [search, init] of [
      [`?${new URLSearchParams(parameters)}`, {}],
      ['', postJson(parameters)],
      ['', postForm(parameters)],
      ['', post(JSON.stringify(parameters), `${JSON_TYPE}; charset=UTF-8`)],
    ] as const) {
      const { get, engine } = createTestApp({ rows: () => [] })
      const { status } = await get(path + search, init)
      plans.push([status, engine.runs.map(({ plan }) => plan)])
    }
    expect(plans[0]).toEqual([200, [expect.any(Array)]])
    expect(plans.slice(1)).toEqual([plans[0], plans[0], plans[0]])
  })

  test('has the rows, the headers and the cache entry of the GET', async () => {
    const { get, engine } = createTestApp({ rows: () => [{ timestamp: 1, count: 2 }] })
    const first = await wholeReply(get(STATS, postJson({ project: 'a' })))
    const second = await wholeReply(get(`${STATS}?project=a`))
    const third = await wholeReply(get(STATS, postForm({ project: 'a', x: '1' })))
    expect(first).toMatchObject({ status: 200, headers: { 'cache-status': 'logweir; fwd=miss; stored' } })
    expect(second.headers['cache-status']).toBe('logweir; hit; ttl=900')
    expect(third).toEqual(second)
    expect([second.body, second.headers.etag, engine.runs.length]).toEqual([first.body, first.headers.etag, 1])
  })

  test('is 304 if the answer has the tag of the request', async () => {
    const { get } = createTestApp({ rows: () => [] })
    const { headers } = await get(`${STATS}?project=a`)
    const again = postJson({ project: 'a' }, { 'If-None-Match': headers.get('etag')! })
    expect((await get(STATS, again)).status).toBe(304)
  })

  test('takes parameters from the URL too', async () => {
    const { get, engine } = createTestApp({ rows: () => [] })
    expect((await get(`${EXPLORE}?project=a&limit=7`, postJson({ source: 'edge_logs' }))).status).toBe(200)
    expect([projectOf(engine.runs[0]!), engine.runs[0]!.plan.at(-1)]).toMatchObject(['a', { op: 'limit', rows: 7 }])
  })

  test('may be compressed, and take the longest text', async () => {
    const { get, engine } = createTestApp({ rows: () => [] })
    const project = 'p'.repeat(256 * 1024 - '{"project":""}'.length)
    const body = new Uint8Array(gzipSync(JSON.stringify({ project })))
    expect((await get(LOGS_ALL, post(body, JSON_TYPE, { 'Content-Encoding': 'gzip' }))).status).toBe(200)
    expect(projectOf(engine.runs[0]!)).toBe(project)
    expect((await get(LOGS_ALL, postJson({ project }))).status).toBe(200)
    expect((await get(LOGS_ALL, postJson({ project: `${project}p` }))).status).toBe(413)
  })

  test('answers in the format of Accept', async () => {
    const { get } = createTestApp({ rows: () => [{ id: 'a' }] })
    const { headers } = await get(LOGS_ALL, postJson({ project: 'a' }, { Accept: 'text/csv' }))
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  })

  test('keeps numbers and booleans as they are spelled in a URL', async () => {
    const cases: [json: string, text: string][] = [
      ['7', '7'],
      ['-0.50', '-0.50'],
      ['1e2', '100'],
      ['9007199254740993', '9007199254740993'],
      ['1e999', '1e999'],
      ['true', 'true'],
      ['false', 'false'],
      ['"\\ud83d\\ude00 \\u00e9"', '\u{1f600} é'],
      ['"half \\ud83d"', 'half \ufffd'],
      ['"\\udc00 other half"', '\ufffd other half'],
    ]
    for (const [json, text] of cases) {
      const { get, engine } = createTestApp({ rows: () => [] })
      expect((await get(LOGS_ALL, post(`{ "project" :\t${json} }`))).status).toBe(200)
      expect([json, projectOf(engine.runs[0]!)]).toEqual([json, text])
    }
  })

  test('reads any texts as URLSearchParams does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), fc.boolean(), async (project, asForm) => {
        const { get, engine } = createTestApp({ rows: () => [] })
        await get(LOGS_ALL, asForm ? postForm({ project }) : postJson({ project }))
        expect(projectOf(engine.runs[0]!)).toBe(new URLSearchParams([['project', project]]).get('project'))
      }),
      { numRuns: 200 },
    )
  })

  test('is bound to the projects of its token, wherever it names one', async () => {
    const tokens = [{ token: TOKEN, projects: new Set(['mine']) }]
    const { get } = createTestApp({ rows: () => [], tokens })
    const statuses = []
    for (const [search, init] of [
      ['', postJson({ project: 'mine' })],
      ['', postJson({ project: 'other' })],
      ['', postForm({ project: 'other' })],
      ['?project=mine', postJson({})],
      ['?project=mine', postJson({ project: 'other' })],
      ['', postJson({ x: 1 })],
      ['', post('{"project":"mine","project":"other"}')],
      ['', post('project=mine&project=other', FORM)],
    ] as const)
      statuses.push((await get(LOGS_ALL + search, init)).status)
    // The only project of a token need not be named.
    expect(statuses).toEqual([200, 403, 403, 200, 400, 200, 400, 400])
  })

  test('needs a token for queries', async () => {
    const { get, app } = createTestApp({ tokens: [{ token: TOKEN, scopes: new Set(['ingest']) }] })
    expect((await get(LOGS_ALL, postJson({ project: 'a' }))).status).toBe(403)
    const reply = app.fetch(new Request(PREFIX + LOGS_ALL, postJson({ project: 'a' })))
    expect(await readReply(reply)).toEqual({ status: 401, body: UNAUTHORIZED })
  })
})

describe('a query by POST is refused', () => {
  const wrongType =
    'A query by POST has its parameters in the body. ' +
    'Send the body as application/json or application/x-www-form-urlencoded, in UTF-8, and name that Content-Type.'
  const example = 'Send an object of parameters, such as {"project":"abc"}.'
  const inJson = 'In JSON a parameter is a text, a number, true or false.'
  const bytes = (...given: number[]) => new Uint8Array(given)
  const CASES: [about: string, status: number, code: string, message: string, init: RequestInit, search?: string][] = [
    ['without a type', 415, 'unsupported_content_type', wrongType, post('{}', '')],
    ['as text', 415, 'unsupported_content_type', wrongType, post('project=a', 'text/plain')],
    ['as NDJSON', 415, 'unsupported_content_type', wrongType, post('{}', 'application/x-ndjson')],
    ['as a form of parts', 415, 'unsupported_content_type', wrongType, post('', 'multipart/form-data; boundary=a')],
    ['in Latin 1', 415, 'unsupported_content_type', wrongType, post('{}', `${JSON_TYPE}; charset=iso-8859-1`)],
    ['of two types', 415, 'unsupported_content_type', wrongType, post('{}', `${JSON_TYPE}, ${FORM}`)],
    [
      'in an unknown coding',
      415,
      'unsupported_content_encoding',
      expect.stringContaining('Content-Encoding'),
      post('{}', JSON_TYPE, { 'Content-Encoding': 'lzma' }),
    ],
    [
      'in a damaged coding',
      400,
      'invalid_body',
      expect.stringContaining('The body cannot be decompressed'),
      post('{}', JSON_TYPE, { 'Content-Encoding': 'gzip' }),
    ],
    [
      'over 256 KiB',
      413,
      'body_too_large',
      'The parameters are over 256 KiB, as they are sent or decompressed. Send shorter texts.',
      post(`project=${'a'.repeat(256 * 1024 - 7)}`, FORM),
    ],
    [
      'over 256 KiB when it is decompressed',
      413,
      'body_too_large',
      'The parameters are over 256 KiB, as they are sent or decompressed. Send shorter texts.',
      post(new Uint8Array(gzipSync(' '.repeat(256 * 1024 + 1))), JSON_TYPE, { 'Content-Encoding': 'gzip' }),
    ],
    ['that is empty', 400, 'invalid_body', `The body is empty. ${example}`, post('')],
    [
      'that is cut off',
      400,
      'invalid_body',
      expect.stringMatching(/^The body is not valid JSON: .+ Send an object/),
      post('{"project":"a"'),
    ],
    ['that is a list', 400, 'invalid_body', `The body is a list in JSON. ${example}`, post('["a"]')],
    ['that is null', 400, 'invalid_body', `The body is null in JSON. ${example}`, post('null')],
    ['that is a text', 400, 'invalid_body', `The body is one value in JSON. ${example}`, post('"project=a"')],
    [
      'that is not UTF-8',
      400,
      'invalid_body',
      'The body is no text in UTF-8. Encode it in UTF-8.',
      post(bytes(0x7b, 0xff, 0x7d)),
    ],
    [
      'that is UTF-16',
      400,
      'invalid_body',
      'The body is no text in UTF-8. Encode it in UTF-8.',
      post(new Uint8Array(Buffer.from('\ufeff{"project":"a"}', 'utf16le'))),
    ],
    [
      'that is a form in Latin 1',
      400,
      'invalid_body',
      'The body is no text in UTF-8. Encode it in UTF-8.',
      post(bytes(0x61, 0x3d, 0xe9), FORM),
    ],
    [
      'with a list as a value',
      400,
      'invalid_parameter',
      `The parameter "filter" is a list. ${inJson} Give its JSON as a text, in quotes.`,
      postJson({ project: 'a', filter: [] }),
    ],
    [
      'with an object as a value',
      400,
      'invalid_parameter',
      `The parameter "project" is an object. ${inJson} Give its JSON as a text, in quotes.`,
      postJson({ project: { a: 'b' } }),
    ],
    [
      'with null as a value',
      400,
      'invalid_parameter',
      `The parameter "interval" is null. ${inJson} Leave the parameter out.`,
      postJson({ project: 'a', interval: null }),
    ],
    [
      'with a name in URL and body',
      400,
      'duplicate_parameter',
      'The parameter "project" is in the URL and in the body. Give it once.',
      postJson({ project: 'a' }),
      '?project=a',
    ],
    [
      'with a name in URL and body that no query reads',
      400,
      'duplicate_parameter',
      'The parameter "x" is in the URL and in the body. Give it once.',
      post('project=a&x=1', FORM),
      '?x=',
    ],
    [
      'with a name that JSON has twice',
      400,
      'duplicate_parameter',
      'The parameter "project" is given twice. Give it once.',
      post('{"project":"a","pro\\u006aect":"a"}'),
    ],
    [
      'with a name that a form has twice',
      400,
      'duplicate_parameter',
      'The parameter "project" is given 2 times. Give it once.',
      post('project=a&project=b', FORM),
    ],
    [
      'without a project',
      400,
      'missing_parameter',
      'The parameter "project" is missing or empty. Give it a value: ?project=…',
      post('', FORM),
    ],
  ]
  test.each(CASES)('%s: %i %s', async (_about, status, code, message, init, search = '') => {
    const { get, engine } = createTestApp({ rows: () => [] })
    const reply = await readReply(get(STATS + search, init))
    expect([reply.status, JSON.parse(reply.body)]).toEqual([status, { error: message, code }])
    expect(engine.runs).toEqual([])
  })

  test('with control characters and long names shown harmlessly', async () => {
    const { get } = createTestApp({ rows: () => [] })
    const reply = await readReply(get(STATS, postJson({ [`\u001b[31m${'n'.repeat(1000)}`]: null })))
    expect(JSON.parse(reply.body).error).toMatch(/^The parameter "\\u001b\[31mn{59}…" is null\./)
  })

  test('of an endpoint that does not exist, whatever the body is', async () => {
    const { get } = createTestApp({ rows: () => [] })
    expect(await readReply(get('/api/endpoints/query/none', post('x', 'text/plain')))).toEqual({
      status: 404,
      body: NOT_FOUND,
    })
  })

  test('at any other path', async () => {
    const { get } = createTestApp({ rows: () => [] })
    for (const path of ['/api/projects', '/api/endpoints', '/metrics', '/api/session', '/']) {
      const reply = await readReply(get(path, postJson({ project: 'a' })), 'allow')
      expect([path, reply.status, (reply as { allow?: string }).allow]).toEqual([path, 405, 'GET, HEAD, OPTIONS'])
    }
  })

  test('with the errors of a GET, which name the parameter', async () => {
    const wrong = { project: 'a', source: 'x' }
    const { get } = createTestApp({ rows: () => [] })
    const byGet = await readReply(get(`${EXPLORE}?${new URLSearchParams(wrong)}`))
    expect(byGet.status).toBe(400)
    expect(await readReply(get(EXPLORE, postJson(wrong)))).toEqual(byGet)
    expect(await readReply(get(EXPLORE, postForm(wrong)))).toEqual(byGet)
  })
})

describe('SQL by POST', () => {
  test('runs as by GET', async () => {
    const { get, engine } = createSqlApp({ rows: () => [] })
    await get(sqlPath(IDS))
    await get(LOGS_ALL, postJson({ project: 'a', sql: IDS }))
    await get(`${LOGS_ALL}?project=a`, postForm({ sql: IDS }))
    const plans = engine.runs.map(({ plan }) => plan)
    expect(plans).toEqual([plans[0], plans[0], plans[0]])
  })

  test.each([
    ['wrong SQL', { project: 'a', sql: 'selec' }, {}],
    ['no project', { sql: IDS }, {}],
    ['a wrong token', { project: 'a', sql: IDS }, { 'X-API-KEY': 'wrong' }],
    ['an unknown format', { project: 'a', sql: IDS }, { Accept: 'image/png' }],
  ])('has the errors of a GET: %s', async (_about, parameters, headers) => {
    const { get } = createSqlApp({ rows: () => [] })
    const byGet = await readReply(get(`${LOGS_ALL}?${new URLSearchParams(parameters)}`, { headers } as RequestInit))
    expect(byGet.body).toMatch(/^\{"error":\{"message":/)
    expect(await readReply(get(LOGS_ALL, postJson(parameters, headers)))).toEqual(byGet)
  })

  test('nests the errors of a body that cannot be read, and not those of a body without SQL', async () => {
    const { get } = createSqlApp({ rows: () => [] })
    expect((await readReply(get(LOGS_ALL, post('null')))).body).toBe(
      nested('The body is null in JSON. Send an object of parameters, such as {"project":"abc"}.', 'invalid_body'),
    )
    const missing = refusal(
      'The parameter "project" is missing or empty. Give it a value: ?project=…',
      'missing_parameter',
    )
    expect((await readReply(get(LOGS_ALL, postJson({ sql: '' })))).body).toBe(missing)
  })
})

describe('the body of a request with a query', () => {
  const LIMITS = { minBytesPerS: 10, rateWindowMs: 15_000, maxBodyMs: 60_000 }

  /** A body that never ends. */
  function endless(init: RequestInit): RequestInit {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
    return { ...init, body, duplex: 'half' } as RequestInit
  }

  test('is cut if it is too slow', async () => {
    const { get, clock } = createTestApp({ limits: LIMITS })
    const { timers } = clock
    const reply = get(LOGS_ALL, endless({ method: 'POST', headers: { 'Content-Type': JSON_TYPE } }))
    await settle()
    expect(clock.timers).toBe(timers + 1)
    clock.advance(15_000)
    expect(await readReply(reply, 'connection')).toEqual({
      status: 408,
      connection: 'close',
      body: refusal('The parameters arrived too slowly. Send the request again, faster.', 'request_timeout'),
    })
    expect(clock.timers).toBe(timers)
  })

  test('is refused if the bodies of all queries are too large together', async () => {
    const { get } = createTestApp({ limits: { ...LIMITS, bodiesBytes: 10 } })
    expect(await readReply(get(LOGS_ALL, postJson({ project: 'abcdefg' })))).toEqual({
      status: 429,
      body: refusal('Too many queries are being received. Send the request again shortly.', 'too_many_bodies'),
    })
  })

  test.each([
    ['another method', 405, { method: 'PUT', headers: { 'Content-Type': JSON_TYPE } }],
    ['another type', 415, { method: 'POST', headers: { 'Content-Type': 'text/plain' } }],
    ['no type', 415, { method: 'POST' }],
    ['no token', 401, { method: 'POST', headers: { 'Content-Type': JSON_TYPE, 'X-API-KEY': '' } }],
  ])('is not read with %s', async (_about, status, init) => {
    const { get, clock } = createTestApp({ rows: () => [] })
    const { timers } = clock
    expect((await get(`${LOGS_ALL}?project=a`, endless(init))).status).toBe(status)
    expect(clock.timers).toBe(timers)
  })

  test('ends with the stop of the service', async () => {
    const { get, app, clock } = createTestApp()
    const reply = get(LOGS_ALL, endless({ method: 'POST', headers: { 'Content-Type': JSON_TYPE } }))
    await settle()
    app.beginStop(0)
    clock.advance(0)
    expect((await reply).status).toBe(503)
  })

  async function serve() {
    const parts = createTestApp({ rows: () => [], limits: LIMITS })
    const { port, close } = await listen(parts.app, { host: '127.0.0.1', port: 0, limits: { lingerMs: 150 } })
    onTestFinished(close)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    return { ...parts, socket, url: `http://127.0.0.1:${port}` }
  }
  const start = (...headers: string[]) =>
    head(`POST ${LOGS_ALL} HTTP/1.1`, 'Host: a', `X-API-KEY: ${TOKEN}`, `Content-Type: ${JSON_TYPE}`, ...headers)

  test('arrives over the wire, with a length and in chunks', async () => {
    const { url, engine } = await serve()
    const init = (body: string | Uint8Array | ReadableStream) => ({
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'X-API-KEY': TOKEN, 'Content-Type': JSON_TYPE },
    })
    const chunked = new Blob(['{"project":', '"b"}']).stream()
    for (const body of ['{"project":"a"}', chunked]) {
      const response = await fetch(url + LOGS_ALL, init(body) as RequestInit)
      expect([response.status, await response.text()]).toEqual([200, '{"result":[]}'])
    }
    expect(engine.runs.map(projectOf)).toEqual(['a', 'b'])
  })

  test.each([
    ['with a length', 'Content-Length: 900', '{'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
  ])('is cut over the wire too, %s', async (_about, header, piece) => {
    const { socket, clock } = await serve()
    const heard = listenTo(socket)
    const { timers } = clock
    socket.write(start(header) + piece)
    await eventually(() => expect(clock.timers).toBe(timers + 1))
    const answered = once(socket, 'data')
    clock.advance(15_000)
    await answered
    const text = await heard
    expect([statusLines(text), JSON.parse(bodyOf(text)).code]).toEqual([
      ['HTTP/1.1 408 Request Timeout'],
      'request_timeout',
    ])
  })

  test('with malformed chunks gets 400', async () => {
    const { socket } = await serve()
    const heard = listenTo(socket)
    socket.write(`${start('Transfer-Encoding: chunked')}1\r\n{\r\nzz\r\n`)
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 400 Bad Request'])
  })
})

test('a preflight of an endpoint allows POST', async () => {
  const { app } = createTestApp({ rows: () => [] })
  for (const path of [LOGS_ALL, '/api/endpoints/query/nothing']) {
    const { headers } = await app.fetch(new Request(PREFIX + path, { method: 'OPTIONS' }))
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS')
  }
})
