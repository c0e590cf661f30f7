/** Requests that the official exporters' code encodes, and responses that the code decodes. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LINES_LIMITS } from '../../src/otlp/lines.js'
import { translate } from '../../src/otlp/translate.js'
import { describeWhere } from '../clickhouse/needs.js'
import { createTestApp } from '../http/support.js'
import { isReadRight } from '../support/json.js'
import { findOtlpClient, WHY_NO_OTLP_CLIENT } from '../support/otlp-client.js'

const require = findOtlpClient()

describeWhere(require, '@opentelemetry/otlp-transformer', WHY_NO_OTLP_CLIENT, 'the official encoders', () => {
  const { JsonLogsSerializer, ProtobufLogsSerializer } = require!('@opentelemetry/otlp-transformer')
  const { resourceFromAttributes } = require!('@opentelemetry/resources')

  const text = fc.string({ unit: 'grapheme' })
  const key = text.map((name) => `k${name.replaceAll('.', '')}`)
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  )
  const scalar = fc.oneof(text, number, fc.boolean())
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.uint8Array(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text.filter(isReadRight), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  const attributes = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true })
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id.fill(1, 0, 1)).toString('hex'))
  const record = fc.record({
    hrTime: fc.tuple(fc.integer({ min: 1e9, max: 2e9 }), fc.nat(999_999_999)),
    severityNumber: fc.integer({ min: 1, max: 24 }),
    severityText: text.map((name) => `s${name}`),
    eventName: text.map((name) => `e${name}`),
    body: value,
    attributes,
    spanContext: fc.record({ traceId: hex(16), spanId: hex(8), traceFlags: fc.constant(1) }),
  })
  const request = fc.record({
    project: text.map((name) => `p${name}`),
    // The encoders leave a resource's attributes unchanged only if the attributes are scalars.
    resource: fc.dictionary(key, scalar, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    scope: fc.record({ name: text.map((name) => `n${name}`), version: text.map((name) => `v${name}`) }),
    records: fc.array(record, { minLength: 1, maxLength: 4 }),
  })

  /** Returns a value in the form of JSON, with bytes in base64. */
  const plain = (any: unknown): unknown => {
    if (any instanceof Uint8Array) return Buffer.from(any).toString('base64')
    if (Array.isArray(any)) return any.map(plain)
    if (typeof any !== 'object' || any === null) return any === 0 ? 0 : any
    return Object.fromEntries(Object.entries(any).map(([name, inner]) => [name, plain(inner)]))
  }

  it.each([
    ['json', JsonLogsSerializer],
    ['protobuf', ProtobufLogsSerializer],
  ] as const)('give in %s the lines that the rules say', (encoding, serializer) => {
    fc.assert(
      fc.property(request, ({ project, resource, scope, records }) => {
        const sentResource = resourceFromAttributes({
          ...resource,
          'logweir.source': 'edge_logs',
          'logweir.project': project,
        })
        const sent = records.map((one) => ({
          ...one,
          hrTimeObserved: [1, 0],
          droppedAttributesCount: 0,
          resource: sentResource,
          instrumentationScope: scope,
        }))
        const text = Buffer.from(translate(serializer.serializeRequest(sent), encoding, LINES_LIMITS)).toString()
        const lines = text.split('\n').slice(0, -1)
        expect(lines.length).toBe(records.length)
        records.forEach(({ hrTime: [seconds, nanos], body, spanContext, ...one }, i) => {
          const { event_message: message, ...line } = JSON.parse(lines[i]!)
          expect(lines[i]).toContain(`"timestamp":${seconds}${String(nanos).padStart(9, '0')},`)
          expect(line).toEqual({
            source: 'edge_logs',
            project,
            timestamp: line.timestamp,
            metadata: {
              ...(plain(one.attributes) as object),
              severity_text: one.severityText,
              severity_number: one.severityNumber,
              event_name: one.eventName,
              trace_id: spanContext.traceId,
              span_id: spanContext.spanId,
              trace_flags: 1,
              resource: plain(resource),
              scope,
            },
          })
          if (body === null || typeof body === 'string') expect(message).toBe(body ?? undefined)
          else expect(JSON.parse(message)).toEqual(plain(body))
        })
      }),
    )
  })

  it.each([
    ['application/json', JsonLogsSerializer],
    ['application/x-protobuf', ProtobufLogsSerializer],
  ] as const)('read a partial success as %s', async (type, { deserializeResponse }) => {
    const outcome = { taken: 1, rejected: 300, byReason: { too_old: 300 }, rejects: [{ record: 1, reason: 'too_old' }] }
    const intake = { writeFailure: () => undefined, prepare() {}, take: async () => outcome }
    const { get } = createTestApp({ intake, translate: async (bytes) => bytes })
    const response = await get('/v1/logs', { method: 'POST', body: 'x', headers: { 'Content-Type': type } })
    const { partialSuccess } = deserializeResponse(new Uint8Array(await response.arrayBuffer()))
    expect(Number(partialSuccess.rejectedLogRecords)).toBe(300)
    expect(partialSuccess.errorMessage).toMatch(/^300 of 301 records cannot be taken: record 1 too_old, and 299 more/)
  })
})
