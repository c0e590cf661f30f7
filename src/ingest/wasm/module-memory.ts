import { growTo } from '../../base/memory/wasm.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import { SLACK_BYTES } from '../../wasm-layout/memory.js'
import type { Exports } from './instance.js'

/** The memory of a module, and views of it. Each view is replaced when the memory grows. */
export interface ModuleMemory {
  /** The address of the field table. */
  readonly tableAt: number
  /** All bytes. */
  buffer(): Buffer
  /** The input. */
  bytes(): Uint8Array
  /** The field table, with a row more for a line in place of another. */
  table(): Int32Array
  /** Grows to all regions that the module has reserved. */
  grow(): void
}

/** The most bytes of the input, and the most lines of the field table. */
export interface InputSize {
  capacityBytes: number
  maxLines: number
}

/** Creates the views. The memory is large enough after the first `grow`. */
export function createModuleMemory(
  { memory, bytesAddress, reservedEnd }: Pick<Exports, 'memory' | 'bytesAddress' | 'reservedEnd'>,
  { capacityBytes, maxLines }: InputSize,
): ModuleMemory {
  const bytesAt = bytesAddress()
  const tableAt = Math.ceil((bytesAt + capacityBytes + SLACK_BYTES) / SLACK_BYTES) * SLACK_BYTES
  let buffer = Buffer.alloc(0)
  let bytes = new Uint8Array(0)
  let table = new Int32Array(0)
  return {
    tableAt,
    buffer: () => buffer,
    bytes: () => bytes,
    table: () => table,
    grow() {
      growTo(memory, reservedEnd())
      buffer = Buffer.from(memory.buffer)
      bytes = new Uint8Array(memory.buffer, bytesAt, capacityBytes)
      table = new Int32Array(memory.buffer, tableAt, LINE_INTS * (maxLines + 1))
    },
  }
}
