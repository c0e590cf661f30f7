import { type Data, makeData, RecordBatch, RecordBatchStreamWriter, Struct } from 'apache-arrow'
import type { IngestBatch } from '../engine/engine.js'
import { batchSchema, type HotColumn, type HotKind, hotColumns } from '../engine/schema.js'
import type { SourceName } from '../sources.js'
import { CodeColumn, FlagColumn, NumberColumn, TextColumn, TimestampColumn } from './columns.js'

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
  | { kind: 'text'; column: CodeColumn }
  | { kind: 'number'; column: NumberColumn }
  | { kind: 'areas'; column: FlagColumn }
)

const MAKE: Record<HotKind, (name: string) => HotColumnBuilder> = {
  text: (name) => ({ name, kind: 'text', column: new CodeColumn() }),
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
export function textBytes({ rows, id, eventMessage, metadata }: BatchBuilder): number {
  return id.byteLength(rows) + eventMessage.byteLength(rows) + metadata.byteLength(rows)
}

/** The rows as an Arrow IPC stream in memory of its own; the builder is then empty and can be filled anew. */
export function takeBatch(builder: BatchBuilder): IngestBatch {
  const { source, rows, timestamp, project, hot, id, eventMessage, metadata } = builder
  const columns = [timestamp, project, ...hot.map(({ column }) => column), id, eventMessage, metadata]
  const { fields } = batchSchema(source)
  const ipc = toIpc(
    source,
    rows,
    columns.map((column, i) => column.toData(rows, fields[i]!.type)),
  )
  for (const column of columns) if (column instanceof CodeColumn) column.clear()
  builder.rows = 0
  return { source, rows, ipc }
}

function toIpc(source: SourceName, rows: number, children: Data[]): Uint8Array {
  const schema = batchSchema(source)
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
  const writer = new RecordBatchStreamWriter()
  writer.write(new RecordBatch(schema, data))
  return writer.finish().toUint8Array(true)
}
