import { DataType, type Field } from 'apache-arrow'
import { type BatchColumn, type ColumnBytes, createStreamWriter } from '../../arrow-ipc/stream-writer.js'
import { COLD_COLUMNS, type HotColumn, schemaOf } from '../../common/columns.js'
import type { SourceName } from '../../common/sources.js'
import type { IngestBatch } from '../../engine/engine.js'
import {
  BUILDER_BYTES,
  COLUMN_BYTES,
  ENTRIES_WORD,
  HOT,
  IDS,
  IN_METADATA,
  NULLS_WORD,
  OFFSETS_WORD,
  PROJECTS,
  ROWS_WORD,
  TEXTS_WORD,
  TIMESTAMPS,
  UNREADABLE_TIMES_WORD,
  VALIDITY_WORD,
  VALUES_WORD,
} from '../../wasm-layout/batch.js'

/** A batch of parsed lines. */
export interface ParsedBatch extends IngestBatch {
  /** Rows that have the time of receipt because their own time could not be read. */
  unreadableTimes: number
}

/** The host's view of a batch builder in the module's memory. */
export interface BatchBuilder {
  /** The source of the rows. A builder of own sources gets another one while it is empty. */
  source: SourceName
  /** The number of rows in the builder. */
  rows(): number
  /**
   * Returns the rows as an Arrow IPC stream, written to `memory` if large enough, else to new memory, and empties the
   * builder.
   */
  takeBatch(memory?: Uint8Array<ArrayBuffer>): ParsedBatch
  /** Removes all rows. */
  clear(): void
}

const NO_BYTES = new Uint8Array(0)

/**
 * Returns the builder with the hot columns `hot` and its header at `address`. `memory` returns the module's memory,
 * which is replaced when it grows. `clear` empties the builder.
 */
export function createBatchBuilder(
  source: SourceName,
  hot: readonly HotColumn[],
  memory: () => Buffer,
  address: number,
  clear: () => void,
): BatchBuilder {
  const schema = schemaOf(hot)
  const { fields } = schema
  const writer = createStreamWriter(schema)
  const numbers = columnNumbers(hot.length)
  const word = (number: number) => memory().readInt32LE(address + 4 * number)

  function columnsAt(bytes: Buffer, rows: number): BatchColumn[] {
    return numbers.map((number, i) => {
      const start = address + BUILDER_BYTES + number * COLUMN_BYTES
      return columnOf(fields[i], bytes, new Int32Array(bytes.buffer, start, COLUMN_BYTES / 4), rows)
    })
  }

  const builder: BatchBuilder = {
    source,
    rows: () => word(ROWS_WORD),
    takeBatch(into) {
      const rows = word(ROWS_WORD)
      const unreadableTimes = word(UNREADABLE_TIMES_WORD)
      const ipc = writer.write(rows, columnsAt(memory(), rows), into)
      clear()
      return { source: builder.source, rows, ipc, unreadableTimes }
    },
    clear,
  }
  return builder
}

/** Returns the module's numbers of a builder's columns in schema order. In the module hot columns are last. */
function columnNumbers(hotColumns: number): number[] {
  const hot = Array.from({ length: hotColumns }, (_, i) => HOT + i)
  return [TIMESTAMPS, PROJECTS, ...hot, IN_METADATA, ...COLD_COLUMNS.map((_, i) => IDS + i)]
}

/** Returns views of the first `rows` values of a column. */
function columnOf({ type, nullable }: Field, bytes: Buffer, column: Int32Array, rows: number): BatchColumn {
  const nulls = nullable ? column[NULLS_WORD] : 0
  const validity = nulls === 0 ? NO_BYTES : bytesAt(bytes, column[VALIDITY_WORD], (rows + 7) >> 3)
  if (DataType.isUtf8(type)) return { rows, nulls, buffers: [validity, ...textsOf(bytes, column, rows)] }
  const { ArrayType } = DataType.isDictionary(type) ? type.indices : type
  const values = bytesAt(bytes, column[VALUES_WORD], rows * ArrayType.BYTES_PER_ELEMENT)
  const dictionary = DataType.isDictionary(type) ? entriesOf(bytes, column) : undefined
  return { rows, nulls, buffers: [validity, values], dictionary }
}

function entriesOf(bytes: Buffer, column: Int32Array): ColumnBytes {
  const rows = column[ENTRIES_WORD]
  return { rows, nulls: 0, buffers: [NO_BYTES, ...textsOf(bytes, column, rows)] }
}

/** Returns views of offsets and texts. */
function textsOf(bytes: Buffer, column: Int32Array, texts: number): Uint8Array[] {
  const offsets = bytesAt(bytes, column[OFFSETS_WORD], 4 * (texts + 1))
  return [offsets, bytesAt(bytes, column[TEXTS_WORD], offsets.readInt32LE(4 * texts))]
}

const bytesAt = (bytes: Buffer, address: number, length: number) => bytes.subarray(address, address + length)
