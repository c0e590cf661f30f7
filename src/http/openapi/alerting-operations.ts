/** The operations of the lists of alerts and rules, and of the test of a rule. */

import { RULE_TEST_PATH } from '../../common/rule-test-path.js'
import { RULE_TEST_PARAMS } from '../query/rule-tests.js'
import type { ErrorForm } from '../reply/error-form.js'
import { answer, failures, resultOf, TOKEN_CODES, WAITING_CODES } from './answers.js'
import { exactly, listOf, type Schema } from './json-schema.js'
import { type Operations, POSTED_CODES } from './operations.js'

const TEXT: Schema = { type: 'string' }
const TIME: Schema = { type: 'string', format: 'date-time' }
const COUNT: Schema = { type: 'integer', minimum: 0 }
const SECONDS: Schema = { type: 'number', minimum: 0, description: 'seconds' }

const orNull = (schema: Schema, description?: string): Schema => ({
  anyOf: [schema, { type: 'null' }],
  ...(description !== undefined && { description }),
})

const ALERT = exactly({
  rule: { ...TEXT, description: 'the name of the file; LogweirRuleBroken for a rule that fails' },
  severity: TEXT,
  state: { enum: ['pending', 'firing', 'resolved'] },
  labels: { type: 'object', additionalProperties: TEXT },
  values: { type: 'object', description: 'the other columns of the row' },
  text: TEXT,
  active_at: { ...TIME, description: 'the first instant with the row' },
  starts_at: orNull(TIME, 'the instant of firing'),
  ends_at: orNull(TIME, 'the instant of the end; resolved alerts are listed for 15 minutes'),
  is_muted: { type: 'boolean' },
})

const RULE_OF_ALL = {
  name: TEXT,
  summary: orNull(TEXT),
  severity: TEXT,
  every: SECONDS,
  for: SECONDS,
  keep_firing: SECONDS,
  delay: SECONDS,
  repeat: SECONDS,
  labels: listOf(TEXT),
  muted: orNull(exactly({ until: TIME, reason: orNull(TEXT) })),
  health: { enum: ['ok', 'broken', 'new'] },
  last_evaluation: orNull(TIME),
  pending: COUNT,
  firing: COUNT,
} satisfies Record<string, Schema>

const RULE: Schema = {
  ...exactly(RULE_OF_ALL),
  properties: {
    ...RULE_OF_ALL,
    notify: orNull(TEXT, 'the receiver; absent for a token that is bound to projects, like the next two'),
    reason: orNull(TEXT, 'why the rule is broken, or its last failure'),
    query: { ...TEXT, description: 'the text of the file' },
  },
}

const TRANSITION = exactly({
  instant: TIME,
  state: { enum: ['pending', 'firing', 'resolved'] },
  labels: { type: 'object', additionalProperties: TEXT },
  values: { type: 'object' },
  text: TEXT,
})

const TESTED = exactly({
  result: listOf(TRANSITION),
  steps: { ...COUNT, description: 'evaluations' },
  failed: { ...COUNT, description: 'evaluations that failed' },
  method: { enum: ['buckets', 'steps'], description: 'by groups of pieces of time, or by a query for each instant' },
  from: { ...TIME, description: 'the first instant' },
  to: { ...TIME, description: 'the last instant' },
  omitted: { ...COUNT, description: 'earlier transitions that are left out' },
  note: TEXT,
})

const TEST_CODES = [
  ...WAITING_CODES,
  ...POSTED_CODES,
  'not_found',
  'missing_parameter',
  'duplicate_parameter',
  'invalid_rule',
  'overloaded',
  'internal',
]

const testBody = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(RULE_TEST_PARAMS).map(([name, { description, schema }]) => [name, { ...schema, description }]),
  ),
  additionalProperties: false,
}

const testOperations = (errorForm: ErrorForm): Operations => ({
  post: {
    operationId: 'alertTest',
    tags: ['alerts'],
    summary: 'The transitions that a rule would have had',
    description:
      'Needs --sql, and a token that is not bound to projects. By timestamps of the rows that are there now: at most ' +
      'the latest 100,000 instants by groups of pieces of time, else the latest 1,000 by a query each; at most the ' +
      'latest 10,000 transitions. A single test runs at a time, for at most 50 seconds.',
    requestBody: {
      required: true,
      description: 'The text of the file, and the time before now, in at most 256 KiB.',
      content: { 'application/json': { schema: testBody }, 'application/x-www-form-urlencoded': { schema: testBody } },
    },
    responses: {
      200: answer('The transitions, oldest first.', { 'application/json': TESTED }),
      ...failures(TEST_CODES, errorForm),
    },
  },
})

/** Returns the operations, by path. */
export function alertingOperations(errorForm: ErrorForm): Readonly<Record<string, Operations>> {
  const list = (operationId: string, summary: string, description: string, row: Schema): Operations => ({
    get: {
      ...{ operationId, tags: ['alerts'], summary, description },
      responses: {
        200: answer('All of them.', { 'application/json': resultOf(row) }),
        ...failures(TOKEN_CODES, errorForm),
      },
    },
  })
  return {
    '/api/alerting/alerts': list(
      'alerts',
      'The alerts that are pending, fire, or were resolved a short time ago',
      'The newest state first. A token that is bound to projects sees the alerts with these as the label `project`.',
      ALERT,
    ),
    '/api/alerting/rules': list(
      'alertRules',
      'The alert rules',
      'By name. A token that is bound to projects sees neither queries nor receivers, and counts of its alerts only.',
      RULE,
    ),
    [RULE_TEST_PATH]: testOperations(errorForm),
  }
}
