import { arrowFormat } from '../http/formats/arrow.js'
import { csvFormat } from '../http/formats/csv.js'
import type { Format } from '../http/formats/format.js'
import { ndjsonFormat } from '../http/formats/ndjson.js'

/** Formats of rows for programs. */
export type LinesFormat = 'json' | 'ndjson' | 'csv' | 'arrow'

/** The encoding of each format. JSON is made from NDJSON, which has a row per line. */
export const ENCODINGS: Readonly<Record<LinesFormat, Format>> = {
  json: ndjsonFormat,
  ndjson: ndjsonFormat,
  csv: csvFormat,
  arrow: arrowFormat,
}
