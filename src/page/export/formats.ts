/**
 * Writes rows in the formats of the service, byte for byte as the service does: `docs/api.md` describes the formats.
 */
import { csvField, csvLine } from '../../common/csv.js'
import { membersIn } from '../api/raw-rows.js'

/** A row: the JSON that the service sent, which keeps every sign, or parsed by `parseExact`. */
export type ExportRow = string | object

/** The formats of files, as their names end. */
export const FORMATS = ['csv', 'ndjson', 'json'] as const
/** Name of a format. */
export type Format = (typeof FORMATS)[number]

/** Titles and media types of the formats. */
export const FORMAT_INFO: Readonly<Record<Format, { title: string; type: string }>> = {
  csv: { title: 'CSV', type: 'text/csv' },
  ndjson: { title: 'NDJSON', type: 'application/x-ndjson' },
  json: { title: 'JSON', type: 'application/json' },
}

/** Writes the rows of a file, in order, in as many steps as the caller likes. */
export interface Writer {
  /** Returns the text of the next rows. */
  rows(rows: readonly ExportRow[]): string
  /** Returns the text after the last row. */
  end(): string
}

/** Creates a writer. `columns`: names of the columns, in order. Undefined: the columns of the first row. */
export function createWriter(format: Format, columns?: readonly string[]): Writer {
  return WRITERS[format](columns)
}

const WRITERS: Readonly<Record<Format, (columns: readonly string[] | undefined) => Writer>> = {
  csv: csvWriter,
  ndjson: () => ({ rows: (rows) => rows.map((row) => `${onOneLine(jsonOf(row))}\n`).join(''), end: () => '' }),
  json: jsonWriter,
}

const jsonOf = (row: ExportRow): string => (typeof row === 'string' ? row : JSON.stringify(row))

/** JSON may have line ends between tokens. Line ends in texts are escaped. */
const onOneLine = (json: string) => json.replace(/[\r\n]+/g, ' ')

function jsonWriter(): Writer {
  let before = '{"result":['
  return {
    rows(rows) {
      if (rows.length === 0) return ''
      const text = before + rows.map(jsonOf).join(',')
      before = ','
      return text
    },
    end: () => (before === ',' ? ']}' : `${before}]}`),
  }
}

function csvWriter(given: readonly string[] | undefined): Writer {
  let names = given
  let hasHead = false
  function head(): string {
    if (hasHead || names === undefined) return ''
    hasHead = true
    return lineOf(names.map(csvField))
  }
  return {
    rows(rows) {
      const members = rows.map((row) => membersIn(jsonOf(row)))
      names ??= members[0] && [...members[0].keys()]
      return head() + members.map((row) => lineOf(names!.map((name) => fieldOf(row.get(name))))).join('')
    },
    end: head,
  }
}

const lineOf = (fields: readonly string[]) => (fields.length === 0 ? '' : csvLine(fields))

/** Returns the field of a value, which is given as JSON: a text without quotes and escapes, null as nothing. */
function fieldOf(json = 'null'): string {
  if (json === 'null') return ''
  return csvField(json.startsWith('"') ? (JSON.parse(json) as string) : json)
}
