import { tableFromIPC } from 'apache-arrow'
import { DAY_US } from '../../src/base/units.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { fieldNamesOf } from '../../src/field-names.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import type { ParserOptions, ParserSink } from '../../src/ingest/lines/record-sink.js'
import type { Reject } from '../../src/ingest/rejects.js'
import { createParser, type Parser } from '../../src/ingest/stream/parse.js'
import { findSource } from '../../src/sources.js'

/** 2026-11-20T12:00:00Z: the present of these tests. */
export const NOW_US = Date.UTC(2026, 10, 20, 12) * 1000
export const RETENTION_US = 90 * DAY_US

export type ParsedRow = Record<string, string | number | bigint | null>

/** The rows of a batch as plain objects, timestamps as exact bigints, each with its source. */
export function rowsOf({ source, ipc }: IngestBatch): ParsedRow[] {
  const table = tableFromIPC(ipc)
  const timestamps = table.getChild('timestamp')!.data[0]!.values as BigInt64Array
  return table.toArray().map((row, i) => ({ source, ...row.toJSON(), timestamp: timestamps[i]! }))
}

export interface ParseOptions extends Partial<Omit<ParserOptions, 'defaults'>> {
  defaultSource?: string
  defaultProject?: string
  timeField?: readonly string[]
  messageField?: readonly string[]
  nowUs?: number
  memory?: ParserSink['memory']
  /** Sees each batch at once: where its memory is used again, it is not to be read later. */
  onBatch?: ParserSink['batch']
}

export interface Parse {
  batches: IngestBatch[]
  rows: ParsedRow[]
  rejects: Reject[]
}

type Give = (parser: Parser, chunk: Uint8Array, nowUs: number) => void

/** How bytes come into a parser: handed over, or read by it. */
export const GIVE = {
  pushed: (parser, chunk, nowUs) => parser.push(chunk, nowUs),
  read(parser, chunk, nowUs) {
    for (let at = 0; at < chunk.length; ) {
      at += parser.fill((into) => {
        const piece = chunk.subarray(at, at + into.length)
        into.set(piece)
        return piece.length
      }, nowUs)
    }
  },
} satisfies Record<string, Give>

/** Runs the pure pipeline over chunks to the end of the stream. */
export function parseChunks(
  chunks: readonly Uint8Array[],
  options: ParseOptions = {},
  give: (chunk: number) => Give = () => GIVE.pushed,
): Parse {
  const { defaultSource, defaultProject, timeField, messageField, nowUs = NOW_US, memory, onBatch, ...rest } = options
  const batches: IngestBatch[] = []
  const rejects: Reject[] = []
  const source = defaultSource === undefined ? undefined : findSource(defaultSource)
  const fieldNames = fieldNamesOf(timeField, messageField)
  const parser = createParser(
    { retentionUs: RETENTION_US, scannedLines: 64, ...rest, defaults: { source, project: defaultProject, fieldNames } },
    { batch: onBatch ?? ((batch) => batches.push(batch)), memory, reject: (reject) => rejects.push(reject) },
  )
  for (const [i, chunk] of chunks.entries()) give(i)(parser, chunk, nowUs)
  parser.end(nowUs)
  return { batches, rows: batches.flatMap(rowsOf), rejects }
}

/** Runs the pure pipeline over one body of lines, of which the records of these projects only are taken. */
export function parseBound(lines: string, projects: ReadonlySet<string>): Parse {
  const batches: IngestBatch[] = []
  const rejects: Reject[] = []
  const sink = { batch: (batch: IngestBatch) => batches.push(batch), reject: (reject: Reject) => rejects.push(reject) }
  const parser = createBodyParser({ retentionUs: RETENTION_US, scannedLines: 64 }, sink)
  parser.parse({ bytes: Buffer.from(lines), form: 'ndjson', defaults: { projects } }, NOW_US)
  parser.flush()
  return { batches, rows: batches.flatMap(rowsOf), rejects }
}

export function parse(text: string | Uint8Array, options?: ParseOptions): Parse {
  return parseChunks([typeof text === 'string' ? Buffer.from(text) : text], options)
}

/** The one row that a record becomes. */
export function rowOf(record: unknown, options?: ParseOptions): ParsedRow {
  const { rows, rejects } = parse(typeof record === 'string' ? record : JSON.stringify(record), options)
  if (rows.length !== 1) throw new Error(`not one row but ${rows.length}; ${rejects[0]?.reason}`)
  return rows[0]!
}

/** The reason for which a record is refused. */
export function reasonOf(record: unknown, options?: ParseOptions): string | undefined {
  return parse(typeof record === 'string' ? record : JSON.stringify(record), options).rejects[0]?.reason
}
