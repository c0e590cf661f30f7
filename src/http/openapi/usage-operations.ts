/** The operation of the usage. */

import { USAGE_PATH } from '../../common/usage-path.js'
import { USAGE, USAGE_COLUMNS } from '../../endpoints/usage.js'
import type { ErrorForm } from '../reply/error-form.js'
import { failures, NOT_MODIFIED, rowsAnswer, WAITING_CODES } from './answers.js'
import { reference, rowSchema } from './json-schema.js'
import type { Operations } from './operations.js'

const CODES = [
  ...WAITING_CODES,
  'duplicate_parameter',
  'invalid_parameter',
  'invalid_timestamp',
  'forbidden_project',
  'too_many_groups',
  'too_much_memory',
  'unsupported_by_engine',
  'not_acceptable',
  'overloaded',
  'engine_unavailable',
  'internal',
]

/** Returns the operations, by path. */
export const usageOperations = (errorForm: ErrorForm): Readonly<Record<string, Operations>> => ({
  [USAGE_PATH]: {
    get: {
      operationId: 'usage',
      tags: ['queries'],
      summary: 'The rows that are stored, and the bytes that they take',
      description:
        'By UTC day, source and project, in this order. Rows that are hidden count until they are removed. ' +
        'The bytes of rows that are stored together are shared out by the number of rows. ' +
        `At most ${USAGE.maxRows} rows, else too_many_groups.`,
      parameters: [
        ...Object.entries(USAGE.params).map(([name, { description, schema = { type: 'string' } }]) => ({
          name,
          in: 'query',
          description,
          schema,
        })),
        reference('parameters', 'IfNoneMatch'),
      ],
      responses: {
        200: rowsAnswer(rowSchema(USAGE_COLUMNS), ['Cache-Status', 'Server-Timing', 'ETag']),
        304: NOT_MODIFIED,
        ...failures(CODES, errorForm),
      },
    },
  },
})
