import { httpStatusOf } from '../reply/errors.js'

/** The meaning of each error code of the service. The message of an error says more. */
const MEANINGS: Readonly<Record<string, string>> = {
  unauthorized: 'no token, or an unknown, revoked or expired one',
  forbidden: 'the token does not permit this path',
  forbidden_project: 'the token is not bound to this project, or the query is not of one project',
  not_found: 'no such path or endpoint',
  method_not_allowed: 'the path has other methods: Allow lists them',
  missing_parameter: 'a required parameter is absent or empty',
  duplicate_parameter: 'a parameter is given twice, or in the URL and in the body',
  invalid_timestamp: 'a parameter is not ISO 8601',
  invalid_pattern: 'a pattern is not RE2, or has over 1,000 characters',
  invalid_parameter: 'a parameter has a value that the endpoint does not accept',
  too_many_groups: 'the query makes more than 100,000 groups, or 128 MiB of groups',
  too_much_memory:
    'the query holds more memory than one may have, at most 128 MiB, or computes a value of over 1,048,576 characters',
  invalid_sql: 'wrong SQL, or an expression that failed in a row',
  unsupported_sql: 'SQL outside of the supported subset',
  invalid_rule: 'a fault in the text of an alert rule',
  unsupported_by_engine:
    'the query reads a view over ClickHouse, or the server is too old to read a field without a column, or to delete',
  not_acceptable: 'Accept allows none of the formats',
  bad_request: 'not an HTTP request, or an ambiguous one',
  headers_too_large: 'request line and headers exceed 64 KiB',
  request_timeout: 'the request did not arrive in time',
  invalid_last_event_id: 'not an id of this path, or one of a tail with other parameters',
  overloaded: 'too many queries or tails at once, no memory for a query, or a query of over 30 s',
  starting: 'the service is starting',
  stopping: 'the service is stopping',
  too_many_deletions: '100 deletions are not erased yet',
  missing_source: 'a record has no source',
  unknown_source: 'there is no source of this name',
  invalid_body: 'the body cannot be read',
  invalid_records: 'no record of the body can be stored',
  body_too_large:
    'the body exceeds 12 MiB, compressed or decompressed, or has too many records; 256 KiB for parameters',
  unsupported_content_type: 'an unknown type of the body',
  unsupported_content_encoding: 'an unknown encoding of the body',
  too_many_requests: 'the rate limit of the token is exceeded',
  too_many_bodies: 'too many bodies at once',
  engine_unavailable: 'ClickHouse does not answer, or records cannot be stored',
  internal: 'a defect: the log of the service has details',
}

/** The error codes of the service, each with HTTP status and meaning, for the OpenAPI document. */
export const CODES: readonly { code: string; status: number; meaning: string }[] = Object.entries(MEANINGS)
  .map(([code, meaning]) => ({ code, status: httpStatusOf(code).status, meaning }))
  .sort((a, b) => a.status - b.status)
