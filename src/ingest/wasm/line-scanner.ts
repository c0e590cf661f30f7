import { createHost } from './host.js'
import { type Exports, instantiateIngest } from './instance.js'
import { createModuleMemory } from './module-memory.js'
import type { Scanner } from './scanner.js'
import { setFieldNames } from './setup.js'

/** Sizes of a scanner. */
interface ScannerOptions {
  /** The most bytes and lines of a scan. */
  capacityBytes: number
  maxLines: number
  /** The longest line that is no fault, in bytes. */
  maxLineBytes: number
}

/** A scanner of lines that are not appended to batches. */
export interface LineScanner extends Scanner {
  /** Sets the fields that can contain the time, in order of preference. Overwrites the start of `bytes`. */
  setTimeNames(names: readonly string[]): void
}

/** Creates a scanner with a module of its own, without batch builders. Throws if `ingest.wasm` was not built. */
export function createLineScanner({ capacityBytes, maxLines, maxLineBytes }: ScannerOptions): LineScanner {
  const exports: Exports = instantiateIngest(createHost(() => memory.buffer()))
  const memory = createModuleMemory(exports, { capacityBytes, maxLines })
  exports.setSizes(memory.tableAt, maxLines, maxLineBytes, 1, 1)
  memory.grow()
  setFieldNames(exports, memory.bytes(), { time: [], message: [] })
  return {
    get bytes() {
      return memory.bytes()
    },
    get table() {
      return memory.table()
    },
    maxLines,
    scan: (start, end) => exports.scan(start, end, memory.tableAt, maxLines),
    setTimeNames: (names) => setFieldNames(exports, memory.bytes(), { time: names, message: [] }),
  }
}
