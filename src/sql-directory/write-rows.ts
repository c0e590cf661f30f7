import { ndjsonToDocument } from '../client/envelope.js'
import { type Format, type FormatFlags, formatOf, type RowsOut, writeEncoded, writeTable } from '../client/output.js'
import { csvFormat } from '../http/formats/csv.js'
import type { Chunk, Format as RowFormat } from '../http/formats/format.js'
import { ndjsonFormat } from '../http/formats/ndjson.js'
import { answerColumns, type Row } from '../plan/answer.js'
import type { Plan } from '../plan/plan.js'

/** The encoding of each format. JSON is made from NDJSON, which has a row per line. */
const ENCODINGS: Record<Format, RowFormat> = { json: ndjsonFormat, ndjson: ndjsonFormat, csv: csvFormat }

/** Writes the rows of a plan in the format of the flags, as `logweir query` does. */
export async function writeRows(rows: AsyncIterable<Row>, plan: Plan, flags: FormatFlags, out: RowsOut): Promise<void> {
  const format = formatOf(flags, out)
  if (format === 'table') return writeTable(await parsedRows(rows, plan), flags, out)
  const encoded = encode(rows, plan, ENCODINGS[format])
  await writeEncoded(format === 'json' ? ndjsonToDocument(encoded) : encoded, out)
}

async function* encode(rows: AsyncIterable<Row>, plan: Plan, format: RowFormat): AsyncGenerator<Chunk> {
  const { begin, row, end } = format.encoder(answerColumns(plan))
  yield begin
  for await (const one of rows) yield row(one)
  yield end()
}

/** Returns the rows as a client parses them from JSON. */
async function parsedRows(rows: AsyncIterable<Row>, plan: Plan): Promise<Record<string, unknown>[]> {
  const parsed = []
  for await (const line of encode(rows, plan, ndjsonFormat)) if (line !== '') parsed.push(JSON.parse(String(line)))
  return parsed
}
