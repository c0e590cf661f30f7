import type { SourceRefusal } from '../../common/source-refusals.js'
import type { SourceName } from '../../common/sources.js'
import type { BoundToken, SourceNames } from '../names/source-names.js'
import type { Reason } from '../rejects.js'
import type { BatchBuilder } from '../wasm/batch-builder.js'
import { MISSING_BUILDER, type Module } from '../wasm/module.js'

/** The result of a record of a source without a builder: rejected, or appended to a builder that may be full. */
export type FirstRecord = { refusal: SourceRefusal } | { reason: Reason } | { full: BatchBuilder | undefined }

/**
 * Appends the line of the table at which `append` has stopped with MISSING_BUILDER: its source, which has no builder in
 * this module, gets one. A source that does not exist is made once the record is known to be valid: a rejected record
 * makes none. `emit` empties a builder.
 */
export function appendFirst(
  module: Module,
  line: number,
  nowUs: number,
  names: SourceNames,
  token: BoundToken,
  emit: (builder: BatchBuilder) => void,
): FirstRecord {
  const source = module.own.missing()
  const state = names.stateOf(source, token)
  if (state !== 'accepted' && state !== 'new') return { refusal: state }
  const builder = nextBuilder(module, source, emit)
  module.appendTo(builder, line, nowUs)
  const cause = module.stopCause()
  if (typeof cause === 'string') return { reason: cause }
  const refusal = state === 'new' ? names.make(source, token) : undefined
  if (refusal !== undefined) {
    builder.clear()
    return { refusal }
  }
  module.own.assign()
  return { full: cause === MISSING_BUILDER ? undefined : cause }
}

/** Returns an empty builder for a source. If every builder has another source, all are emptied and used again. */
function nextBuilder(module: Module, source: SourceName, emit: (builder: BatchBuilder) => void): BatchBuilder {
  const free = module.own.next(source)
  if (free !== undefined) return free
  for (const builder of module.builders) if (builder.rows() > 0) emit(builder)
  module.own.release()
  return module.own.next(source)!
}
