import * as zlib from 'node:zlib'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import type { RecordIntake, SendOutcome } from '../../../src/http/intake/logs.js'
import { eventually } from '../../support/eventually.js'
import { createTestApp, PREFIX, pass, readReply, refusal, settle, TOKEN, UNAUTHORIZED } from '../support.js'

const LOGGED = '{"message":"Logged!"}'
const NOT_KEPT = refusal(
  'Records cannot be stored at the moment, or not in time. Send them again shortly; some may have been stored.',
  'engine_unavailable',
)
const JSON_BODY = '[{"id":"a"}]'
const ALL_TAKEN: SendOutcome = { taken: 1, rejected: 0, byReason: {}, rejects: [] }

interface Given {
  text: string
  form: string
  defaults: object
}

interface State {
  writeFailure?: Error
  prepared: number
  resolve(fate: SendOutcome): void
  signal?: AbortSignal
}

/** An app with an intake that records the calls. Without `fate` the test ends the calls. */
function open({ fate, ...parts }: { fate?: SendOutcome | Error } & Parameters<typeof createTestApp>[0] = {}) {
  const given: Given[] = []
  const state: State = { prepared: 0, resolve: () => {} }
  const intake: RecordIntake = {
    writeFailure: () => state.writeFailure,
    prepare: () => void state.prepared++,
    async take(bytes, form, defaults, signal) {
      given.push({ text: Buffer.from(bytes).toString(), form, defaults })
      state.signal = signal
      if (fate instanceof Error) throw fate
      return fate ?? new Promise((resolve) => void (state.resolve = resolve))
    },
  }
  const app = createTestApp({ intake, ...parts })
  const post = (path: string, body: RequestInit['body'] = JSON_BODY, headers: Record<string, string> = {}) =>
    app.get(path, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
      duplex: 'half',
    } as RequestInit)
  return { ...app, given, intakeState: state, post }
}

/** Returns a body in chunks. If `error` is given, the body ends with the error. */
const streamOf = (parts: readonly Uint8Array[], error?: Error) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      if (error === undefined) controller.close()
      else controller.error(error)
    },
  })

describe('records that are sent', () => {
  test.each(['/api/logs', '/logs'])('to %s are taken', async (path) => {
    const { post, given } = open({ fate: ALL_TAKEN })
    expect(await readReply(post(path), 'content-type', 'access-control-allow-origin')).toEqual({
      status: 200,
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      body: LOGGED,
    })
    expect(given).toEqual([{ text: JSON_BODY, form: 'json', defaults: {} }])
  })

  test.each([
    ['source=edge_logs', { source: 'edge_logs' }],
    ['source_name=cloudflare.logs.prod', { source: 'edge_logs' }],
    ['source=auth_logs&source_name=auth_logs&project=p%22', { source: 'auth_logs', project: 'p"' }],
    ['source=&project=&api_key=x&time_field=', {}],
    ['time_field=time,ts', { fieldNames: { time: ['time', 'ts'], message: ['event_message', 'message'] } }],
    ['message_field=msg,log', { fieldNames: { time: ['timestamp'], message: ['msg', 'log'] } }],
  ])('with ?%s get that', async (query, defaults) => {
    const { post, given } = open({ fate: ALL_TAKEN })
    expect((await readReply(post(`/logs?${query}`))).status).toBe(200)
    expect(given[0]!.defaults).toEqual(defaults)
  })

  test.each([
    ['application/json', 'json'],
    ['Application/JSON; charset=UTF-8', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson;charset="utf-8"', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['Application/JSONL; Charset=us-ascii', 'ndjson'],
    ['application/vnd.acme.logs+json', 'json'],
    ['application/cloudevents-batch+JSON ; version="1,0;x"; charset=utf-8', 'json'],
    ['application/json, application/json', 'json'],
    ['application/json, application/json; charset=utf-8', 'json'],
    ['application/x-ndjson,application/jsonl', 'ndjson'],
    ['application/x-ndjson, application/json', 'json'],
    ['application/json,', 'json'],
  ])('as %s are %s', async (type, form) => {
    const { post, given } = open({ fate: ALL_TAKEN })
    expect((await readReply(post('/logs', JSON_BODY, { 'Content-Type': type }))).status).toBe(200)
    expect(given[0]!.form).toBe(form)
  })

  const { zstdCompressSync } = zlib as { zstdCompressSync?: typeof gzipSync }
  test.each<readonly [string, (bytes: Uint8Array) => Uint8Array]>([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', (bytes) => bytes],
    ...(zstdCompressSync === undefined ? [] : [['zstd', zstdCompressSync] as const]),
  ])('as %s are decompressed', async (coding, compress) => {
    const { post, given } = open({ fate: ALL_TAKEN })
    const body = new Uint8Array(compress(Buffer.from(JSON_BODY)))
    expect(await readReply(post('/logs', body, { 'Content-Encoding': coding }))).toEqual({ status: 200, body: LOGGED })
    expect(given[0]!.text).toBe(JSON_BODY)
  })

  test('I8: of which some are bad: the good ones are kept, the bad ones named', async () => {
    const rejects = [{ record: 17, reason: 'invalid_timestamp' }]
    const { post } = open({ fate: { taken: 9_999, rejected: 1, byReason: { invalid_timestamp: 1 }, rejects } })
    expect(await readReply(post('/logs'))).toEqual({
      status: 200,
      body: '{"message":"Logged!","taken":9999,"rejected":[{"record":17,"reason":"invalid_timestamp"}]}',
    })
  })

  test('of which more are bad than can be named', async () => {
    const rejects = [{ record: 1, reason: 'too_old' }]
    const { post } = open({ fate: { taken: 1, rejected: 7, byReason: { too_old: 7 }, rejects } })
    const { body } = await readReply(post('/logs'))
    expect(JSON.parse(body)).toEqual({ message: 'Logged!', taken: 1, rejected: rejects, more_rejected: 6 })
  })

  test.each([
    [{ missing_source: 2 }, 'missing_source', 'missing_source 2'],
    [{ unknown_source: 2 }, 'unknown_source', 'unknown_source 2'],
    [{ too_old: 2 }, 'invalid_records', 'too_old 2'],
    [{ missing_source: 1, too_old: 1 }, 'invalid_records', 'missing_source 1, too_old 1'],
  ])('of which all are bad are refused, and no shipper repeats them: %j', async (byReason, code, counts) => {
    const rejects = [{ record: 1, reason: 'too_old' }]
    const { post } = open({ fate: { taken: 0, rejected: 1, byReason, rejects } })
    const { status, body } = await readReply(post('/logs'))
    const hint =
      'missing_source' in byReason ? 'Name their source in the URL, as ?source=edge_logs, or in each record. ' : ''
    const rest = `The rejects file lists them. ${hint}Correct them, and send them again.`
    const error = `No record was accepted: ${counts}. ${rest}`
    expect([status, JSON.parse(body)]).toEqual([400, { error, code, taken: 0, rejected: rejects }])
  })
})

describe('records of sources that are refused', () => {
  const outcome = (taken: number, refusedSources: SendOutcome['refusedSources']): SendOutcome => ({
    ...{ taken, rejected: 1, byReason: { unknown_source: 1 }, rejects: [], refusedSources },
  })

  test.each([
    ['not_configured', /The setting --sources of the service does not name their source\. Add it there\. Correct/],
    [
      'not_a_name',
      /No source can have the name that they give\. .* at most 63 characters, and is no word of SQL\. Cor/,
    ],
    ['written_by_service', /The service alone writes alert_events, its history of alerts\. Give them another/],
    ['source_limit', /There are 200 sources beside the nine, which is the limit\. .*--sources/],
    ['token_limit', /This token is bound to projects, and has made 20 sources, which is the limit of such a token\. /],
  ] as const)('are answered with the reason: %s', async (refusal, message) => {
    const { post } = open({ fate: outcome(0, [refusal]) })
    const { status, body } = await readReply(post('/logs'))
    const { error, code } = JSON.parse(body)
    expect([status, code]).toEqual([400, 'unknown_source'])
    expect(error).toMatch(message)
  })
})

describe('a path with slashes too many', () => {
  const DOUBLED = ['/api/logs', '/logs', '/v1/logs'].flatMap((path) => [
    `${path}/`,
    `/${path}`,
    path.replaceAll('/', '//'),
    `//${path.replaceAll('/', '///')}//`,
    path.replace('s', '%73'),
  ])
  const translate = async (bytes: Uint8Array) => bytes

  test.each(DOUBLED)('takes records as the plain one does: %s', async (path) => {
    const { post, given, metrics } = open({ fate: ALL_TAKEN, translate })
    expect((await readReply(post(`${path}?source=edge_logs&project=p`))).status).toBe(200)
    expect(given).toMatchObject([{ text: JSON_BODY, defaults: { source: 'edge_logs', project: 'p' } }])
    expect(await metrics.requests.get()).toMatchObject({ values: [{ labels: { status: '200' }, value: 1 }] })
  })

  test.each(DOUBLED)('opens to the same tokens, and refuses the same methods: %s', async (path) => {
    const tokens = [TOKEN, { token: 'reader', scopes: new Set(['query'] as const) }]
    const { post, get, app, given, state, intakeState } = open({ fate: ALL_TAKEN, translate, tokens })
    expect((await post(path, JSON_BODY, { 'X-API-KEY': 'reader' })).status).toBe(403)
    expect((await post(path, JSON_BODY, { 'X-API-KEY': 'nobody' })).status).toBe(401)
    for (const method of ['GET', 'HEAD', 'PUT']) {
      expect(await readReply(get(path, { method }), 'allow')).toMatchObject({ status: 405, allow: 'POST, OPTIONS' })
    }
    expect((await app.fetch(new Request(PREFIX + path, { method: 'OPTIONS' }))).headers.get('allow')).toBe(
      'POST, OPTIONS',
    )
    state.status = 'starting'
    expect((await post(path)).status).toBe(503)
    expect([given, intakeState.prepared]).toEqual([[], 1])
  })

  test('answers an error as the plain one does', async () => {
    const { post } = open({ translate, fate: new LogweirError('invalid_body', 'no') })
    const reply = await readReply(post('/v1//logs/'))
    expect(JSON.parse(reply.body)).toEqual({ error: 'no', code: 'invalid_body', message: 'no' })
  })

  test.each([
    '/metrics/',
    '//metrics',
    '/health/',
    '//api/endpoints',
    '/api//logs/x',
    '/xlogs/',
    '/logs%2F',
  ])('opens nothing else: %s', async (path) => {
    const { get, post, given } = open({ fate: ALL_TAKEN })
    expect([(await get(path)).status, (await post(path)).status, given]).toEqual([404, 404, []])
  })

  test('is no way for a token that may only send to read', async () => {
    const tokens = [{ token: TOKEN, scopes: new Set(['ingest'] as const) }]
    const { get } = open({ tokens })
    const paths = [
      '/metrics',
      '/api/endpoints',
      '/api/endpoints/query/logs.all',
      '/logs/../metrics',
      '/logs//../../metrics',
    ]
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 403])
  })
})

describe('a request that is refused', () => {
  const LIMITS = { bodyBytes: 1024 * 1024, bodiesBytes: 2 * 1024 * 1024 }
  const TOO_LARGE = refusal(
    'The body is over 1 MiB, as it is sent or decompressed. Nothing of it was taken. Send smaller batches.',
    'body_too_large',
  )
  const unknownSource = (shown: string) =>
    refusal(
      `The URL names the source ${shown}, which does not exist. Use one of edge_logs, postgres_logs, ` +
        'function_edge_logs, function_logs, auth_logs, realtime_logs, storage_logs, postgrest_logs, pgbouncer_logs, ' +
        'or an alias, or add the name to the setting --sources of the service.',
      'unknown_source',
    )
  const half = (bytes: Uint8Array) => bytes.slice(0, bytes.length / 2)
  const cannotDecompress = (why: string) =>
    refusal(`The body cannot be decompressed: ${why}. Nothing of it was taken. Send it whole.`, 'invalid_body')
  const large = new Uint8Array(LIMITS.bodyBytes + 1)
  const UNKNOWN_TYPE = refusal(
    'The Content-Type is not one of JSON. ' +
      'Send application/json, application/*+json, application/x-ndjson or application/jsonl, in UTF-8.',
    'unsupported_content_type',
  )

  test.each<[string, string, RequestInit['body'], Record<string, string>, number, string | RegExp]>([
    ['an unknown source', '?source=nix', JSON_BODY, {}, 400, unknownSource('"nix"')],
    ['one with a long name', `?source=${'n'.repeat(80)}`, JSON_BODY, {}, 400, unknownSource(`"${'n'.repeat(64)}…"`)],
    ['one that would write to a terminal', '?source_name=%1b%22', JSON_BODY, {}, 400, unknownSource('"\\u001b\\""')],
    ['one that would turn a line around', '?source=%e2%80%ae', JSON_BODY, {}, 400, unknownSource('"\\u202e"')],
    ['two sources', '?source=edge_logs&source_name=auth_logs', JSON_BODY, {}, 400, /"duplicate_parameter"/],
    ['a source twice', '?source=edge_logs&source=edge_logs', JSON_BODY, {}, 400, /"duplicate_parameter"/],
    ['a time field twice', '?time_field=a&time_field=b', JSON_BODY, {}, 400, /"duplicate_parameter"/],
    ['a field with a meaning of its own', '?message_field=msg,id', JSON_BODY, {}, 400, /"invalid_parameter"/],
    [
      'one field as both',
      '?time_field=a&message_field=a',
      JSON_BODY,
      {},
      400,
      /name the same field.*"invalid_parameter"/,
    ],
    ['a project twice', '?project=a&project=b', JSON_BODY, {}, 400, /"duplicate_parameter"/],
    ['plain text', '', JSON_BODY, { 'Content-Type': 'text/plain' }, 415, UNKNOWN_TYPE],
    [
      'a type twice, once unknown',
      '',
      JSON_BODY,
      { 'Content-Type': 'application/json, text/plain' },
      415,
      UNKNOWN_TYPE,
    ],
    [
      'a type twice, once Latin-1',
      '',
      JSON_BODY,
      { 'Content-Type': 'application/json, application/json; charset=latin1' },
      415,
      UNKNOWN_TYPE,
    ],
    ['no type', '', JSON_BODY, { 'Content-Type': '' }, 415, UNKNOWN_TYPE],
    ['a name that only ends as JSON', '', JSON_BODY, { 'Content-Type': 'text/x+json' }, 415, UNKNOWN_TYPE],
    ['a form', '', JSON_BODY, { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, UNKNOWN_TYPE],
    ['Latin-1', '', JSON_BODY, { 'Content-Type': 'application/json; charset=latin1' }, 415, UNKNOWN_TYPE],
    ['brotli', '', JSON_BODY, { 'Content-Encoding': 'br' }, 415, /"unsupported_content_encoding"/],
    ['two codings', '', JSON_BODY, { 'Content-Encoding': 'gzip, gzip' }, 415, /"unsupported_content_encoding"/],
    [
      'half a gzip stream',
      '',
      half(gzipSync(JSON_BODY)),
      { 'Content-Encoding': 'gzip' },
      400,
      cannotDecompress('unexpected end of file'),
    ],
    ['no gzip stream', '', JSON_BODY, { 'Content-Encoding': 'gzip' }, 400, cannotDecompress('incorrect header check')],
    ['nothing, as gzip', '', '', { 'Content-Encoding': 'gzip' }, 400, cannotDecompress('unexpected end of file')],
    [
      'half a deflate stream',
      '',
      half(deflateSync(JSON_BODY)),
      { 'Content-Encoding': 'deflate' },
      400,
      /"invalid_body"/,
    ],
    ['a large body', '', large, {}, 413, TOO_LARGE],
    ['a large body of unknown length', '', streamOf([half(large), large]), {}, 413, TOO_LARGE],
    ['a large length', '', JSON_BODY, { 'Content-Length': '99999999999' }, 413, TOO_LARGE],
    ['a bomb', '', gzipSync(large), { 'Content-Encoding': 'gzip' }, 413, TOO_LARGE],
    ['a client that leaves', '', streamOf([Buffer.from('[')], new Error('aborted')), {}, 499, /"abandoned"/],
  ])('for %s', async (_, query, body, headers, status, text) => {
    const { post, given, metrics, logged } = open({ fate: ALL_TAKEN, limits: LIMITS })
    const reply = await readReply(post(`/logs${query}`, body, headers))
    expect(reply).toEqual({ status, body: typeof text === 'string' ? text : expect.stringMatching(text) })
    expect([given, logged]).toEqual([[], []])
    expect(await metrics.requests.get()).toMatchObject({ values: [{ labels: { status: String(status) }, value: 1 }] })
    // The memory of the request is free again.
    const full = new Uint8Array(LIMITS.bodyBytes)
    expect((await readReply(post('/logs', full))).status).toBe(200)
  })

  test('for no token, before its body is looked at', async () => {
    const { app, given } = open({ fate: ALL_TAKEN })
    const request = new Request(`${PREFIX}/logs?source=nix`, { method: 'POST', body: JSON_BODY })
    expect(await readReply(app.fetch(request))).toEqual({ status: 401, body: UNAUTHORIZED })
    expect(given).toEqual([])
  })

  test('while it starts, without a token too', async () => {
    const { app, state } = open()
    state.status = 'starting'
    const request = new Request(`${PREFIX}/logs`, { method: 'POST', body: JSON_BODY })
    expect(await readReply(app.fetch(request), 'retry-after')).toMatchObject({ status: 503, 'retry-after': '1' })
  })

  test.each([
    ['who may send them', 'full', '/logs', 1],
    ['who may send them, as OTLP', 'full', '/v1/logs', 1],
    ['who may not', 'query', '/logs', 0],
    ['who shows no token', '', '/logs', 0],
    ['who asks for something else', 'full', '/metrics', 0],
  ])('while it starts; the intake is told of %s', async (_, token, path, told) => {
    const { app, state, intakeState } = open({
      tokens: [{ token: 'full' }, { token: 'query', scopes: new Set(['query']) }],
    })
    state.status = 'starting'
    const request = () =>
      new Request(PREFIX + path, { method: 'POST', body: JSON_BODY, headers: { 'X-API-KEY': token } })
    expect((await app.fetch(request())).status).toBe(503)
    expect(intakeState.prepared).toBe(told)
    state.status = 'ok'
    await app.fetch(request())
    expect(intakeState.prepared).toBe(told)
  })

  test('while rows cannot be kept, at once', async () => {
    const { post, intakeState, given } = open({ fate: ALL_TAKEN })
    intakeState.writeFailure = new Error('disk full')
    expect(await readReply(post('/logs'), 'retry-after')).toEqual({ status: 503, 'retry-after': '2', body: NOT_KEPT })
    expect(given).toEqual([])
    intakeState.writeFailure = undefined
    expect((await readReply(post('/logs'))).status).toBe(200)
  })

  test('by its body alone with what the intake says', async () => {
    const { post, logged } = open({ fate: new LogweirError('invalid_body', 'no JSON') })
    expect(await readReply(post('/logs'))).toEqual({ status: 400, body: refusal('no JSON', 'invalid_body') })
    expect(logged).toEqual([])
  })

  test('for any other failure so that it is sent again, and the log says why', async () => {
    const { post, logged } = open({ fate: new Error('a secret') })
    expect(await readReply(post('/logs'), 'retry-after')).toEqual({ status: 503, 'retry-after': '2', body: NOT_KEPT })
    expect(logged).toEqual(['records of an HTTP request could not be stored: a secret'])
  })

  test('where it takes too long, and its turn is given up', async () => {
    const { post, clock, intakeState } = open({ limits: { takeMs: 3_000 } })
    const { timers } = clock
    const answer = readReply(post('/logs'), 'retry-after')
    await eventually(() => expect(intakeState.signal).toBeDefined())
    await pass(clock, 2)
    expect(intakeState.signal!.aborted).toBe(false)
    await pass(clock, 1)
    expect(await answer).toEqual({ status: 503, 'retry-after': '2', body: NOT_KEPT })
    expect(intakeState.signal!.aborted).toBe(true)
    expect(clock.timers).toBe(timers)
  })

  test('where too much is held, until it is not any more', async () => {
    const { post, intakeState, clock } = open({ limits: { bodyBytes: 100, bodiesBytes: 150, takeMs: 1_000 } })
    const first = readReply(post('/logs', new Uint8Array(100)))
    await eventually(() => expect(intakeState.signal).toBeDefined())
    const refused = {
      status: 429,
      'retry-after': '1',
      body: refusal(
        'Too many bodies are being received. Nothing of this body was stored. Send it again shortly.',
        'too_many_bodies',
      ),
    }
    expect(await readReply(post('/logs', new Uint8Array(51)), 'retry-after')).toEqual(refused)
    // The memory of the body that timed out is still reserved.
    await pass(clock, 1)
    expect((await first).status).toBe(503)
    expect(await readReply(post('/logs', new Uint8Array(51)), 'retry-after')).toEqual(refused)
    intakeState.resolve(ALL_TAKEN)
    await settle()
    const second = readReply(post('/logs', new Uint8Array(51)))
    await settle()
    intakeState.resolve(ALL_TAKEN)
    expect((await second).status).toBe(200)
  })
})

describe('other methods', () => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s is refused with those that there are', async (method) => {
    const { get } = open()
    const { body, ...rest } = await readReply(get('/api/logs', { method }), 'allow')
    expect(rest).toEqual({ status: 405, allow: 'POST, OPTIONS' })
    if (method !== 'HEAD')
      expect(body).toBe(
        refusal('This address does not accept this method. Use one of POST, OPTIONS.', 'method_not_allowed'),
      )
  })

  test.each([
    ['/api/logs', 'POST, OPTIONS'],
    ['/logs?source=edge_logs', 'POST, OPTIONS'],
    ['/api/endpoints', 'GET, HEAD, OPTIONS'],
    ['/logs/', 'POST, OPTIONS'],
    ['//api//logs//?source=edge_logs', 'POST, OPTIONS'],
    ['/logs/x', 'GET, HEAD, OPTIONS'],
    ['/api/endpoints/', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS of %s names them', async (path, methods) => {
    const { app } = open()
    const reply = readReply(
      app.fetch(new Request(PREFIX + path, { method: 'OPTIONS' })),
      'allow',
      'access-control-allow-methods',
    )
    expect(await reply).toEqual({ status: 204, allow: methods, 'access-control-allow-methods': methods, body: '' })
  })

  test('POST of other paths stays refused', async () => {
    const { get } = open()
    expect(await readReply(get('/api/endpoints', { method: 'POST' }), 'allow')).toMatchObject({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
    })
  })

  test('without an intake there are no such paths', async () => {
    const { get } = createTestApp()
    expect(
      (await readReply(get('/logs', { method: 'POST', body: JSON_BODY, headers: { 'X-API-KEY': TOKEN } }))).status,
    ).toBe(404)
  })
})
