import { csvFormat } from '../../http/formats/csv.js'
import type { Format } from '../../http/formats/format.js'
import { ndjsonFormat } from '../../http/formats/ndjson.js'

/** Formats of rows for programs. */
export type LinesFormat = 'json' | 'ndjson' | 'csv' | 'arrow'

/** Returns the encoding of a format. JSON is made from NDJSON, which has a row per line. */
export async function encodingOf(format: LinesFormat): Promise<Format> {
  if (format === 'csv') return csvFormat
  // Loaded only if needed: the library of Arrow is large.
  return format === 'arrow' ? (await import('../../http/formats/arrow.js')).arrowFormat : ndjsonFormat
}
