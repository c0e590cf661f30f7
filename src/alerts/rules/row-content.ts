import { shorten } from '../../base/text/shorten.js'
import type { Row, Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import type { LabelledRow } from '../states/collect.js'
import { type Labels, sortedLabels } from '../states/labels.js'
import type { JsonValue, Values } from '../states/state.js'

/** The longest JSON of a value that is kept whole. */
export const MAX_VALUE_CHARACTERS = 500

/** Returns a function that reads the rows of an answer with these columns, of which some are labels. */
export function rowReader(
  columns: readonly string[],
  labels: readonly string[],
  textOf: (text: (column: string) => string | null) => string,
): (row: Row) => LabelledRow {
  const isLabel = new Set(labels)
  const others = columns.filter((column) => !isLabel.has(column))
  return (row) => ({
    labels: labelsOf(row, labels),
    contentOf: (shown) => ({
      labels: shown,
      values: others.map((column) => [column, jsonValue(row[column] ?? null)] as const) satisfies Values,
      text: textOf((column) => textValue(row[column] ?? null)),
    }),
  })
}

/** A null is an absent label. */
function labelsOf(row: Row, labels: readonly string[]): Labels {
  return sortedLabels(
    labels.flatMap((name) => {
      const text = textValue(row[name] ?? null)
      return text === null ? [] : [[name, text] as const]
    }),
  )
}

function textValue(value: Value): string | null {
  if (value === null) return null
  return value instanceof RawJson ? value.text : String(value)
}

/** A value as JSON. A whole number that no double holds is a text of digits; a long value is cut to a text. */
function jsonValue(value: Value): JsonValue {
  if (typeof value === 'string') return shorten(value, MAX_VALUE_CHARACTERS)
  if (!(value instanceof RawJson)) return value
  if (value.text.length > MAX_VALUE_CHARACTERS) return shorten(value.text, MAX_VALUE_CHARACTERS)
  return /^-?\d+$/.test(value.text) ? value.text : JSON.parse(value.text)
}
