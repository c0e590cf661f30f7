import type { BoundToken, SourceNames } from '../names/source-names.js'
import { MISSING_BUILDER, type Module } from '../wasm/module.js'
import type { LineSink } from './check-lines.js'
import { appendFirst } from './first-records.js'
import type { RecordMasker } from './mask-records.js'
import type { LineRejects } from './reject-lines.js'

/** The parts of a sink that appending lines needs. */
export interface Appending extends LineRejects {
  /** Returns the module in use. */
  module(): Module
  /** Returns the time of receipt of the lines, and their sender. */
  receipt(): { nowUs: number; token: BoundToken }
  names: SourceNames
  /** Undefined: no record is masked. */
  masked: RecordMasker | undefined
  /** The longest accepted line. */
  maxLineBytes: number
  /** Empties a builder. */
  emitBatch(builder: Module['builders'][number]): void
}

/** Returns a function that masks and appends lines of the table, or rejects them. */
export function createAppender(appending: Appending): LineSink['lines'] {
  const { module, masked, maxLineBytes, reject } = appending

  function append(from: number, to: number, line: number): void {
    for (let at = from; at < to; ) {
      at = module().append(at, to, appending.receipt().nowUs)
      noteStop(appending, at - 1, at - 1, line + at - 1 - from)
    }
  }

  /** Appends the masked line of this length in place of a line of the table. */
  function appendMasked(index: number, line: number, length: number): void {
    const replaced = module().replacement.scan(length)
    module().append(replaced, replaced + 1, appending.receipt().nowUs)
    noteStop(appending, replaced, index, line)
  }

  return (from, to, line) => {
    let done = from
    for (let index = from; masked !== undefined && index < to; index++) {
      const length = masked.mask(module(), index, maxLineBytes)
      if (length === 0) continue
      append(done, index, line + done - from)
      if (length > maxLineBytes) reject(index, line + index - from, 'line_too_long')
      else appendMasked(index, line + index - from, length)
      done = index + 1
    }
    append(done, to, line + done - from)
  }
}

/** Handles the stop of an append at a line of the table, which is in the table as it was received at `received`. */
function noteStop(appending: Appending, index: number, received: number, line: number): void {
  const { module, reject, rejectSource, emitBatch } = appending
  const stop = module().stopCause()
  if (stop === MISSING_BUILDER) appendNew(appending, index, received, line)
  else if (stop === 'unknown_source') rejectSource(received, line, 'not_a_name')
  else if (typeof stop === 'string') reject(received, line, stop)
  else if (stop !== undefined) emitBatch(stop)
}

/** Appends or rejects a line of the table if the line's source has no builder yet. */
function appendNew(appending: Appending, index: number, received: number, line: number): void {
  const { module, names, reject, rejectSource, emitBatch } = appending
  const { nowUs, token } = appending.receipt()
  const record = appendFirst(module(), index, nowUs, names, token, emitBatch)
  if ('refusal' in record) rejectSource(received, line, record.refusal)
  else if ('reason' in record) reject(received, line, record.reason)
  else if (record.full !== undefined) emitBatch(record.full)
}
