import { ndjsonToDocument } from '../client/envelope.js'
import { type FormatFlags, type RowsOut, writeEncoded } from '../client/output.js'
import { type Row as ClientRow, tableStream } from '../client/table/table.js'
import type { Chunk } from '../http/formats/format.js'
import { ndjsonFormat } from '../http/formats/ndjson.js'
import { answerColumns, type Row } from '../plan/answer.js'
import type { Plan } from '../plan/plan.js'
import { encodingOf, type LinesFormat } from './execute/formats.js'
import type { LinesOutput } from './run-lines.js'

/** The flags of the format. */
export type LinesFlags = Omit<FormatFlags, 'format'> & { format?: LinesFormat | 'table' | undefined }

/** Returns the format: a table on a terminal or if columns are chosen, else NDJSON. */
export const formatOf = ({ format, columns }: LinesFlags, { terminal }: RowsOut): LinesFormat | 'table' =>
  format ?? (terminal === undefined && columns === undefined ? 'ndjson' : 'table')

/** Writes rows in a format for programs as they come. */
export function writeRows(
  rows: AsyncIterable<LinesOutput>,
  plan: Plan,
  format: LinesFormat,
  out: RowsOut,
): Promise<void> {
  const encoded = encode(rows, plan, format)
  return writeEncoded(format === 'json' ? ndjsonToDocument(encoded) : encoded, out)
}

async function* encode(rows: AsyncIterable<LinesOutput>, plan: Plan, format: LinesFormat): AsyncGenerator<Chunk> {
  const { begin, row, end } = (await encodingOf(format)).encoder(answerColumns(plan))
  yield begin
  for await (const output of rows) yield 'row' in output ? row(output.row) : output.text
  yield end()
}

/** Rows of a table that wait so long for others: widths are those of the first rows. */
const TABLE_WAIT_MS = 100
/** Rows of a table that are written at once. */
const TABLE_ROWS = 1_000

/** Writes rows as a table: all at the end, or if `isStreamed` some at a time. */
export async function writeTable(
  rows: AsyncIterable<LinesOutput>,
  plan: Plan,
  { columns, wide = false }: LinesFlags,
  { write, terminal }: RowsOut,
  isStreamed: boolean,
): Promise<void> {
  const width = wide || terminal === undefined ? Number.POSITIVE_INFINITY : terminal.columns
  const options = { columns: width, isPlain: terminal?.isPlain ?? true, times: timesOf(plan) }
  const stream = tableStream(options, columns)
  let waiting: ClientRow[] = []
  let timer: NodeJS.Timeout | undefined
  let failure: Error | undefined
  let written = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const some = waiting.splice(0)
    written = written
      .then(() => write(stream.lines(some)))
      .catch((error) => {
        failure ??= error
      })
  }
  for await (const output of rows) {
    waiting = waiting.concat(parsedRows(output))
    if (isStreamed && waiting.length >= TABLE_ROWS) flush()
    else if (isStreamed) timer ??= setTimeout(flush, TABLE_WAIT_MS)
    if (isStreamed) await written
    if (failure !== undefined) throw failure
  }
  flush()
  await written
  if (failure !== undefined) throw failure
  await write(stream.end())
}

/** The names of the columns of times. */
export const timesOf = (plan: Plan): ReadonlySet<string> =>
  new Set(answerColumns(plan).flatMap(({ name, kind }) => (kind === 'microseconds' ? [name] : [])))

const encoder = ndjsonFormat.encoder([])

/** Returns a row as a client parses it from JSON. */
export const parsedRow = (row: Row): ClientRow => JSON.parse(String(encoder.row(row)))

function parsedRows(output: LinesOutput): ClientRow[] {
  if ('row' in output) return [parsedRow(output.row)]
  const lines = Buffer.from(output.text).toString().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
