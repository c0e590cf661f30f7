import type { Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import type { Format } from './format.js'

const LINE_END = '\r\n'
/** Texts that are ambiguous without quotes. Some readers trim white space. */
const TO_QUOTE = /[",\r\n]|^\s|\s$/

/**
 * CSV (RFC 4180) with a header line, even without rows. Null is an empty field, an empty text is `""`, JSON is the JSON
 * text. Texts are not changed, not even texts that a spreadsheet would evaluate as a formula.
 */
export const csvFormat: Format = {
  name: 'csv',
  encoder(columns) {
    const line = (fields: readonly string[]) => fields.join(',') + LINE_END
    return {
      begin: columns.length === 0 ? '' : line(columns.map(({ name }) => textField(name))),
      row: (row) => line(columns.map(({ name }) => field(row[name]))),
      end: () => '',
      endBytes: 0,
    }
  },
}

function field(value: Value | undefined): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : ''
  if (value === null || value === undefined) return ''
  return textField(value instanceof RawJson ? value.text : String(value))
}

function textField(text: string): string {
  return text === '' || TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
