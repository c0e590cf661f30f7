import { RawJson, type Value } from '../../engine/engine.js'
import type { Format } from './format.js'

const LINE_END = '\r\n'
/** What would be read in another way if it stood bare; some readers cut white space off the ends. */
const TO_QUOTE = /[",\r\n]|^\s|\s$/

/**
 * RFC 4180, with a header line also where there are no rows. Nothing stands for null, `""` for an empty text; JSON stands as
 * its text. Texts are as they are: one that a spreadsheet would take for a formula is not changed.
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
  return textField(value instanceof RawJson ? value.text : value)
}

function textField(text: string): string {
  return text === '' || TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
