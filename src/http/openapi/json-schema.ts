import type { AnswerColumn, ColumnKind } from '../../plan/answer.js'

/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>

/** Returns the schema of an object with exactly the given members, all required. */
export function exactly(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Returns the schema of an array with such items. */
export const listOf = (items: Schema): Schema => ({ type: 'array', items })

/** Returns a `$ref` to a component of the document. */
export const reference = (kind: 'schemas' | 'responses' | 'parameters', name: string): Schema => ({
  $ref: `#/components/${kind}/${name}`,
})

const KINDS: Readonly<Record<ColumnKind, Schema>> = {
  text: { type: ['string', 'null'] },
  json: { type: ['object', 'array'], description: 'the JSON value that was sent' },
  microseconds: { type: 'integer', description: 'microseconds since the epoch, UTC' },
  datetime: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', description: 'UTC' },
  integer: { type: ['integer', 'null'] },
  count: { type: 'integer', minimum: 0 },
  boolean: { type: ['boolean', 'null'] },
  any: {},
  double: { type: ['number', 'null'] },
}

/** Returns the schema of a row with the given columns. `x-kind` distinguishes kinds with the same JSON type. */
export function rowSchema(columns: readonly AnswerColumn[]): Schema {
  return exactly(Object.fromEntries(columns.map(({ name, kind }) => [name, { ...KINDS[kind], 'x-kind': kind }])))
}
