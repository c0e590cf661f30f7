import { growTo } from '../../base/memory/wasm.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import type { Exports } from './instance.js'

/** The memory of a module, and views of it. Each view is replaced when the memory grows. */
export interface ModuleMemory {
  /** All bytes. */
  buffer(): Buffer
  /** The input. */
  bytes(): Uint8Array
  /** The field table. */
  table(): Int32Array
  /** Grows to all regions that the module has reserved. */
  grow(): void
}

/** Where the input and the field table are, and their sizes. */
export interface InputPlace {
  bytesAt: number
  capacityBytes: number
  tableAt: number
  maxLines: number
}

/** Creates the views. The memory is large enough after the first `grow`. */
export function createModuleMemory(
  { memory, reservedEnd }: Pick<Exports, 'memory' | 'reservedEnd'>,
  { bytesAt, capacityBytes, tableAt, maxLines }: InputPlace,
): ModuleMemory {
  let buffer = Buffer.alloc(0)
  let bytes = new Uint8Array(0)
  let table = new Int32Array(0)
  return {
    buffer: () => buffer,
    bytes: () => bytes,
    table: () => table,
    grow() {
      growTo(memory, reservedEnd())
      buffer = Buffer.from(memory.buffer)
      bytes = new Uint8Array(memory.buffer, bytesAt, capacityBytes)
      table = new Int32Array(memory.buffer, tableAt, LINE_INTS * maxLines)
    },
  }
}
