import type { Column } from '../../columns/batch.js'
import type { Dictionary } from '../../columns/dictionary.js'
import type { SealedRows } from '../segment/segment.js'
import type { CancellationFlag } from './cancellation.js'
import type { UncompactedCold } from './compact.js'
import type { OpenColumn, OpenRows } from './seal.js'

/**
 * What the sealing thread is given: the cold texts of a head in pieces, each of which it gives back when it has it, then its
 * rows; or a cold file. Were all moved at once, V8 would take that for pressure on the memory, and throw code away that it has optimised.
 */
export type Question =
  | TextChunk
  | { rows: OpenRows; cancellation: CancellationFlag | undefined }
  | { cold: UncompactedCold; cancellation: CancellationFlag }

export interface TextChunk {
  piece: Uint8Array<ArrayBuffer>
  /** Where in the texts it belongs; 0: those of another head begin. */
  at: number
  /** Bytes of all texts. */
  of: number
}

export type Answer = { piece: Uint8Array<ArrayBuffer> } | Sealed | Compacted

export interface Compacted {
  /** Undefined where there was no time. */
  file: Uint8Array | undefined
  keptBytes: number
}

export interface Sealed {
  parts: SealedRows[]
  /** Bytes that the thread keeps for the next head. */
  keptBytes: number
}

// On the way from one thread to another a Buffer becomes an Uint8Array; these are made Buffers again.

export function restoreOpenRows(rows: OpenRows): OpenRows {
  return { ...rows, columns: new Map([...rows.columns].map(([name, column]) => [name, restoreOpenColumn(column)])) }
}

function restoreOpenColumn(column: OpenColumn): OpenColumn {
  return column.kind === 'category' ? { ...column, interner: restoreDictionary(column.interner) } : column
}

export function restoreSealedRows(part: SealedRows): SealedRows {
  const { projects, columns, cold } = part
  return {
    ...part,
    projects: { ...projects, dictionary: restoreDictionary(projects.dictionary) },
    columns: new Map([...columns].map(([name, column]) => [name, restoreColumn(column)])),
    cold: { ...cold, file: bufferOf(cold.file) },
  }
}

function restoreColumn(column: Column): Column {
  return column.kind === 'text' ? { ...column, dictionary: restoreDictionary(column.dictionary) } : column
}

const restoreDictionary = (dictionary: Dictionary) => ({ ...dictionary, bytes: bufferOf(dictionary.bytes) })

export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
