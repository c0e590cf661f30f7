import type { EventRecord } from '../alerts/states/event-record.js'
import { type BatchColumn, type ColumnBytes, createStreamWriter } from '../arrow-ipc/stream-writer.js'
import { MIB } from '../base/units.js'
import { batchSchema } from '../common/columns.js'
import { HISTORY_SOURCE } from '../common/sources.js'
import type { Engine, IngestBatch } from '../engine/engine.js'
import { Rows, scan } from '../plan/builder.js'

/** A batch of the history ends with the row that exceeds this many characters of texts. */
const BATCH_CHARACTERS = MIB

/**
 * Returns a function that appends records of alerts as rows of their source, oldest first, those that have a row
 * already left out: records are passed again after a crash, and after a failure. Rejects with the engine's errors.
 */
export function createHistoryAppender(engine: Pick<Engine, 'append' | 'run'>) {
  /** The ids of the last call. Undefined before the first one: an earlier process may have stored the records. */
  let last: ReadonlySet<string> | undefined

  return async (records: readonly EventRecord[]): Promise<void> => {
    const stored = last ?? (await storedIds(engine, records))
    const missing = records.filter(({ id }) => !stored.has(id))
    const known = new Set(stored)
    for (const part of inParts(missing)) {
      await engine.append(batchOf(part))
      for (const { id } of part) known.add(id)
      last = known
    }
    last = new Set(records.map(({ id }) => id))
  }
}

/** Returns the ids of the rows at the times of the records. */
async function storedIds(engine: Pick<Engine, 'run'>, records: readonly EventRecord[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  // A plan for each instant: many rows may lie between two instants, and few lie at one.
  for (const us of new Set(records.map(({ timestamp }) => timestamp))) {
    const plan = Rows.planOf(scan(HISTORY_SOURCE, { fromUs: us, throughUs: us }).select('id'))
    for await (const { id } of await engine.run(plan)) ids.add(id as string)
  }
  return ids
}

function* inParts(records: readonly EventRecord[]): Generator<EventRecord[]> {
  let part: EventRecord[] = []
  let characters = 0
  for (const record of records) {
    part.push(record)
    characters += record.event_message.length + JSON.stringify(record.metadata).length
    if (characters < BATCH_CHARACTERS) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}

const NO_BYTES = new Uint8Array(0)
const schema = batchSchema(HISTORY_SOURCE)

/** Returns records as a batch of their source, which declares no fields. A record without a project has none. */
function batchOf(records: readonly EventRecord[]): IngestBatch {
  const rows = records.length
  const plain = (values: BigInt64Array | Uint32Array): BatchColumn => ({
    rows,
    nulls: 0,
    buffers: [NO_BYTES, bytesOf(values)],
  })
  const columns = [
    plain(BigInt64Array.from(records, ({ timestamp }) => BigInt(timestamp))),
    projectsOf(records),
    plain(new Uint32Array(rows)),
    texts(records.map(({ id }) => id)),
    texts(records.map((record) => record.event_message)),
    texts(records.map(({ metadata }) => JSON.stringify(metadata))),
  ]
  return { source: HISTORY_SOURCE, rows, ipc: createStreamWriter(schema).write(rows, columns) }
}

function projectsOf(records: readonly EventRecord[]): BatchColumn {
  const names = [...new Set(records.flatMap(({ project }) => project || []))]
  const codes = new Map(names.map((name, code) => [name, code]))
  const validity = new Uint8Array((records.length + 7) >> 3)
  let nulls = 0
  for (const [i, { project }] of records.entries()) {
    if (project === '') nulls += 1
    else validity[i >> 3]! |= 1 << (i & 7)
  }
  const values = Int32Array.from(records, ({ project }) => codes.get(project) ?? -1)
  const buffers = [nulls === 0 ? NO_BYTES : validity, bytesOf(values)]
  return { rows: records.length, nulls, buffers, dictionary: texts(names) }
}

function texts(values: readonly string[]): ColumnBytes {
  const encoded = values.map((value) => Buffer.from(value))
  const offsets = new Int32Array(values.length + 1)
  for (const [i, { length }] of encoded.entries()) offsets[i + 1] = offsets[i]! + length
  return { rows: values.length, nulls: 0, buffers: [NO_BYTES, bytesOf(offsets), Buffer.concat(encoded)] }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
