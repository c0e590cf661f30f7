import { ndjsonToDocument } from '../client/envelope.js'
import { type FormatFlags, type RowsOut, writeEncoded, writeTable } from '../client/output.js'
import type { Chunk } from '../http/formats/format.js'
import { answerColumns } from '../plan/answer.js'
import type { Plan } from '../plan/plan.js'
import { ENCODINGS, type LinesFormat } from './formats.js'
import type { LinesOutput } from './run-lines.js'

/** The flags of the format. */
type Flags = Omit<FormatFlags, 'format'> & { format?: LinesFormat | 'table' | undefined }

/** Returns the format: a table on a terminal or if columns are chosen, else NDJSON. */
export const formatOf = ({ format, columns }: Flags, { terminal }: RowsOut): LinesFormat | 'table' =>
  format ?? (terminal === undefined && columns === undefined ? 'ndjson' : 'table')

/** Writes rows as they come, a table at the end. */
export async function writeLines(
  rows: AsyncIterable<LinesOutput>,
  plan: Plan,
  format: LinesFormat | 'table',
  { columns, wide }: Flags,
  out: RowsOut,
): Promise<void> {
  if (format === 'table') return writeTable(await parsedRows(encode(rows, plan, 'ndjson')), { columns, wide }, out)
  const encoded = encode(rows, plan, format)
  await writeEncoded(format === 'json' ? ndjsonToDocument(encoded) : encoded, out)
}

async function* encode(rows: AsyncIterable<LinesOutput>, plan: Plan, format: LinesFormat): AsyncGenerator<Chunk> {
  const { begin, row, end } = ENCODINGS[format].encoder(answerColumns(plan))
  yield begin
  for await (const output of rows) yield 'row' in output ? row(output.row) : output.text
  yield end()
}

/** Returns the rows as a client parses them from JSON. */
async function parsedRows(ndjson: AsyncIterable<Chunk>): Promise<Record<string, unknown>[]> {
  const parsed: Record<string, unknown>[] = []
  for await (const chunk of ndjson)
    for (const line of String(typeof chunk === 'string' ? chunk : Buffer.from(chunk)).split('\n'))
      if (line !== '') parsed.push(JSON.parse(line))
  return parsed
}
