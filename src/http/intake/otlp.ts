/** `POST /v1/logs`: accepts records in the encodings of OTLP/HTTP (OTLP 1) and answers with the outcome. */
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { explainRefusals } from '../../common/source-refusals.js'
import { COMMON_HEADERS } from '../reply/cors.js'
import { httpStatusOf, toPublicError } from '../reply/errors.js'
import type { HeaderFields } from '../reply/reply.js'
import { faultOf, type Logs, type SendOutcome, type SendRequest } from './logs.js'
import { contentTypes } from './media-types.js'

/** The path of logs in OTLP. */
export const OTLP_PATH = '/v1/logs'

/** Converts the records of a body to NDJSON. Rejects with `invalid_body` and `body_too_large`. */
export type Translate = (bytes: Uint8Array, encoding: 'json' | 'protobuf') => Promise<Uint8Array>

/** The OTLP path. */
export interface OtlpLogs {
  /**
   * Answers a POST, in the media type of the body. Rejects with `unsupported_content_type` and the errors of the
   * intake.
   */
  answer(sending: SendRequest): Promise<Response>
}

/** Builds the OTLP path upon the JSON path: bodies are converted by `translate` first. */
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

/** By media type. The response has the media type of the body. */
const ENCODINGS = new Map<string, 'json' | 'protobuf'>([
  [JSON_TYPE, 'json'],
  ['application/x-protobuf', 'protobuf'],
  ['application/protobuf', 'protobuf'],
])

/** Returns the media type of a body. Undefined if the type is unsupported, or if several different types are given. */
function typeOf(headers: Headers): string | undefined {
  const [type, ...others] = contentTypes(headers).map(({ name }) => name)
  return type !== undefined && ENCODINGS.has(type) && others.every((other) => other === type) ? type : undefined
}

const unknownType = () =>
  new LogweirError(
    'unsupported_content_type',
    'The Content-Type is not one of OTLP over HTTP. Send application/x-protobuf or application/json.',
  )

/**
 * Returns 200 if any record was stored: then a client must not send the body again. Returns 400 if all records were
 * rejected.
 */
function replyOf(outcome: SendOutcome, type: string): Response {
  const { taken, rejected, byReason, refusedSources } = outcome
  if (rejected === 0) return reply(200, type, '{}', NOTHING)
  if (taken === 0) {
    const { status, code, message } = faultOf(byReason, refusedSources)
    return refusal(status, type, code, message)
  }
  const errorMessage = partialMessage(outcome)
  const partialSuccess = { rejectedLogRecords: String(rejected), errorMessage }
  const message = Buffer.concat([integer(1, rejected), delimited(2, Buffer.from(errorMessage))])
  return reply(200, type, JSON.stringify({ partialSuccess }), delimited(1, message))
}

/** Rejects that the message lists. */
const LISTED_REJECTS = 10

function partialMessage({ taken, rejected, rejects, refusedSources = [] }: SendOutcome): string {
  const listed = rejects.slice(0, LISTED_REJECTS).map(({ record, reason }) => `record ${record} ${reason}`)
  const more = rejected > listed.length ? `, and ${rejected - listed.length} more` : ''
  const of = `${rejected} of ${taken + rejected} records`
  const reasons = explainRefusals(refusedSources)
  return `${of} cannot be taken: ${listed.join(', ')}${more}. The rejects file lists them. ${reasons}`.trim()
}

/** Returns the error response in the encoding of OTLP. `more` headers override the headers of the error. */
export function otlpErrorReply(request: Headers, error: unknown, log: Log, more?: HeaderFields): Response {
  const { code, message } = toPublicError(error, log)
  const { status, headers } = httpStatusOf(code)
  return refusal(status, typeOf(request) ?? JSON_TYPE, code, message, { ...headers, ...more })
}

/**
 * The JSON is both an error as on every other path and a google.rpc.Status. The protobuf is only a google.rpc.Status.
 */
function refusal(status: number, type: string, code: string, message: string, headers?: HeaderFields): Response {
  const json = JSON.stringify({ error: message, code, message })
  return reply(status, type, json, delimited(2, Buffer.from(`${message} (${code})`)), headers)
}

const NOTHING = Buffer.alloc(0)

/** The Content-Type has no charset, because some clients compare the whole header. */
function reply(status: number, type: string, json: string, protobuf: Buffer, headers?: HeaderFields): Response {
  const body = type === JSON_TYPE ? Buffer.from(json) : protobuf
  return new Response(new Uint8Array(body), {
    status,
    headers: { 'Content-Type': type, 'Content-Length': String(body.length), ...headers, ...REPLY_HEADERS },
  })
}

const REPLY_HEADERS = { ...COMMON_HEADERS, 'Cache-Control': 'no-store' } as const

// Responses need only two kinds of fields, so the decoder of requests is not loaded for responses.

/** Encodes a protobuf field with a text or a message. */
const delimited = (field: number, bytes: Uint8Array) =>
  Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])

/** Encodes a protobuf field with an integer. */
const integer = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)])

/** Encodes a number below 2^31. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
