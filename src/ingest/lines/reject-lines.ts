import type { SourceRefusal } from '../../common/source-refusals.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import type { SourceNames } from '../names/source-names.js'
import type { Reason } from '../rejects.js'
import type { Scanner } from '../wasm/scanner.js'

/** Receives rejected lines. */
export interface RejectSink {
  /**
   * Receives the rejected line bytes[start, end), or the head of a line that is too long. `line` counts from 1. The
   * bytes are valid during the call only.
   */
  reject(line: number, reason: Reason, bytes: Uint8Array, start: number, end: number): void
  /** Receives the cause of a reject as `unknown_source`, before the reject. */
  refuseSource?(cause: SourceRefusal): void
}

/** Passes on rejected lines of a table. Lines are counted from 1. */
export interface LineRejects {
  reject(index: number, line: number, reason: Reason): void
  /** Rejects a line as `unknown_source`. */
  rejectSource(index: number, line: number, cause: SourceRefusal): void
}

/** Creates the rejects of the lines of `scanner`. */
export function createLineRejects(sink: RejectSink, names: SourceNames, scanner: () => Scanner): LineRejects {
  function reject(index: number, line: number, reason: Reason): void {
    const { bytes, table } = scanner()
    const row = index * LINE_INTS
    sink.reject(line, reason, bytes, table[row + 1], table[row + 2])
  }
  return {
    reject,
    rejectSource(index, line, cause) {
      sink.refuseSource?.(names.acceptsAny || cause !== 'not_a_name' ? cause : 'not_configured')
      reject(index, line, 'unknown_source')
    },
  }
}
