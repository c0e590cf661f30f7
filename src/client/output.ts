import { usageError } from '../base/failures.js'
import { escapeControlInDocument } from '../base/text/escape-control.js'
import { type Row, table } from './table/table.js'

/** The output of rows. */
export interface RowsOut {
  /** Rejects with EPIPE if the reader has closed the pipe. */
  write(text: string | Uint8Array): Promise<void>
  /** Undefined: the output is not a terminal. */
  terminal: { columns: number; isPlain: boolean } | undefined
  /** The width of the terminal for errors. Undefined if errors are not printed on a terminal. */
  errorColumns?: number | undefined
  /** Prints a warning about the query, apart from the rows. */
  warn?(text: string): void
}

/** The flags that choose the format of rows. */
export interface FormatFlags {
  format?: Format | 'table' | undefined
  columns?: readonly string[] | undefined
  wide?: boolean | undefined
}

/** A format of rows for programs. */
export type Format = 'json' | 'ndjson' | 'csv'

const LINE_BREAK = 10

/** Throws `usage` if columns are chosen for a format that is not a table. */
export function checkColumnsFlag({ format, columns }: FormatFlags): void {
  if (columns === undefined || (format ?? 'table') === 'table') return
  throw usageError(`--columns is for tables, not for --format ${format}. Leave out one of the two.`)
}

/** Returns the format: a table on a terminal or if columns are chosen, else JSON. */
export function formatOf({ format, columns }: FormatFlags, { terminal }: RowsOut): Format | 'table' {
  return format ?? (terminal === undefined && columns === undefined ? 'json' : 'table')
}

/** Writes rows as a table that fits the terminal. Throws `usage` if no row has a chosen column. */
export function writeTable(
  rows: readonly Row[],
  { columns, wide = false }: FormatFlags,
  { write, terminal }: RowsOut,
): Promise<void> {
  const width = wide || terminal === undefined ? Number.POSITIVE_INFINITY : terminal.columns
  return write(table(rows, { columns: width, isPlain: terminal?.isPlain ?? true }, columns))
}

/**
 * Writes encoded rows on arrival: on a terminal with control characters escaped, elsewhere byte for byte. Adds a final
 * line break if the rows have none.
 */
export async function writeEncoded(
  body: AsyncIterable<Uint8Array | string>,
  { write, terminal }: RowsOut,
): Promise<void> {
  const decoder = new TextDecoder()
  let last: string | number | undefined
  for await (const chunk of body) {
    last = chunk.at(-1) ?? last
    const text = () => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    await write(terminal === undefined ? chunk : escapeControlInDocument(text()))
  }
  if (last !== undefined && last !== LINE_BREAK && last !== '\n') await write('\n')
}
