/** `POST /v1/logs`: records in OTLP's encodings in, their outcome out (OTLP 1, OTLP/HTTP). */
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { CORS_HEADERS } from '../reply/cors.js'
import { httpStatusOf, toPublicError } from '../reply/errors.js'
import type { HeaderFields } from '../reply/reply.js'
import { faultOf, type Logs, type SendOutcome, type SendRequest } from './logs.js'
import { contentTypes } from './media-types.js'

/** The path that OTLP gives to logs. */
export const OTLP_PATH = '/v1/logs'

/** The records of a body as lines of NDJSON. Throws `invalid_body` and `body_too_large`. */
export type Translate = (bytes: Uint8Array, encoding: 'json' | 'protobuf') => Promise<Uint8Array>

export interface OtlpLogs {
  /** Answers one POST. */
  answer(sending: SendRequest): Promise<Response>
}

export function createOtlpLogs(logs: Pick<Logs, 'take'>, translate: Translate): OtlpLogs {
  return {
    async answer(sending) {
      const type = typeOf(sending.request.headers)
      if (type === undefined) throw unknownType()
      const lines = (bytes: Uint8Array) => translate(bytes, ENCODINGS.get(type)!)
      return replyOf(await logs.take(sending, 'ndjson', lines), type)
    },
  }
}

const JSON_TYPE = 'application/json'

/** By the media type, in which the answer is then too. */
const ENCODINGS = new Map<string, 'json' | 'protobuf'>([
  [JSON_TYPE, 'json'],
  ['application/x-protobuf', 'protobuf'],
  ['application/protobuf', 'protobuf'],
])

/** The media type of a request, if it is one of those above; if it is named more than once, each time the same. */
function typeOf(headers: Headers): string | undefined {
  const [type, ...others] = contentTypes(headers).map(({ name }) => name)
  return type !== undefined && ENCODINGS.has(type) && others.every((other) => other === type) ? type : undefined
}

const unknownType = () =>
  new LogweirError(
    'unsupported_content_type',
    'The Content-Type is none of OTLP over HTTP. Send application/x-protobuf or application/json.',
  )

/** 200 as soon as one record was taken: a sender must not repeat it then. 400 where there were some and all are bad. */
function replyOf(outcome: SendOutcome, type: string): Response {
  const { taken, rejected, byReason } = outcome
  if (rejected === 0) return reply(200, type, '{}', NOTHING)
  if (taken === 0) {
    const { status, code, error } = faultOf(byReason)
    return refusal(status, type, code, error)
  }
  const errorMessage = partialMessage(outcome)
  const partialSuccess = { rejectedLogRecords: String(rejected), errorMessage }
  const message = Buffer.concat([integer(1, rejected), delimited(2, Buffer.from(errorMessage))])
  return reply(200, type, JSON.stringify({ partialSuccess }), delimited(1, message))
}

const TOLD_REJECTS = 10

function partialMessage({ taken, rejected, rejects }: SendOutcome): string {
  const told = rejects.slice(0, TOLD_REJECTS).map(({ record, reason }) => `record ${record} ${reason}`)
  const more = rejected > told.length ? `, and ${rejected - told.length} more` : ''
  return `${rejected} of ${taken + rejected} records cannot be taken: ${told.join(', ')}${more}. They are in the rejects file.`
}

/** Status, headers and body of a failure, as a sender of OTLP reads it. `more` headers win. */
export function otlpErrorReply(request: Headers, error: unknown, log: Log, more?: HeaderFields): Response {
  const { code, message } = toPublicError(error, log)
  const { status, headers } = httpStatusOf(code)
  return refusal(status, typeOf(request) ?? JSON_TYPE, code, message, { ...headers, ...more })
}

/** As JSON both an error as on every other path and, by its message, a google.rpc.Status, which is what protobuf has. */
function refusal(status: number, type: string, code: string, message: string, headers?: HeaderFields): Response {
  const json = JSON.stringify({ error: message, code, message })
  return reply(status, type, json, delimited(2, Buffer.from(`${message} (${code})`)), headers)
}

const NOTHING = Buffer.alloc(0)

/** The type bears no charset: some senders compare it as a whole. */
function reply(status: number, type: string, json: string, protobuf: Buffer, headers?: HeaderFields): Response {
  const body = type === JSON_TYPE ? Buffer.from(json) : protobuf
  return new Response(new Uint8Array(body), {
    status,
    headers: { 'Content-Type': type, 'Content-Length': String(body.length), ...headers, ...REPLY_HEADERS },
  })
}

const REPLY_HEADERS = { ...CORS_HEADERS, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

// Two kinds of fields are all that answers need, so they do not load what reads requests.

/** A field of protobuf that holds a text or a message. */
const delimited = (field: number, bytes: Uint8Array) =>
  Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])

/** A field of protobuf that holds an integer. */
const integer = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)])

/** Of a number below 2^31. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
