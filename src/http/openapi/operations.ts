/** The operations of each path: parameters, bodies and responses. */

import { columnsOf, type Endpoint } from '../../endpoints/endpoint.js'
import { EXPLORE_PARAMS, sourceWords } from '../../endpoints/explore-params.js'
import { sampleCall } from '../../endpoints/sample.js'
import type { Dialect } from '../reply/dialect.js'
import { answer, type ErrorForms, failures, NOT_MODIFIED, rowsAnswer, TOKEN_CODES, WAITING_CODES } from './answers.js'
import { exactly, listOf, reference, rowSchema, type Schema } from './json-schema.js'

/** The operations of a path, by method. */
export type Operations = Readonly<Record<string, Schema>>

const TEXT: Schema = { type: 'string' }
const BYTES: Schema = {}

/** Facts about the service that the operations depend on. See `DescriptionForm` of document.ts. */
interface Form {
  dialect: Dialect
  hasDefaultProject: boolean
}

function parameter(name: string, place: 'query' | 'header', description: string, more: Schema = {}): Schema {
  return { name, in: place, description, schema: TEXT, ...more }
}

/** The default project's name is not in the description, since all tokens may read the description. */
const projectDescription = (description: string, { hasDefaultProject }: Form) =>
  hasDefaultProject
    ? `${description}; absent: the default project of the service, or the only one of the token`
    : description

/**
 * Returns the operations of an endpoint under the endpoint's name. The id is another path with the same operations.
 * POST has the parameters of GET in the body.
 */
export function queryOperations(endpoint: Endpoint, nowUs: number, asked: Form): Operations {
  const { errorForm } = asked.dialect
  const { name, params, cache, sandboxing } = endpoint
  const rows = rowLimits(endpoint, nowUs)
  const errors: ErrorForms = sandboxing && errorForm === 'flat' ? 'either' : errorForm
  const ofSql = sandboxing || endpoint.isOwn ? ['Logweir-Warnings', 'Logweir-View'] : []
  const headers = ['Cache-Status', 'Server-Timing', 'ETag', ...(cache === 'disabled' ? [] : ['Age']), ...ofSql]
  const summary = endpoint.summary ?? `The rows of ${name}`
  const headerParameters = [
    reference('parameters', 'IfNoneMatch'),
    ...(cache === 'disabled' ? [] : [reference('parameters', 'CacheControl')]),
    reference('parameters', 'LastEventId'),
  ]
  const operation = (operationId: string, codes: readonly string[], parameters: readonly Schema[]): Schema => ({
    operationId,
    tags: endpoint.isOwn ? ['queries', 'own'] : ['queries'],
    summary,
    description: `${rows.text} ${cachingOf(endpoint)} Also at /api/endpoints/query/${endpoint.id}.`,
    'x-rows': rows.limits,
    parameters: [...parameters, ...headerParameters],
    responses: {
      200: rowsAnswer(rowOf(endpoint, nowUs), headers, true),
      304: NOT_MODIFIED,
      ...failures(codes, errors),
    },
  })
  const described = Object.entries(params).map(([param, about]) => describedParam(param, about, asked))
  const inUrl = described.map(({ name, required, description, schema }) =>
    parameter(name, 'query', description, { required, schema }),
  )
  const codes = codesOf(params)
  return {
    get: operation(name, codes, inUrl),
    post: {
      ...operation(`${name}.post`, [...codes, ...POSTED_CODES], []),
      requestBody: postedBody(endpoint, described),
    },
  }
}

type DescribedParam = ReturnType<typeof describedParam>

function describedParam(
  name: string,
  { required, description, schema = TEXT }: Endpoint['params'][string],
  form: Form,
) {
  if (name !== 'project') return { name, required, description, schema }
  const isRequired = required && !form.hasDefaultProject
  return { name, required: isRequired, description: projectDescription(description, form), schema }
}

/** The error codes of a path that reads parameters from a body. */
export const POSTED_CODES = [
  'invalid_parameter',
  'invalid_body',
  'request_timeout',
  'body_too_large',
  'unsupported_content_type',
  'unsupported_content_encoding',
  'too_many_bodies',
]

/** The body of a query by POST. No parameter is required in the body, since the URL may have the parameter. */
function postedBody({ refusesUnknown }: Endpoint, params: readonly DescribedParam[]): Schema {
  const properties = Object.fromEntries(
    params.map(({ name, description, schema }) => [name, { description, ...schema }]),
  )
  const additionalProperties = refusesUnknown ? false : { type: ['string', 'number', 'boolean'] }
  const schema = { type: 'object', properties, additionalProperties }
  return {
    required: true,
    description:
      'The parameters of GET, in at most 256 KiB. The URL may have some of them too, but none that the body has.',
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  }
}

const codesOf = (params: Endpoint['params']): string[] => [
  ...WAITING_CODES,
  'duplicate_parameter',
  ...Object.values(params).flatMap(({ codes = ['invalid_parameter'] }) => codes),
  'too_many_groups',
  'too_much_memory',
  'invalid_sql',
  'unsupported_by_engine',
  'forbidden_project',
  'not_acceptable',
  'overloaded',
  'engine_unavailable',
  'internal',
]

function cachingOf({ cache }: Endpoint): string {
  if (cache === 'disabled') return 'Computed for each request.'
  return `Cached for up to ${cache.ttlS} seconds, and refreshed every ${cache.warmS} while clients ask for it.`
}

/** Returns the maximum of rows. `default` is the maximum of a call without optional parameters, if known and lower. */
function rowLimits(endpoint: Endpoint, nowUs: number): { limits: Schema; text: string } {
  const { maxRows } = endpoint
  const call = sampleCall(endpoint)
  const isOfPlan = call !== undefined && call.load === undefined && call.computation === undefined
  const last = isOfPlan ? call.plan(nowUs).at(-1) : undefined
  const usual = last?.op === 'limit' ? Math.min(last.rows, maxRows) : maxRows
  if (usual === maxRows) return { limits: { maximum: maxRows }, text: `At most ${maxRows} rows.` }
  const less = usual === 0 ? 'none' : usual
  const text = `At most ${maxRows} rows; ${less} if only the required parameters are given.`
  return { limits: { maximum: maxRows, default: usual }, text }
}

/**
 * All calls have the same columns, except calls with SQL of the client. If there is no sample call, or if the query of
 * the sample call is not compiled yet, a row is only known to be an object.
 */
function rowOf(endpoint: Endpoint, nowUs: number): Schema {
  const call = sampleCall(endpoint)
  if (call === undefined || call.load !== undefined) return { type: 'object' }
  const row = rowSchema(columnsOf(call, call.plan(nowUs)))
  if (!endpoint.sandboxing) return row
  return { anyOf: [row, { type: 'object', description: 'with sql: the columns of that query' }] }
}

const recordSchema = (): Schema => ({
  type: 'object',
  properties: {
    source: { enum: sourceWords() },
    id: TEXT,
    timestamp: { type: ['string', 'number'], description: 'ISO 8601, or seconds to nanoseconds since the epoch' },
    project: TEXT,
    event_message: TEXT,
    message: { type: 'string', description: 'taken where event_message is absent' },
    metadata: { type: ['object', 'array'] },
  },
})

const REJECTED = listOf(exactly({ record: { type: 'integer', minimum: 1 }, reason: TEXT }))

const LOGGED: Schema = {
  type: 'object',
  properties: {
    message: { const: 'Logged!' },
    taken: { type: 'integer', minimum: 1 },
    rejected: REJECTED,
    more_rejected: { type: 'integer', minimum: 1 },
  },
  required: ['message'],
  additionalProperties: false,
}

const BODY_CODES = [
  'duplicate_parameter',
  'unknown_source',
  'missing_source',
  'invalid_body',
  'invalid_records',
  'request_timeout',
  'body_too_large',
  'unsupported_content_type',
  'unsupported_content_encoding',
  'too_many_bodies',
  'forbidden_project',
  'engine_unavailable',
]

const logsParameters = (form: Form) => [
  parameter('source', 'query', 'for records that name none; source_name is the same'),
  parameter('source_name', 'query', 'the same as source'),
  parameter('project', 'query', projectDescription('for records that have none', form)),
  parameter('time_field', 'query', 'fields that can hold the time, comma separated; default: timestamp'),
  parameter('message_field', 'query', 'fields that can hold the message; default: event_message,message'),
]

/** The ways in which a token can be sent, if the URL may contain a token too. */
const KEYS = [{ key: [] }, { bearer: [] }, { keyInUrl: [] }]
const securityOf = ({ acceptsKeyInUrl }: Dialect): Schema => (acceptsKeyInUrl ? { security: KEYS } : {})

/** Returns the operations of the path for records as JSON. */
export const logsOperations = (form: Form): Operations => ({
  post: {
    operationId: 'logs',
    tags: ['records'],
    summary: 'Takes records',
    ...securityOf(form.dialect),
    description:
      'Responds when the records are stored. A record that is sent twice, after a lost response, is stored twice. ' +
      'The body may be compressed: gzip, deflate. ' +
      'Objects may also follow one another without commas, in any of the media types.',
    parameters: logsParameters(form),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            anyOf: [
              recordSchema(),
              listOf(recordSchema()),
              { type: 'object', properties: { batch: listOf(recordSchema()) }, required: ['batch'] },
            ],
          },
        },
        'application/x-ndjson': { schema: TEXT },
        'application/jsonl': { schema: TEXT },
      },
    },
    responses: {
      200: answer(
        'Valid records are stored. The first hundred rejected ones are listed here, all in the rejects file.',
        {
          'application/json': LOGGED,
        },
      ),
      ...failures([...WAITING_CODES, ...BODY_CODES, 'invalid_parameter'], form.dialect.errorForm),
    },
  },
})

const PARTIAL: Schema = {
  type: 'object',
  properties: {
    partialSuccess: exactly({ rejectedLogRecords: { type: 'string', pattern: '^[1-9][0-9]*$' }, errorMessage: TEXT }),
  },
  additionalProperties: false,
}

/** Returns the operations of the path for OTLP. The errors have the same form in every dialect. */
export const otlpOperations = (form: Form): Operations => ({
  post: {
    operationId: 'otlp-logs',
    tags: ['records'],
    summary: 'Takes logs of OpenTelemetry',
    ...securityOf(form.dialect),
    description:
      'OTLP over HTTP. The resource attributes logweir.source and logweir.project say where records belong; ' +
      'the parameters do for records without them.',
    parameters: logsParameters(form),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' } }, 'application/x-protobuf': { schema: BYTES } },
    },
    responses: {
      200: answer('Valid records are stored. In the media type of the request.', {
        'application/json': PARTIAL,
        'application/x-protobuf': BYTES,
      }),
      ...failures([...WAITING_CODES, ...BODY_CODES], 'flat', ['application/x-protobuf']),
    },
  },
})

const TAIL_CODES = [
  ...TOKEN_CODES,
  'missing_parameter',
  'duplicate_parameter',
  'invalid_parameter',
  'invalid_pattern',
  'invalid_last_event_id',
  'forbidden_project',
  'overloaded',
  'stopping',
]

/** Returns the operations of live tails. */
export const tailOperations = (form: Form): Operations => ({
  get: {
    operationId: 'tail',
    tags: ['queries'],
    summary: 'The records of a project and a source as they arrive',
    description:
      'Server-sent events, one per record: id, timestamp, event_message and metadata as data. ' +
      'The event "gap" says that records were left out, "dropped" that the reader was too slow.',
    parameters: [
      parameter('project', 'query', projectDescription('the project whose records are followed', form), {
        required: !form.hasDefaultProject,
      }),
      parameter('source', 'query', 'the source of the records, or its alias; default: edge_logs', {
        schema: EXPLORE_PARAMS.source.schema,
      }),
      parameter('filter', 'query', EXPLORE_PARAMS.filter.description),
      parameter('search', 'query', EXPLORE_PARAMS.search.description),
      parameter(
        'Last-Event-ID',
        'header',
        'continues after this event of a tail with the same parameters, or after this place of a row of logs.explore',
      ),
    ],
    responses: {
      200: answer('The stream, until one of the two ends it.', { 'text/event-stream': TEXT }),
      ...failures(TAIL_CODES, form.dialect.errorForm),
    },
  },
})
