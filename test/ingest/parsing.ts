import { tableFromIPC } from 'apache-arrow'
import { DAY_US } from '../../src/base/units.js'
import { fieldNamesOf } from '../../src/common/field-names.js'
import { nameOfSource } from '../../src/common/sources.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import type { ParserOptions, ParserSink } from '../../src/ingest/lines/record-sink.js'
import { createParser, type Parser } from '../../src/ingest/stream/parse.js'
import type { ParsedBatch } from '../../src/ingest/wasm/batch-builder.js'
import { collectInto, type Reject } from './rejected.js'

/** 2026-11-20T12:00:00Z: the current time in the tests. */
export const NOW_US = Date.UTC(2026, 10, 20, 12) * 1000
export const RETENTION_US = 90 * DAY_US

export type ParsedRow = Record<string, string | number | bigint | null>

/** Returns the rows of a batch as plain objects with the source. Timestamps are exact bigints. */
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
  /** Called with each batch. If `memory` is reused, the batch is only valid during the call. */
  onBatch?: ParserSink['batch']
}

export interface Parse {
  batches: ParsedBatch[]
  rows: ParsedRow[]
  rejects: Reject[]
}

type Feed = (parser: Parser, chunk: Uint8Array, nowUs: number) => void

/** Two ways to pass bytes to a parser: the caller pushes chunks, or the parser reads into its memory. */
export const FEED = {
  pushed: (parser, chunk, nowUs) => parser.push(chunk, nowUs),
  read(parser, chunk, nowUs) {
    for (let at = 0; at < chunk.length; ) {
      at += parser.fill((into) => {
        const part = chunk.subarray(at, at + into.length)
        into.set(part)
        return part.length
      }, nowUs)
    }
  },
} satisfies Record<string, Feed>

/** Parses chunks in this thread, to the end of the stream. */
export function parseChunks(
  chunks: readonly Uint8Array[],
  options: ParseOptions = {},
  feed: (chunk: number) => Feed = () => FEED.pushed,
): Parse {
  const {
    defaultSource,
    defaultProject,
    timeField,
    messageField,
    nowUs = NOW_US,
    memory,
    onBatch,
    ...parserOptions
  } = options
  const batches: ParsedBatch[] = []
  const rejects: Reject[] = []
  const source = defaultSource && nameOfSource(defaultSource)
  const fieldNames = fieldNamesOf(timeField, messageField)
  const parser = createParser(
    {
      retentionUs: RETENTION_US,
      scannedLines: 64,
      ...parserOptions,
      defaults: { source, project: defaultProject, fieldNames },
    },
    { batch: onBatch ?? ((batch) => batches.push(batch)), memory, reject: collectInto(rejects) },
  )
  for (const [i, chunk] of chunks.entries()) feed(i)(parser, chunk, nowUs)
  parser.end(nowUs)
  return { batches, rows: batches.flatMap(rowsOf), rejects }
}

/** Parses one NDJSON body in this thread, as with a token that may only write to `projects`. */
export function parseBound(lines: string, projects: ReadonlySet<string>): Parse {
  const batches: ParsedBatch[] = []
  const rejects: Reject[] = []
  const sink = { batch: (batch: ParsedBatch) => batches.push(batch), reject: collectInto(rejects) }
  const parser = createBodyParser({ retentionUs: RETENTION_US, scannedLines: 64 }, sink)
  parser.parse({ bytes: Buffer.from(lines), form: 'ndjson', defaults: { projects } }, NOW_US)
  parser.flush()
  return { batches, rows: batches.flatMap(rowsOf), rejects }
}

export function parse(text: string | Uint8Array, options?: ParseOptions): Parse {
  return parseChunks([typeof text === 'string' ? Buffer.from(text) : text], options)
}

/** Returns the row of a record. Throws unless there is exactly one row. */
export function rowOf(record: unknown, options?: ParseOptions): ParsedRow {
  const { rows, rejects } = parse(typeof record === 'string' ? record : JSON.stringify(record), options)
  if (rows.length !== 1) throw new Error(`not one row but ${rows.length}; ${rejects[0]?.reason}`)
  return rows[0]!
}

/** Returns the reason if a record is rejected. */
export function reasonOf(record: unknown, options?: ParseOptions): string | undefined {
  return parse(typeof record === 'string' ? record : JSON.stringify(record), options).rejects[0]?.reason
}
