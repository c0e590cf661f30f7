import { gzipSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { describe, expect, test, vi } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import type { RecordIntake, SendOutcome } from '../../../src/http/intake/logs.js'
import { eventually } from '../../support/eventually.js'
import { createTestApp, PREFIX, pass, readReply, settle, TOKEN } from '../support.js'

const [JSON_TYPE, PROTOBUF] = ['application/json', 'application/x-protobuf']
const ALL_TAKEN: SendOutcome = { taken: 1, rejected: 0, byReason: {}, rejects: [] }
const NOT_KEPT =
  'Records cannot be stored at the moment, or not in time. Send them again shortly; some may have been stored.'

/**
 * An app that translates a body to `ENCODING lines of BODY`, or as `translate` does, with an intake that returns or
 * throws `fate`.
 */
function open({
  fate = ALL_TAKEN,
  translate,
  ...parts
}: { fate?: SendOutcome | Error | Promise<SendOutcome>; translate?: () => Promise<Uint8Array> } & Parameters<
  typeof createTestApp
>[0] = {}) {
  const given: object[] = []
  const state: { writeFailure?: Error } = {}
  const intake: RecordIntake = {
    writeFailure: () => state.writeFailure,
    prepare() {},
    async take(bytes, form, defaults) {
      given.push({ text: Buffer.from(bytes).toString(), form, defaults })
      if (fate instanceof Error) throw fate
      return fate
    },
  }
  const app = createTestApp({
    intake,
    translate: async (bytes, encoding) => translate?.() ?? Buffer.from(`${encoding} lines of ${Buffer.from(bytes)}`),
    ...parts,
  })
  const post = (type: string, query = '', body: RequestInit['body'] = 'a body', headers: Record<string, string> = {}) =>
    app.get(`/v1/logs${query}`, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } })
  return { ...app, given, intakeState: state, post }
}

/** Parses the fields of a message: texts and messages as bytes, integers as numbers. */
function fieldsOf(bytes: Uint8Array): Record<number, Buffer | number> {
  const reader = new BinaryReader(bytes)
  const fields: Record<number, Buffer | number> = {}
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag()
    fields[field] = wire === 2 ? Buffer.from(reader.bytes()) : Number(reader.int64())
  }
  return fields
}

/** Returns status, media type, and the message of a google.rpc.Status. */
async function statusOf(reply: Promise<Response>) {
  const response = await reply
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  const type = response.headers.get('content-type')
  if (type !== JSON_TYPE) return { status: response.status, type, message: String(fieldsOf(bytes)[2]) }
  const { error, code, message, ...rest } = JSON.parse(bytes.toString())
  expect([message, rest]).toEqual([error, {}])
  return { status: response.status, type, message: `${message} (${code})` }
}

describe('OTLP requests', () => {
  test.each([
    [JSON_TYPE, 'json', JSON_TYPE, '{}'],
    ['Application/JSON; charset=utf-8', 'json', JSON_TYPE, '{}'],
    [PROTOBUF, 'protobuf', PROTOBUF, ''],
    ['application/protobuf', 'protobuf', 'application/protobuf', ''],
  ])('as %s are taken', async (type, encoding, answerType, body) => {
    const { post, given } = open()
    const headers = ['content-type', 'content-length', 'cache-control', 'access-control-allow-origin']
    expect(await readReply(post(type), ...headers)).toEqual({
      status: 200,
      'content-type': answerType,
      'content-length': `${body.length}`,
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      body,
    })
    expect(given).toEqual([{ text: `${encoding} lines of a body`, form: 'ndjson', defaults: {} }])
  })

  test('get source and project of the URL, and are decompressed', async () => {
    const { post, given } = open()
    const query = '?source_name=cloudflare.logs.prod&project=p'
    const reply = await readReply(post(PROTOBUF, query, gzipSync('zipped'), { 'Content-Encoding': 'gzip' }))
    expect(reply.status).toBe(200)
    const defaults = { source: 'edge_logs', project: 'p' }
    expect(given).toEqual([{ text: 'protobuf lines of zipped', form: 'ndjson', defaults }])
  })

  const rejects = Array.from({ length: 12 }, (_, i) => ({ record: 2 * i + 1, reason: 'too_old' }))
  const errorMessage = `300 of 1288 records cannot be taken: ${rejects
    .slice(0, 10)
    .map(({ record }) => `record ${record} too_old`)
    .join(', ')}, and 290 more. The rejects file lists them.`

  test('of which some are bad: a partial success', async () => {
    const { post } = open({ fate: { taken: 988, rejected: 300, byReason: { too_old: 300 }, rejects } })
    expect(await readReply(post(JSON_TYPE))).toEqual({
      status: 200,
      body: JSON.stringify({ partialSuccess: { rejectedLogRecords: '300', errorMessage } }),
    })
    const response = await post(PROTOBUF)
    const partial = fieldsOf(fieldsOf(new Uint8Array(await response.arrayBuffer()))[1] as Buffer)
    expect([response.status, partial[1], String(partial[2])]).toEqual([200, 300, errorMessage])
  })

  test('of which one is bad', async () => {
    const one = [{ record: 2, reason: 'invalid_field' }]
    const { post } = open({ fate: { taken: 2, rejected: 1, byReason: { invalid_field: 1 }, rejects: one } })
    const said = '1 of 3 records cannot be taken: record 2 invalid_field. The rejects file lists them.'
    expect(JSON.parse((await readReply(post(JSON_TYPE))).body).partialSuccess.errorMessage).toBe(said)
  })

  test.each([JSON_TYPE, PROTOBUF])('of which all are bad are refused, as %s', async (type) => {
    const all = [{ record: 1, reason: 'unknown_source' }]
    const { post } = open({ fate: { taken: 0, rejected: 1, byReason: { unknown_source: 1 }, rejects: all } })
    const message =
      'No record was accepted: unknown_source 1. The rejects file lists them. ' +
      'Correct them, and send them again. (unknown_source)'
    expect(await statusOf(post(type))).toEqual({ status: 400, type, message })
  })

  test('of no records at all are taken', async () => {
    const { post } = open({ fate: { ...ALL_TAKEN, taken: 0 } })
    expect(await readReply(post(JSON_TYPE))).toEqual({ status: 200, body: '{}' })
  })
})

describe.each([JSON_TYPE, PROTOBUF])('an OTLP request as %s is refused', (type) => {
  const half = (bytes: Uint8Array) => bytes.slice(0, bytes.length / 2)

  test.each<[string, string, RequestInit['body'], Record<string, string>, number, RegExp]>([
    ['an unknown source', '?source=nix', 'x', {}, 400, /^The URL names the source "nix", .* \(unknown_source\)$/],
    ['a project twice', '?project=a&project=b', 'x', {}, 400, /\(duplicate_parameter\)$/],
    ['half a gzip stream', '', half(gzipSync('x')), { 'Content-Encoding': 'gzip' }, 400, /\(invalid_body\)$/],
    ['brotli', '', 'x', { 'Content-Encoding': 'br' }, 415, /\(unsupported_content_encoding\)$/],
    ['a large body', '', new Uint8Array(1025), {}, 413, /\(body_too_large\)$/],
    ['a bomb', '', gzipSync(new Uint8Array(1025)), { 'Content-Encoding': 'gzip' }, 413, /\(body_too_large\)$/],
  ])('for %s', async (_, query, body, headers, status, message) => {
    const { post, given } = open({ limits: { bodyBytes: 1024 } })
    const reply = statusOf(post(type, query, body, headers))
    expect(await reply).toEqual({ status, type, message: expect.stringMatching(message) })
    expect(given).toEqual([])
  })

  test('for no token', async () => {
    const { app } = open()
    const request = new Request(`${PREFIX}/v1/logs`, { method: 'POST', body: 'x', headers: { 'Content-Type': type } })
    const message = expect.stringMatching(/^The access token .* \(unauthorized\)$/)
    expect(await statusOf(Promise.resolve(app.fetch(request)))).toEqual({ status: 401, type, message })
  })

  test('while it starts, and while rows cannot be kept, so that it is sent again', async () => {
    const { post, state, intakeState } = open()
    state.status = 'starting'
    expect((await post(type)).headers.get('retry-after')).toBe('1')
    expect(await statusOf(post(type))).toMatchObject({
      status: 503,
      type,
      message: expect.stringMatching(/\(starting\)$/),
    })
    state.status = 'ok'
    intakeState.writeFailure = new Error('disk full')
    expect((await post(type)).headers.get('retry-after')).toBe('2')
    expect(await statusOf(post(type))).toEqual({ status: 503, type, message: `${NOT_KEPT} (engine_unavailable)` })
  })

  test('for what its translation says', async () => {
    const translate = () => Promise.reject(new LogweirError('invalid_body', 'no OTLP'))
    const { post, logged, given } = open({ translate })
    expect(await statusOf(post(type))).toEqual({ status: 400, type, message: 'no OTLP (invalid_body)' })
    expect([given, logged]).toEqual([[], []])
  })

  test('so that it is sent again where the translation fails', async () => {
    const { post, logged } = open({ translate: () => Promise.reject(new Error('a secret')) })
    expect(await statusOf(post(type))).toEqual({ status: 503, type, message: `${NOT_KEPT} (engine_unavailable)` })
    expect(logged).toEqual(['records of an HTTP request could not be stored: a secret'])
  })

  test('where its lines take more than is free, and nothing of it stays held', async () => {
    const translate = async () => new Uint8Array(1000)
    const { post, given } = open({ translate, limits: { bodyBytes: 100, bodiesBytes: 1050 } })
    const reply = await post(type, '', new Uint8Array(51))
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '1'])
    expect(given).toEqual([])
    expect((await post(type, '', new Uint8Array(50))).status).toBe(200)
  })

  test('where its translation takes too long', async () => {
    let finish = (_: Uint8Array) => {}
    const translate = vi.fn(() => new Promise<Uint8Array>((resolve) => void (finish = resolve)))
    const { post, clock, given } = open({ translate, limits: { takeMs: 1_000, bodyBytes: 100, bodiesBytes: 100 } })
    const reply = statusOf(post(type, '', new Uint8Array(100)))
    await eventually(() => expect(translate).toHaveBeenCalled())
    await pass(clock, 1)
    expect(await reply).toMatchObject({ status: 503, type })
    // The memory of the body is reserved until the translation ends.
    expect((await post(type, '', new Uint8Array(1))).status).toBe(429)
    finish(new Uint8Array())
    await settle()
    expect(given.length).toBe(1)
    const next = post(type, '', new Uint8Array(1))
    await settle()
    finish(new Uint8Array())
    expect((await next).status).toBe(200)
  })

  test('for another method', async () => {
    const { get } = open()
    const reply = await get('/v1/logs', { method: 'PUT', body: 'x', headers: { 'Content-Type': type } })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await statusOf(Promise.resolve(reply))).message).toMatch(/\(method_not_allowed\)$/)
  })
})

describe('the path of OTLP', () => {
  test.each(['text/plain', 'application/x-ndjson', ''])('takes no %s', async (type) => {
    const { post, given } = open()
    const message =
      'The Content-Type is not one of OTLP over HTTP. ' +
      'Send application/x-protobuf or application/json. (unsupported_content_type)'
    expect(await statusOf(post(type))).toEqual({ status: 415, type: JSON_TYPE, message })
    expect(given).toEqual([])
  })

  test('tells its methods', async () => {
    const { app } = open()
    const request = new Request(`${PREFIX}/v1/logs`, { method: 'OPTIONS' })
    expect(await readReply(app.fetch(request), 'allow')).toEqual({ status: 204, allow: 'POST, OPTIONS', body: '' })
  })

  test('is not there without a translation', async () => {
    const { get } = createTestApp({
      intake: { writeFailure: () => undefined, prepare() {}, take: async () => ALL_TAKEN },
    })
    const init = { method: 'POST', body: '{}', headers: { 'Content-Type': JSON_TYPE, 'X-API-KEY': TOKEN } }
    expect((await readReply(get('/v1/logs', init))).status).toBe(404)
  })
})
