/** The operations of deletions on request. */

import {
  type CountedDeletion,
  DELETIONS_PATH,
  type DroppedGroups,
  type ListedDeletion,
} from '../../common/deletions.js'
import { DELETION_PARAMS } from '../query/deletions.js'
import type { ErrorForm } from '../reply/error-form.js'
import { type Answers, answer, failures, resultOf, TOKEN_CODES, WAITING_CODES } from './answers.js'
import { exactly, listOf, type Schema } from './json-schema.js'
import { type Operations, POSTED_CODES } from './operations.js'

const TEXT: Schema = { type: 'string' }
const TIME: Schema = { type: 'string', format: 'date-time' }
const COUNT: Schema = { type: 'integer', minimum: 0 }

const orNull = (schema: Schema, description?: string): Schema => ({
  anyOf: [schema, { type: 'null' }],
  ...(description !== undefined && { description }),
})

const DROPPED = exactly({ view: TEXT, first: TIME, last: TIME } satisfies Record<keyof DroppedGroups, Schema>)

const DELETION = exactly({
  id: { type: 'string', pattern: '^[0-9a-f]{20}$' },
  state: {
    enum: ['accepted', 'hidden', 'erased'],
    description: 'accepted: survives a crash; hidden: no answer has the rows; erased: no file has them',
  },
  project: TEXT,
  source: orNull(TEXT, 'null: all sources'),
  start: orNull(TIME),
  end: orNull(TIME),
  where: orNull(TEXT, 'the condition until the rows are erased'),
  where_sha256: orNull(TEXT, 'the SHA-256 of the condition'),
  by: { type: 'string', description: 'the id of the token that asked for it, and its name' },
  accepted: TIME,
  erased: orNull(TIME, 'when the last byte was gone'),
  rows: orNull(COUNT, 'rows that were removed'),
  bytes: orNull({ type: 'integer' }, 'bytes by which the files became smaller'),
  dropped_groups: {
    ...listOf(DROPPED),
    description: 'groups of views that were dropped, since rows for them were gone before',
  },
} satisfies Record<keyof ListedDeletion, Schema>)

const COUNTED = exactly({
  project: TEXT,
  rows: COUNT,
  sources: listOf(exactly({ source: TEXT, rows: COUNT })),
} satisfies Record<keyof CountedDeletion, Schema>)

const ASKED = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(DELETION_PARAMS).map(([name, { description, schema = TEXT }]) => [name, { ...schema, description }]),
  ),
  required: ['project'],
  additionalProperties: false,
}

const ASKED_CODES = [
  ...WAITING_CODES,
  ...POSTED_CODES,
  'missing_parameter',
  'duplicate_parameter',
  'invalid_timestamp',
  'invalid_sql',
  'unsupported_sql',
  'invalid_pattern',
  'forbidden_project',
  'too_many_deletions',
  'too_much_memory',
  'overloaded',
  'unsupported_by_engine',
  'engine_unavailable',
  'internal',
]

const READ_CODES = [...TOKEN_CODES, 'unsupported_by_engine', 'internal']

/** Returns the operations, by path. */
export function deletionOperations(errorForm: ErrorForm): Readonly<Record<string, Operations>> {
  const operation = (operationId: string, summary: string, description: string, responses: Answers): Schema => ({
    ...{ operationId, tags: ['deletions'], summary, responses },
    description: `${description} Needs a token with the scope delete; one that is bound to projects has those only.`,
  })
  const json = (description: string, schema: Schema) => answer(description, { 'application/json': schema })
  return {
    [DELETIONS_PATH]: {
      get: operation('deletions', 'The deletions', 'The newest first, at most 1,000.', {
        200: json('The deletions.', resultOf(DELETION)),
        ...failures(READ_CODES, errorForm),
      }),
      post: {
        ...operation(
          'delete',
          'Deletes rows of a project',
          'The rows that are stored at the acceptance, with start <= timestamp < end. The condition decides each row ' +
            'by itself, and cannot fail in a row.',
          {
            200: json('With dry_run: how many rows would be deleted now.', COUNTED),
            202: answer('The deletion is durable, and its rows are hidden.', { 'application/json': DELETION }, [
              'Location',
            ]),
            ...failures(ASKED_CODES, errorForm),
          },
        ),
        requestBody: {
          required: true,
          description: 'The parameters, in at most 256 KiB.',
          content: { 'application/json': { schema: ASKED }, 'application/x-www-form-urlencoded': { schema: ASKED } },
        },
      },
    },
    [`${DELETIONS_PATH}/{id}`]: {
      get: {
        ...operation('deletion', 'A deletion', 'With its state.', {
          200: json('The deletion.', DELETION),
          ...failures([...READ_CODES, 'not_found'], errorForm),
        }),
        parameters: [{ name: 'id', in: 'path', required: true, schema: TEXT }],
      },
    },
  }
}
