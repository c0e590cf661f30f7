import { csvField, csvLine } from '../../common/csv.js'
import type { Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import type { Format } from './format.js'

/**
 * CSV (RFC 4180) with a header line, even without rows. Null is an empty field, an empty text is `""`, JSON is the JSON
 * text.
 */
export const csvFormat: Format = {
  name: 'csv',
  encoder(columns) {
    return {
      begin: columns.length === 0 ? '' : csvLine(columns.map(({ name }) => csvField(name))),
      row: (row) => csvLine(columns.map(({ name }) => field(row[name]))),
      end: () => '',
      endBytes: 0,
    }
  },
}

function field(value: Value | undefined): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : ''
  if (value === null || value === undefined) return ''
  return csvField(value instanceof RawJson ? value.text : String(value))
}
