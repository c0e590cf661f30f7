import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { findOtlpClient, OTLP_CLIENT, WHY_NO_OTLP_CLIENT } from '../../support/otlp-client.js'
import { allNumbers, PROJECT } from '../support/numbered.js'
import { type Served, serve, TOKEN, temporaryFolder } from '../support/program.js'

const startUs = Date.now() * 1000 - 3600e6
const RESOURCE = { 'logweir.source': 'edge_logs', 'logweir.project': PROJECT, 'service.name': 'shop' }
const allOf = (count: number) => [...Array(count).keys()]

/** Runs the official exporter. Returns the exit code and standard error. */
async function send(
  protocol: string,
  url: string,
  count: number,
  given: { from?: number; token?: string; resource?: object } = {},
) {
  const { from = 0, token = TOKEN, resource = RESOURCE } = given
  const child = spawn(process.execPath, [join(OTLP_CLIENT, 'send.mjs'), protocol, `${from}`, `${count}`], {
    env: {
      PATH: process.env.PATH,
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/v1/logs`,
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: `x-api-key=${token}`,
      RESOURCE: JSON.stringify(resource),
      START_US: `${startUs}`,
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => void (said += text))
  const [code] = await once(child, 'close')
  return { code, said }
}

describeWhere(findOtlpClient(), 'the OpenTelemetry exporters', WHY_NO_OTLP_CLIENT, 'the OpenTelemetry exporter', () => {
  describe.each([
    ['http', 'JSON'],
    ['proto', 'protobuf'],
  ])('for %s, which sends %s', (protocol) => {
    it('brings every record, exactly', async () => {
      const service = await serve(['--data-dir', temporaryFolder()], { stdin: 'ignore' })
      expect(await send(protocol, service.url, 3_000)).toEqual({ code: 0, said: '' })
      expect(await allNumbers(service, startUs)).toEqual(allOf(3_000))
      const [newest] = await service.rows(`logs.all?project=${PROJECT}`)
      expect(newest).toEqual({
        id: '2999',
        timestamp: startUs + 2999,
        event_message: 'row 2999',
        metadata: {
          request: { path: '/rest/v1/todos', url: 'https://shop.example/rest/v1/todos' },
          big: 2 ** 53 - 1,
          list: ['a', { b: true }],
          severity_text: 'INFO',
          severity_number: 9,
          resource: { service: { name: 'shop' } },
          scope: { name: 'shop', version: '1.2.3' },
        },
      })
      const [counts] = await service.rows('usage.api-counts?project=shop.example&interval=daily')
      expect(counts).toMatchObject({ total_rest_requests: 3_000, total_auth_requests: 0 })
    })

    it('says what cannot be taken', async () => {
      const service = await serve([], { stdin: 'ignore' })
      const unknown = await send(protocol, service.url, 2, { resource: { 'logweir.source': 'nix' } })
      expect(unknown.code).toBe(1)
      const old = 91 * 86_400e6
      const mixed = await send(protocol, service.url, 1, { from: -old })
      expect(mixed.code).toBe(1)
      expect(await service.metric('logweir_rejected_rows_total{reason="unknown_source"}')).toBe(2)
      expect(await service.metric('logweir_rejected_rows_total{reason="too_old"}')).toBe(1)
    })
  })

  // Clients retry by the status code alone, so a single protocol is enough.
  it('sends again what was refused with 503', async () => {
    // Answers as a service that is starting.
    const starting = createServer((_, response) =>
      response.writeHead(503, { 'Retry-After': '1', Connection: 'close' }).end(),
    )
    await once(starting.listen(0, '127.0.0.1'), 'listening')
    const { port } = starting.address() as AddressInfo
    const sending = send('http', `http://127.0.0.1:${port}`, 600)
    await once(starting, 'request')
    await new Promise((resolve) => starting.close(resolve))
    const service = await serve(['--port', `${port}`], { stdin: 'ignore' })
    expect(await sending).toMatchObject({ code: 0 })
    expect(await allNumbers(service, startUs)).toEqual(allOf(600))
  })

  it('gives up with a wrong token', async () => {
    const service = await serve([], { stdin: 'ignore' })
    const { said } = await send('http', service.url, 1, { token: 'wrong' })
    expect(said).toMatch(/given up: .*Unauthorized/s)
  })
})

const post = (service: Served, body: RequestInit['body'], headers: Record<string, string> = {}, query = '') =>
  service.get(`/v1/logs${query}`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })

const request = (...logRecords: object[]) => JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
const record = (number: number) => ({
  timeUnixNano: `${(startUs + number) * 1000}`,
  attributes: [{ key: 'logweir.id', value: { stringValue: `${number}` } }],
})

describe('OTLP over HTTP', () => {
  it('takes what it can, names the rest, and lives on', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir], { stdin: 'ignore' })
    const query = `?source=edge_logs&project=${PROJECT}`
    const bad = { ...record(7), severityNumber: 'LOUD' }
    const records = allOf(10_000).map((number) => (number === 7 ? bad : record(number)))
    const reply = await post(service, gzipSync(request(...records)), { 'Content-Encoding': 'gzip' }, query)
    expect([reply.status, await reply.json()]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: '1',
          errorMessage: '1 of 10000 records cannot be taken: record 8 invalid_field. The rejects file lists them.',
        },
      },
    ])
    const [reject] = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8').trim().split('\n')
    const { line, reason, text } = JSON.parse(reject!)
    expect([line, reason]).toEqual([8, 'invalid_field'])
    expect(JSON.parse(text)).toMatchObject({
      metadata: 'Not a log record of OTLP: severityNumber is neither an integer nor a name of OTLP.',
      record: JSON.stringify(bad),
    })

    const half = gzipSync(request(record(0))).subarray(0, 20)
    const codes = []
    for (const [body, headers] of [
      [half, { 'Content-Encoding': 'gzip' }],
      ['{"resourceLogs":[', {}],
      [request(record(0)), {}],
      ['x', { 'Content-Type': 'text/plain' }],
      [gzipSync(Buffer.alloc(13_000_000)), { 'Content-Encoding': 'gzip' }],
    ] as const) {
      const refused = await post(service, body as RequestInit['body'], headers)
      codes.push([refused.status, ((await refused.json()) as { code: string }).code])
    }
    expect(codes).toEqual([
      [400, 'invalid_body'],
      [400, 'invalid_body'],
      [400, 'missing_source'],
      [415, 'unsupported_content_type'],
      [413, 'body_too_large'],
    ])
    const noise = await post(service, 'noise', { 'Content-Type': 'application/x-protobuf' })
    expect([noise.status, noise.headers.get('content-type')]).toEqual([400, 'application/x-protobuf'])
    expect(await noise.text()).toMatch(/The body is not an OTLP request of logs in protobuf: .* \(invalid_body\)$/)

    expect(await (await post(service, request(record(7)), {}, query)).text()).toBe('{}')
    expect(await service.metric('logweir_ingested_rows_total{source="edge_logs"}')).toBe(10_000)
    const [newest] = await service.rows(`logs.all?project=${PROJECT}`)
    expect(newest).toMatchObject({ id: '9999', timestamp: startUs + 9999, metadata: {} })
  })

  it('answers 200 only to what it stores whole: other names, plain values, HTTP attributes, cut texts', async () => {
    const service = await serve([], { stdin: 'ignore' })
    const sent = {
      time_unix_nano: `${startUs * 1000}`,
      body: 'GET \ud83d',
      userId: 7,
      attributes: { 'http.request.method': 'GET', 'url.full': 'https://shop.example/rest/v1', 'url.path': '/rest/v1' },
    }
    const resource = { 'logweir.source': 'edge_logs', 'logweir.project': PROJECT }
    const body = JSON.stringify({ resource_logs: { resource, instrumentationLibraryLogs: [{ logs: [sent] }] } })
    const reply = await post(service, body)
    expect([reply.status, await reply.json()]).toEqual([200, {}])
    const [row] = await service.rows(`logs.all?project=${PROJECT}`)
    expect(row).toMatchObject({
      timestamp: startUs,
      event_message: 'GET �',
      metadata: {
        userId: 7,
        http: { request: { method: 'GET' } },
        request: { method: 'GET', url: 'https://shop.example/rest/v1', path: '/rest/v1' },
      },
    })
    const [counts] = await service.rows('usage.api-counts?project=shop.example&interval=daily')
    expect(counts).toMatchObject({ total_rest_requests: 1 })

    const strays = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record(1)] }], records: [record(2)] }] }
    const partial = (await (await post(service, JSON.stringify(strays))).json()) as Record<string, object>
    expect(partial.partialSuccess).toMatchObject({ rejectedLogRecords: '1' })
    const wrong = await post(service, JSON.stringify({ resourceLogs: [{ resource, logs: [record(3)] }] }))
    expect([wrong.status, ((await wrong.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('an element of resourceLogs has no scopeLogs, but logs'),
    ])
  })
})
