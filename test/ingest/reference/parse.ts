import { isUtf8 } from 'node:buffer'
import { hotColumns } from '../../../src/common/columns.js'
import { acceptedSources, isBuiltIn, type SourceName } from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import { HEAD_BYTES } from '../../../src/ingest/lines/check-lines.js'
import { OWN_BATCH_BYTES, OWN_BATCH_ROWS } from '../../../src/ingest/wasm/own-builders.js'
import type { Reject } from '../rejected.js'
import { batchOf } from './batch.js'
import { readLine } from './line.js'
import { type Row, type Rules, validate } from './validate.js'

export interface ReferenceOptions extends Rules {
  maxLineBytes: number
  batchRows: number
  batchBytes: number
}

/** Parses a whole stream by the rules of the parser, line by line and value by value. */
export function parseByReference(stream: Buffer, options: ReferenceOptions) {
  const batches: IngestBatch[] = []
  const rejects: Reject[] = []
  const waiting = new Map<SourceName, Waiting>()

  for (const [i, bytes] of linesOf(stream).entries()) {
    const found = checkLine(bytes, options)
    if (typeof found === 'object') add(found)
    else if (found === 'line_too_long') rejects.push({ line: i + 1, reason: found, bytes: head(bytes, options) })
    else if (found !== undefined) rejects.push({ line: i + 1, reason: found, bytes })
  }

  function add(row: Row): void {
    const batch = waiting.get(row.source) ?? { rows: [], textBytes: 0, seen: new Set() }
    waiting.set(row.source, batch)
    batch.rows.push(row)
    batch.textBytes += newTextBytes(row, batch.seen)
    const { batchRows, batchBytes } = boundsOf(row.source, options)
    if (batch.rows.length >= batchRows || batch.textBytes >= batchBytes) emit(row.source)
  }

  function emit(source: SourceName): void {
    const batch = waiting.get(source)
    if (batch !== undefined) batches.push(batchOf(source, batch.rows))
    waiting.delete(source)
  }

  for (const { name } of acceptedSources()) emit(name)
  return { batches, rejects }
}

/** Rows that wait for the batch to fill. `seen` are the texts of the dictionaries. */
interface Waiting {
  rows: Row[]
  textBytes: number
  seen: Set<string>
}

/** Batches of own sources are small, however large those of the nine may be. */
const boundsOf = (source: SourceName, { batchRows, batchBytes }: ReferenceOptions) =>
  isBuiltIn(source)
    ? { batchRows, batchBytes }
    : { batchRows: Math.min(batchRows, OWN_BATCH_ROWS), batchBytes: Math.min(batchBytes, OWN_BATCH_BYTES) }

/** Returns the lines of a stream without newlines and byte order mark. */
function linesOf(stream: Buffer): Buffer[] {
  const lines: Buffer[] = []
  const mark = stream.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0
  for (let start = mark; start < stream.length; ) {
    const newline = stream.indexOf('\n', start)
    const end = newline < 0 ? stream.length : newline
    lines.push(stream.subarray(start, end))
    start = end + 1
  }
  return lines
}

function checkLine(bytes: Buffer, options: ReferenceOptions) {
  if (bytes.length > options.maxLineBytes) return 'line_too_long'
  return isUtf8(bytes) ? validate(readLine(bytes), options) : 'invalid_utf8'
}

const head = (bytes: Buffer, { maxLineBytes }: ReferenceOptions): Buffer =>
  bytes.subarray(0, Math.min(HEAD_BYTES, maxLineBytes))

/** Returns the bytes of text that a row adds to the batch. A text that a dictionary already has adds none. */
function newTextBytes({ source, project, hot, id, eventMessage, metadata }: Row, seen: Set<string>): number {
  let bytes = id.length + eventMessage.length + metadata.length
  const columns = [{ name: 'project', kind: 'category' }, ...hotColumns(source)]
  for (const [i, text] of [project, ...hot].entries()) {
    const { name, kind } = columns[i]!
    if (!Buffer.isBuffer(text)) continue
    const key = `${name} ${text.toString('latin1')}`
    if (kind === 'text' || !seen.has(key)) bytes += text.length
    if (kind === 'category') seen.add(key)
  }
  return bytes
}
