import { describe, expect, test } from 'vitest'
import { refusals } from '../../../src/http/reply/errors.js'
import { API_COUNTS, createTestApp, LOGS_ALL, PREFIX, TOKEN } from '../support.js'

const DAY_S = 86_400

function createApp() {
  return createTestApp({
    rows: () => [{ id: 'a', timestamp: 1, event_message: 'b', metadata: '{}' }],
    tokens: [TOKEN, { token: 'slow', limit: { take: () => DAY_S } }],
    intake: {
      take: async () => ({ taken: 1, rejected: 0, byReason: {}, rejects: [] }),
      writeFailure: () => undefined,
      prepare() {},
    },
    translate: async (bytes) => bytes,
  })
}

type Sent = [title: string, status: number, path: string, init?: RequestInit]
const KEY = { 'X-API-KEY': TOKEN }
const JSON_TYPE = { 'Content-Type': 'application/json' }

const REQUESTS: Sent[] = [
  ['the metrics', 200, '/metrics'],
  ['the metrics, compressed', 200, '/metrics', { headers: { 'Accept-Encoding': 'gzip' } }],
  ['the head of the metrics', 200, '/metrics', { method: 'HEAD' }],
  ['health', 200, '/health'],
  ['readiness', 200, '/ready'],
  ['the page', 200, '/'],
  ['the session', 200, '/api/session'],
  ['the list of endpoints', 200, '/api/endpoints'],
  ['the description', 200, '/api/openapi.json'],
  ['a query', 200, `${LOGS_ALL}?project=a`],
  ['a cached query', 200, `${API_COUNTS}?project=a&interval=daily`],
  ['a query in CSV', 200, `${LOGS_ALL}?project=a`, { headers: { Accept: 'text/csv' } }],
  ['a query in NDJSON', 200, `${LOGS_ALL}?project=a`, { headers: { Accept: 'application/x-ndjson' } }],
  ['a query in Arrow', 200, `${LOGS_ALL}?project=a`, { headers: { Accept: 'application/vnd.apache.arrow.stream' } }],
  ['a preflight', 204, '/metrics', { method: 'OPTIONS' }],
  ['stored records', 200, '/api/logs', { method: 'POST', body: '{}', headers: JSON_TYPE }],
  ['stored OTLP records', 200, '/v1/logs', { method: 'POST', body: '{}', headers: JSON_TYPE }],
  ['a refused type', 415, '/api/logs', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  ['a refused OTLP type', 415, '/v1/logs', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  ['a missing parameter', 400, LOGS_ALL],
  ['a wrong token', 401, '/metrics', { headers: { 'X-API-KEY': 'wrong' } }],
  ['a token over its rate', 429, '/metrics', { headers: { 'X-API-KEY': 'slow' } }],
  ['a path that is not there', 404, '/nothing'],
  ['a wrong method', 405, '/metrics', { method: 'DELETE' }],
  ['a format that is not there', 406, `${LOGS_ALL}?project=a`, { headers: { Accept: 'image/png' } }],
]

describe('X-Content-Type-Options is in the answer of', () => {
  test.each(REQUESTS)('%s', async (_, status, path, init) => {
    const { app } = createApp()
    const headers = { ...KEY, ...(init?.headers as Record<string, string>) }
    const response = await app.fetch(new Request(PREFIX + path, { ...init, headers }))
    expect([response.status, response.headers.get('x-content-type-options')]).toEqual([status, 'nosniff'])
  })

  test('a page and a query that the client has', async () => {
    const { get } = createApp()
    for (const path of ['/', `${API_COUNTS}?project=a&interval=daily`]) {
      const ETag = (await get(path)).headers.get('etag')!
      const response = await get(path, { headers: { 'If-None-Match': ETag } })
      expect([response.status, response.headers.get('x-content-type-options')]).toEqual([304, 'nosniff'])
    }
  })

  test('a service that starts, or stops, and of bytes that are no request', async () => {
    const { app, get, state } = createApp()
    for (const status of ['starting', 'stopping'] as const) {
      state.status = status
      const response = await get('/ready')
      expect([response.status, response.headers.get('x-content-type-options')]).toEqual([503, 'nosniff'])
    }
    expect(app.refuse(refusals.badRequest()).headers.get('x-content-type-options')).toBe('nosniff')
  })
})
