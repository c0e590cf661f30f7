import { makeData, RecordBatch, Struct } from 'apache-arrow'
import type { IngestBatch } from '../engine/engine.js'
import { batchSchema, type HotColumn, type HotKind, hotColumns } from '../engine/schema.js'
import type { SourceName } from '../sources.js'
import { CodeColumn, FlagColumn, NullableTextColumn, NumberColumn, TextColumn, TimestampColumn } from './columns.js'
import { toIpc } from './ipc.js'

/**
 * The columns of one source, filled row by row. A row counts once `rows` has been raised; until then, writing it
 * again replaces it.
 */
export interface BatchBuilder {
  readonly source: SourceName
  rows: number
  readonly timestamp: TimestampColumn
  readonly project: CodeColumn
  readonly id: TextColumn
  readonly eventMessage: TextColumn
  readonly metadata: TextColumn
  /** In the order of the schema. */
  readonly hot: readonly HotColumnBuilder[]
}

/** A hot column of any kind under its name in the schema. */
export type HotColumnBuilder = { name: string } & (
  | { kind: 'category'; column: CodeColumn }
  | { kind: 'text'; column: NullableTextColumn }
  | { kind: 'number'; column: NumberColumn }
  | { kind: 'areas'; column: FlagColumn }
)

const MAKE: Record<HotKind, (name: string) => HotColumnBuilder> = {
  category: (name) => ({ name, kind: 'category', column: new CodeColumn() }),
  text: (name) => ({ name, kind: 'text', column: new NullableTextColumn() }),
  number: (name) => ({ name, kind: 'number', column: new NumberColumn() }),
  areas: (name) => ({ name, kind: 'areas', column: new FlagColumn() }),
}

export function createBatchBuilder(source: SourceName): BatchBuilder {
  return {
    source,
    rows: 0,
    timestamp: new TimestampColumn(),
    project: new CodeColumn(),
    id: new TextColumn(),
    eventMessage: new TextColumn(),
    metadata: new TextColumn(),
    hot: hotColumns(source).map(({ name, kind }: HotColumn) => MAKE[kind](name)),
  }
}

/** Bytes of text that the rows hold: what bounds a batch. */
export function textBytes({ rows, id, eventMessage, metadata, hot }: BatchBuilder): number {
  const coldBytes = id.byteLength(rows) + eventMessage.byteLength(rows) + metadata.byteLength(rows)
  return hot.reduce((sum, { kind, column }) => (kind === 'text' ? sum + column.byteLength(rows) : sum), coldBytes)
}

/** What a row takes besides its texts, at the most: codes, numbers, offsets and their padding. */
const ROW_BYTES = 64

/**
 * The rows as an Arrow IPC stream, in `memory` where that has the room, else in new memory; it is the only thing there. The
 * builder is then empty and can be filled anew.
 */
export function takeBatch(builder: BatchBuilder, memory?: Uint8Array<ArrayBuffer>): IngestBatch {
  const { source, rows, timestamp, project, hot, id, eventMessage, metadata } = builder
  const columns = [timestamp, project, ...hot.map(({ column }) => column), id, eventMessage, metadata]
  const schema = batchSchema(source)
  const children = columns.map((column, i) => column.toData(rows, schema.fields[i]!.type))
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
  const contentBytes = textBytes(builder) + rows * ROW_BYTES
  const ipc = toIpc(new RecordBatch(schema, data), contentBytes, memory)
  for (const column of columns) if (column instanceof CodeColumn) column.clear()
  builder.rows = 0
  return { source, rows, ipc }
}
