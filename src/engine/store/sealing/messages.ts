import type { Column } from '../../execute/columns/batch.js'
import type { Dictionary } from '../../execute/columns/dictionary.js'
import type { PathColumn, PathContent } from '../path-columns/make-path-columns.js'
import type { SealedRows } from '../segment/segment.js'
import type { CancellationFlag } from './cancellation.js'
import type { StoredCold } from './compact.js'
import type { RowsToKeep } from './keep-rows.js'
import type { OpenColumn, OpenRows } from './seal.js'

/**
 * A message to the sealing thread: a chunk of a head's cold texts, or the head's other data after the last chunk, or a
 * cold file to compact, or a segment of which some rows are kept. The thread returns each chunk's memory. If all texts
 * were moved at once, V8 would take the move for memory pressure and discard optimised code.
 */
export type Question =
  | TextChunk
  | { rows: OpenRows; cancellation: CancellationFlag | undefined }
  | { cold: StoredCold; cancellation: CancellationFlag; work: 'compact' | 'path columns' }
  | { toKeep: RowsToKeep }

/** Part of the cold texts of a head. */
export interface TextChunk {
  chunk: Uint8Array<ArrayBuffer>
  /** The bytes of text at the start of the chunk. */
  bytes: number
  /** The byte offset of the chunk in the texts. The offset 0 starts the texts of another head. */
  at: number
  /** Bytes of all texts of the head. */
  totalBytes: number
}

/** The answer to a {@link Question}: the memory of a chunk, the sealed rows, the compacted file, or path columns. */
export type Answer = { chunk: Uint8Array<ArrayBuffer> } | Sealed | Compacted | MadePathColumns

/** The result of a compaction. */
export interface Compacted {
  /** Undefined if the compaction was cancelled. */
  file: Uint8Array | undefined
  /** Bytes that the thread reserves for its next work. */
  memoryBytes: number
}

/** Columns of the paths of the metadata in a cold file, and the filter of the messages. */
export interface MadePathColumns {
  /** Undefined if the work was cancelled. */
  content: PathContent | undefined
  /** Bytes that the thread reserves for its next work. */
  memoryBytes: number
}

/** The sealed rows of a head. */
export interface Sealed {
  /** A part for each UTC day. */
  parts: SealedRows[]
  /** Bytes that the thread reserves for its next work. */
  memoryBytes: number
}

// A Buffer arrives at the other thread as a Uint8Array. These functions restore the Buffers, without a copy.

/** Restores the Buffers in the rows of a head that were sent to this thread. */
export function restoreOpenRows(rows: OpenRows): OpenRows {
  return { ...rows, columns: new Map([...rows.columns].map(([name, column]) => [name, restoreOpenColumn(column)])) }
}

/** Restores the Buffers in the rows of a segment that were sent to this thread. */
export function restoreRowsToKeep(rows: RowsToKeep): RowsToKeep {
  const { projects, columns } = rows
  return {
    ...rows,
    projects: { ...projects, dictionary: restoreDictionary(projects.dictionary) },
    columns: new Map([...columns].map(([name, column]) => [name, restoreColumn(column)])),
  }
}

function restoreOpenColumn(column: OpenColumn): OpenColumn {
  return column.kind === 'category' ? { ...column, interner: restoreDictionary(column.interner) } : column
}

/** Restores the Buffers in sealed rows that were sent to this thread. */
export function restoreSealedRows(part: SealedRows): SealedRows {
  const { projects, columns, cold } = part
  return {
    ...part,
    projects: { ...projects, dictionary: restoreDictionary(projects.dictionary) },
    columns: new Map([...columns].map(([name, column]) => [name, restoreColumn(column)])),
    cold: { ...cold, file: bufferOf(cold.file) },
  }
}

/** Restores the Buffers in path columns that were sent to this thread. */
export function restorePathContent({ columns, messages }: PathContent): PathContent {
  return { columns: columns.map(restorePathColumn), messages }
}

function restorePathColumn({ path, field: { codes, entries } }: PathColumn): PathColumn {
  return { path, field: { codes, entries: restoreDictionary(entries) } }
}

function restoreColumn(column: Column): Column {
  return column.kind === 'text' ? { ...column, dictionary: restoreDictionary(column.dictionary) } : column
}

const restoreDictionary = (dictionary: Dictionary) => ({ ...dictionary, bytes: bufferOf(dictionary.bytes) })

/** Returns the same memory as a Buffer. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
