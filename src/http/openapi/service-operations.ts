/** The operations of the paths about the service itself, and of lists that are empty. */

import { PROJECTS, projectsCall } from '../../endpoints/projects.js'
import { answerColumns } from '../../plan/answer.js'
import { SCOPES } from '../../tokens/access.js'
import type { Dialect } from '../reply/dialect.js'
import type { ErrorForm } from '../reply/error-form.js'
import {
  type Answers,
  answer,
  failures,
  NOT_MODIFIED,
  resultOf,
  rowsAnswer,
  TOKEN_CODES,
  WAITING_CODES,
} from './answers.js'
import { exactly, listOf, reference, rowSchema, type Schema } from './json-schema.js'
import type { Operations } from './operations.js'

const TEXT: Schema = { type: 'string' }

const DEFINITION = exactly({
  id: { type: 'string', format: 'uuid' },
  name: TEXT,
  query: { type: 'string', description: 'the stored SQL, BigQuery dialect' },
  max_rows: { type: 'integer' },
  caching: { anyOf: [{ type: 'integer', description: 'seconds' }, { const: 'disabled' }] },
  cache_warming: { type: ['integer', 'null'], description: 'seconds' },
  sandboxing: { type: 'boolean' },
  parameters: listOf(exactly({ name: TEXT, required: { type: 'boolean' }, description: TEXT })),
})

const STATUS = exactly({ status: { enum: ['ok', 'degraded', 'stopping'] } })

const SESSION = exactly({
  scopes: listOf({ enum: SCOPES, description: 'none if the token is missing, wrong, expired or revoked' }),
  projects: { anyOf: [listOf(TEXT), { type: 'null', description: 'all projects' }] },
  default_project: { type: ['string', 'null'], description: 'the project of requests and records that name none' },
})

const publicPath = (operationId: string, summary: string, responses: Answers): Operations => ({
  get: { operationId, tags: ['service'], summary, security: [], responses },
})

/** Returns the operations of the service paths, by path. */
export function serviceOperations({ errorForm, lists }: Dialect): Readonly<Record<string, Operations>> {
  const status = (description: string, ...codes: readonly string[]): Answers => ({
    200: answer(description, { 'application/json': STATUS }),
    ...failures(['starting', ...codes], errorForm),
  })
  const privatePath = (operationId: string, summary: string, responses: Answers): Operations => ({
    get: { operationId, tags: ['service'], summary, responses: { ...responses, ...failures(TOKEN_CODES, errorForm) } },
  })
  return {
    '/health': publicPath('health', 'Liveness', status('It is alive; degraded: it accepts no records at the moment.')),
    '/ready': publicPath('ready', 'Readiness', status('It serves.', 'stopping')),
    '/api/session': publicPath('session', 'What the token of the request permits, if it has one', {
      200: answer('Scopes and projects of the token.', { 'application/json': SESSION }),
      ...failures(['too_many_requests', 'starting'], errorForm),
    }),
    '/metrics': privatePath('metrics', 'Metrics for Prometheus', {
      200: answer('Prometheus text.', { 'text/plain': TEXT }),
    }),
    '/api/endpoints': privatePath('endpoints', 'The definitions of the endpoints', {
      200: answer('All of them.', { 'application/json': resultOf(DEFINITION) }),
    }),
    '/api/openapi.json': privatePath('openapi', 'This description', {
      200: answer('OpenAPI 3.1.', { 'application/json': { type: 'object' } }),
    }),
    '/api/projects': projectsOperations(errorForm),
    ...Object.fromEntries(
      Object.keys(lists).map((path) => [
        path,
        privatePath(path.replace('/api/', ''), 'A list that says why', { 200: LIST }),
      ]),
    ),
  }
}

const PROJECTS_CODES = [
  ...WAITING_CODES,
  'duplicate_parameter',
  'invalid_parameter',
  'forbidden_project',
  'too_many_groups',
  'not_acceptable',
  'overloaded',
  'engine_unavailable',
  'internal',
]

const projectsOperations = (errorForm: ErrorForm): Operations => ({
  get: {
    operationId: 'projects',
    tags: ['queries'],
    summary: 'The projects that the token may see',
    description:
      'For each project and source with records: their number, and the newest time. ' +
      `At most ${PROJECTS.maxRows} rows; a list of so many is cut. By project, then source, or with \`order=rows\` ` +
      `the projects with the most records first. Cached for up to ${PROJECTS.policy.ttlS} seconds.`,
    parameters: [
      ...Object.entries(PROJECTS.params).map(([name, { description, schema = TEXT }]) => ({
        name,
        in: 'query',
        description,
        schema,
      })),
      reference('parameters', 'IfNoneMatch'),
      reference('parameters', 'CacheControl'),
    ],
    responses: {
      200: rowsAnswer(rowSchema(answerColumns(projectsCall().plan(0))), [
        'Cache-Status',
        'Server-Timing',
        'ETag',
        'Age',
      ]),
      304: NOT_MODIFIED,
      ...failures(PROJECTS_CODES, errorForm),
    },
  },
})

const LIST = answer('A list that never changes; an entry says why there are no others.', {
  'application/json': {
    type: 'array',
    items: {
      type: 'object',
      properties: { name: { type: 'string' }, description: { type: 'string' } },
      required: ['name', 'description'],
    },
  },
})
