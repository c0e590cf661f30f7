import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Scope } from '../../tokens/access.js'
import { ALLOWED_METHODS } from './cors.js'
import { type ErrorForm, errorJson } from './error-form.js'
import { type HeaderFields, jsonReply } from './reply.js'

/** Seconds after which a client should retry. */
const RETRY_AFTER_S = '2'
const SOON_S = '1'
const LATER_S = '30'

/** The HTTP status and the headers of an error code. */
export interface HttpStatus {
  status: number
  headers?: Readonly<Record<string, string>>
}

/** The HTTP status of each error code. All other errors are answered as `internal`, with 500. */
export const HTTP_STATUSES: ReadonlyMap<string, HttpStatus> = new Map<string, HttpStatus>([
  ['unauthorized', { status: 401 }],
  ['forbidden', { status: 403 }],
  ['forbidden_project', { status: 403 }],
  ['not_found', { status: 404 }],
  ['method_not_allowed', { status: 405, headers: { Allow: ALLOWED_METHODS } }],
  ['missing_parameter', { status: 400 }],
  ['duplicate_parameter', { status: 400 }],
  ['invalid_timestamp', { status: 400 }],
  ['invalid_pattern', { status: 400 }],
  // Thrown by parameters of user endpoints.
  ['invalid_parameter', { status: 400 }],
  ['too_many_groups', { status: 400 }],
  ['too_much_memory', { status: 400 }],
  ['invalid_sql', { status: 400 }],
  ['unsupported_sql', { status: 400 }],
  ['invalid_rule', { status: 400 }],
  ['unsupported_by_engine', { status: 501 }],
  ['not_acceptable', { status: 406, headers: { Vary: 'Accept' } }],
  ['bad_request', { status: 400, headers: { Connection: 'close' } }],
  ['headers_too_large', { status: 431, headers: { Connection: 'close' } }],
  ['request_timeout', { status: 408, headers: { Connection: 'close' } }],
  ['invalid_last_event_id', { status: 400 }],
  ['overloaded', { status: 503, headers: { 'Retry-After': RETRY_AFTER_S } }],
  // Most starts take a second. A retry during a longer start is cheap.
  ['starting', { status: 503, headers: { 'Retry-After': SOON_S } }],
  ['stopping', { status: 503, headers: { 'Retry-After': RETRY_AFTER_S } }],
  // Erasing a deletion takes seconds to minutes.
  ['too_many_deletions', { status: 503, headers: { 'Retry-After': LATER_S } }],
  ['missing_source', { status: 400 }],
  ['unknown_source', { status: 400 }],
  ['invalid_body', { status: 400 }],
  ['invalid_records', { status: 400 }],
  ['body_too_large', { status: 413 }],
  ['unsupported_content_type', { status: 415 }],
  ['unsupported_content_encoding', { status: 415 }],
  ['too_many_requests', { status: 429, headers: { 'Retry-After': SOON_S } }],
  ['too_many_bodies', { status: 429, headers: { 'Retry-After': SOON_S } }],
  // The engine's server is unreachable, too slow, or lacks a shard, or rows cannot be stored.
  ['engine_unavailable', { status: 503, headers: { 'Retry-After': RETRY_AFTER_S } }],
  // The client has left, so only metrics show this status.
  ['abandoned', { status: 499 }],
])

const INTERNAL = new LogweirError(
  'internal',
  'The service failed with an internal error. Try again; if it persists, see the log of the service.',
)

/** The errors of requests that are thrown in several places. */
export const refusals = {
  unauthorized: () =>
    new LogweirError(
      'unauthorized',
      'The access token is missing or wrong. Send it in the X-API-KEY header, or as Authorization: Bearer.',
    ),
  wrongScope: (scope: Scope) =>
    new LogweirError(
      'forbidden',
      `The access token lacks the scope "${scope}", which this address needs. Use one that has it.`,
    ),
  ofAllProjects: () =>
    new LogweirError(
      'forbidden',
      'This address returns data of all projects, but the access token is bound to some. Use one that is not bound.',
    ),
  forbiddenProject: () =>
    new LogweirError(
      'forbidden_project',
      'The access token is not bound to this project. Name one that it is bound to, or use another token.',
    ),
  tooManyRequests: () =>
    new LogweirError(
      'too_many_requests',
      'The access token has exceeded its rate limit. Try again after the seconds in Retry-After.',
    ),
  tooManyWrongTokens: () =>
    new LogweirError(
      'too_many_requests',
      'Too many requests with wrong access tokens wait for their answers. ' +
        'Correct the token, and try again after the seconds in Retry-After.',
    ),
  notFound: () =>
    new LogweirError('not_found', 'There is nothing at this address. GET /api/endpoints lists the endpoints.'),
  methodNotAllowed: (methods = ALLOWED_METHODS) =>
    new LogweirError('method_not_allowed', `This address does not accept this method. Use one of ${methods}.`),
  notAcceptable: (mediaTypes: readonly string[]) =>
    new LogweirError(
      'not_acceptable',
      `Accept names no format of this service. Name one of ${mediaTypes.join(', ')}, or */*.`,
    ),
  starting: () => new LogweirError('starting', 'The service is recovering its data after a start. Try again shortly.'),
  stopping: () => new LogweirError('stopping', 'The service is shutting down. Try again when it is back.'),
  badRequest: () => new LogweirError('bad_request', 'This is not a well-formed HTTP request. Correct the request.'),
  headersTooLarge: () =>
    new LogweirError('headers_too_large', 'The request line and headers are over 64 KiB. Send a shorter request.'),
  requestTimeout: () =>
    new LogweirError('request_timeout', 'The request did not arrive in time. Send it again, faster.'),
  bodyTooSlow: () =>
    new LogweirError(
      'request_timeout',
      'The body arrived too slowly, or took too long in all. Nothing of it was stored. ' +
        'Send it again, compressed or in smaller batches.',
    ),
  bodySlowest: () =>
    new LogweirError(
      'request_timeout',
      'The memory for bodies is full, and this one arrived most slowly. Nothing of it was stored. ' +
        'Send it again, compressed or in smaller batches.',
    ),
  twice: (name: string) =>
    new LogweirError('duplicate_parameter', `The parameter "${name}" is given twice. Give it once.`),
  notStored: () =>
    new LogweirError(
      'engine_unavailable',
      'Records cannot be stored at the moment, or not in time. Send them again shortly; some may have been stored.',
    ),
  abandoned: () => new LogweirError('abandoned', 'The client left before its answer.'),
}

/** Whether clients may see an error. */
function isPublic(error: unknown): error is LogweirError {
  return error instanceof LogweirError && HTTP_STATUSES.has(error.code)
}

/**
 * Returns the error that a client may see: the error itself if the code is known, else `internal`, after logging the
 * error.
 */
export function toPublicError(error: unknown, log: Log): LogweirError {
  if (isPublic(error)) return error
  const [description, stack] =
    error instanceof Error ? [`${error.name}: ${error.message}`, error.stack] : [String(error)]
  log(`internal error: ${description}`, { level: 'error', code: 'internal', stack })
  return INTERNAL
}

/** Returns status and headers of an error code that {@link toPublicError} returned. */
export const httpStatusOf = (code: string): HttpStatus => HTTP_STATUSES.get(code) ?? { status: 500 }

/** Returns the error response. `more` headers override the headers of the code. */
export function errorReply(error: unknown, log: Log, more?: HeaderFields, form: ErrorForm = 'flat'): Response {
  const shown = toPublicError(error, log)
  const { status, headers } = httpStatusOf(shown.code)
  return jsonReply(errorJson(shown, form), status, more === undefined ? headers : { ...headers, ...more })
}
