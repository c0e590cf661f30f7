import type { AnswerColumn, ColumnKind } from '../../engine/plan.js'

/** A JSON Schema, 2020-12, as OpenAPI 3.1 has them. */
export type Schema = Readonly<Record<string, unknown>>

/** An object with just these members, all of them always there. */
export function exactly(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export const reference = (kind: 'schemas' | 'responses' | 'parameters', name: string): Schema => ({
  $ref: `#/components/${kind}/${name}`,
})

const KINDS: Readonly<Record<ColumnKind, Schema>> = {
  text: { type: 'string' },
  json: { type: ['object', 'array'], description: 'the JSON value that was sent' },
  microseconds: { type: 'integer', description: 'microseconds since the epoch, UTC' },
  datetime: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', description: 'UTC' },
  count: { type: 'integer', minimum: 0 },
  double: { type: ['number', 'null'] },
}

/** A row of an answer. */
export function rowSchema(columns: readonly AnswerColumn[]): Schema {
  return exactly(Object.fromEntries(columns.map(({ name, kind }) => [name, KINDS[kind]])))
}
