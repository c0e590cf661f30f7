import type { ErrorForm } from '../reply/error-form.js'
import { httpStatusOf } from '../reply/errors.js'
import { listOf, reference, type Schema } from './json-schema.js'

/** The responses of an operation, by HTTP status. */
export type Answers = Readonly<Record<string, Schema>>

/** Returns the description of a response, with a schema per media type and the names of the headers. */
export function answer(
  description: string,
  content: Readonly<Record<string, Schema>>,
  headers?: readonly string[],
): Schema {
  const media = Object.entries(content).map(([type, schema]) => [type, { schema }])
  const named = headers?.map((name) => [name, HEADERS[name]])
  return { description, ...(named && { headers: Object.fromEntries(named) }), content: Object.fromEntries(media) }
}

const text = (description: string): Schema => ({ description, schema: { type: 'string' } })

/** The response headers that clients may rely on. */
const HEADERS: Readonly<Record<string, Schema>> = {
  'Cache-Status': text('whether it came from the cache (RFC 9211)'),
  'Server-Timing': text('scanned rows, skipped segments, whether it came from the cache'),
  ETag: text('names these bytes; a streamed answer has none'),
  Age: text('seconds since it was computed; only where it was not computed for this request'),
  'Logweir-Warnings': text('JSON list of texts: names in the SQL that no row has; absent without warnings'),
  'Logweir-View': text(
    'what is to be known of the views that were read, by commas: "more; before=TIME" if the answer ended at a whole ' +
      'bucket, to go on with that time as end; "partial" if groups were counted together; "building; from=TIME" of ' +
      'a new view; absent if there is nothing',
  ),
  Location: text('the path of what was made'),
  'Retry-After': text('seconds after which to try again'),
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is wrong. Sending it again does not help.',
  401: 'The access token is missing, wrong, expired or revoked.',
  403: 'The access token does not open this.',
  404: 'There is nothing at this address.',
  406: 'None of the accepted media types is available.',
  408: 'The body arrived too slowly. Nothing of it was stored. Send it again, compressed or in smaller batches.',
  413: 'The body is too large. Nothing of it was stored.',
  415: 'The body has an unsupported type or coding. Nothing of it was stored.',
  429: 'Too many requests. Try again.',
  500: 'Internal error.',
  501: 'The engine of this service cannot run this query.',
  503: 'Not possible at the moment. Try again.',
}

const statusOf = (code: string): number => httpStatusOf(code).status

/** The forms of the errors of a path. `either`: the form depends on the request. */
export type ErrorForms = ErrorForm | 'either'

/** Returns the schema of an error with any of `codes`, in each form that the path may answer. */
function errorOf(codes: readonly string[], form: ErrorForms): Schema {
  const flat = { allOf: [reference('schemas', 'Error'), { properties: { code: { enum: codes } } }] }
  if (form === 'flat') return flat
  const inner = { properties: { error: { properties: { code: { enum: codes } } } } }
  const nested = { allOf: [reference('schemas', 'NestedError'), inner] }
  return form === 'nested' ? nested : { anyOf: [flat, nested] }
}

/**
 * Returns the error responses for error codes, grouped by HTTP status: JSON, or bytes of the media types in `others`.
 */
export function failures(codes: readonly string[], form: ErrorForms, others: readonly string[] = []): Answers {
  const statuses = [...new Set(codes.map(statusOf))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = [...new Set(codes)].filter((code) => statusOf(code) === status)
      const schema = errorOf(ofStatus, form)
      const mayRetry = status === 429 || status === 503
      const headers = mayRetry ? ['Retry-After'] : undefined
      return [
        status,
        answer(
          DESCRIPTIONS[status],
          { 'application/json': schema, ...Object.fromEntries(others.map((type) => [type, {}])) },
          headers,
        ),
      ]
    }),
  )
}

/** The error codes of every path that needs a token. */
export const TOKEN_CODES = ['unauthorized', 'forbidden', 'too_many_requests', 'starting'] as const
/** The error codes of every path that may take long, so that a stop cannot wait for the answer. */
export const WAITING_CODES = [...TOKEN_CODES, 'stopping'] as const

const WHAT = { type: 'string', description: 'what is wrong, and how to correct it' }
const CODE = { type: 'string', pattern: '^[a-z_]+$', description: 'the same for ever' }

/** The schemas of error responses, a schema for each form. */
export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: { type: 'object', properties: { error: WHAT, code: CODE }, required: ['error', 'code'] },
  NestedError: {
    type: 'object',
    properties: { error: { type: 'object', properties: { message: WHAT, code: CODE }, required: ['message', 'code'] } },
    required: ['error'],
  },
}

/** Returns the schema of a response with rows. */
export const resultOf = (row: Schema): Schema => ({
  type: 'object',
  properties: { result: listOf(row) },
  required: ['result'],
  additionalProperties: false,
})

/**
 * Returns the response with rows, in each media type, and with the names of the headers. `isFollowed`: the rows can be
 * followed.
 */
export const rowsAnswer = (row: Schema, headers: readonly string[], isFollowed = false): Schema =>
  answer(
    'The rows, in the media type that Accept prefers.',
    {
      'application/json': resultOf(row),
      'application/x-ndjson': { type: 'string' },
      'text/csv': { type: 'string' },
      'application/vnd.apache.arrow.stream': {},
      ...(isFollowed && { 'text/event-stream': EVENTS }),
    },
    headers,
  )

/** The stream of a followed query, which has none of the headers. */
const EVENTS: Schema = {
  type: 'string',
  description:
    'Server-sent events: "snapshot" has all rows as "result", "change" has rows as "upsert" and keys of rows as ' +
    '"delete", "dropped" says why the stream ends. Chosen only if Accept names the type.',
}

/** The response without a body. */
export const NOT_MODIFIED: Schema = { description: 'The bytes are those that If-None-Match names.' }
