/** The operation of the list of views. */

import { type ListedView, VIEWS_PATH } from '../../common/views-list.js'
import type { ErrorForm } from '../reply/error-form.js'
import { answer, failures, resultOf, TOKEN_CODES } from './answers.js'
import { exactly, type Schema } from './json-schema.js'
import type { Operations } from './operations.js'

const COUNT: Schema = { type: 'integer', minimum: 0 }
const TIME: Schema = { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }
const PART: Schema = { anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }] }

const VIEW = exactly({
  name: { type: 'string', description: 'with @ and a day for an old version' },
  is_current: { type: 'boolean', description: 'whether new rows are grouped' },
  rows: { ...COUNT, description: 'rows that are kept; those of a day may count several times until they are merged' },
  bytes: { ...COUNT, description: 'bytes of the files' },
  first: { ...TIME, description: 'the start of the first bucket that is kept' },
  last: { ...TIME, description: 'the start of the last bucket that is kept' },
  progress: {
    ...PART,
    description: 'the part of the sealed rows that is grouped; null if no rows are grouped any more',
  },
} satisfies Record<keyof ListedView, Schema>)

/** Returns the operations, by path. */
export const viewOperations = (errorForm: ErrorForm): Readonly<Record<string, Operations>> => ({
  [VIEWS_PATH]: {
    get: {
      operationId: 'views',
      tags: ['views'],
      summary: 'The views',
      description: 'By name. Needs a token that is not bound to projects.',
      responses: {
        200: answer('All of them, and the old versions.', { 'application/json': resultOf(VIEW) }),
        ...failures(TOKEN_CODES, errorForm),
      },
    },
  },
})
