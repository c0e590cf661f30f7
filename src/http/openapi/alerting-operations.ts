/** The operations of the lists of alerts and rules. */

import type { ErrorForm } from '../reply/error-form.js'
import { answer, failures, resultOf, TOKEN_CODES } from './answers.js'
import { exactly, listOf, type Schema } from './json-schema.js'
import type { Operations } from './operations.js'

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
  }
}
