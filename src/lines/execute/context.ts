import { UNLIMITED_SHARE } from '../../base/memory/memory-budget.js'
import type { Yielder } from '../../base/scheduling/time-slices.js'
import { systemClock } from '../../base/time/clock.js'
import { MIB } from '../../base/units.js'
import type { RunContext } from '../../engine/execute/batches/lazy-batch.js'
import { NO_PARTIAL_CACHE } from '../../engine/execute/caches/partial-cache.js'
import { createRowCache } from '../../engine/execute/caches/row-cache.js'
import { createSharedFrames } from '../../engine/execute/caches/shared-frames.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { createFieldCache } from '../../engine/execute/fields/field-cache.js'
import type { StoredRows } from '../../engine/execute/run/run-stage.js'

/** Returns stored rows of lines: parts that are read, or the rows of stages that were run before. */
export const storedLines = (parts: readonly Part[], frameOf: StoredRows['frameOf'] = () => undefined): StoredRows => ({
  partsOf: () => parts,
  readView() {
    throw new TypeError('Lines have no views.')
  },
  frameOf,
})

/** The fields of the lines of a block take at most so many bytes. More are read row by row. */
const FIELD_BYTES = 64 * MIB
const NO_METRICS = { setBytes() {}, countLookup() {} }

/** Returns the context of a run over lines with groups and sorted rows of at most so many bytes. */
export function createRunContext(limitBytes: number, yieldIfDue: Yielder): RunContext {
  return {
    yieldIfDue,
    partialCache: NO_PARTIAL_CACHE,
    fieldCache: createFieldCache(FIELD_BYTES, NO_METRICS, systemClock),
    rowCache: createRowCache(0, NO_METRICS),
    sharedFrames: createSharedFrames(),
    sliceRows: Number.POSITIVE_INFINITY,
    limits: { groups: Number.POSITIVE_INFINITY, bytes: limitBytes },
    memory: UNLIMITED_SHARE,
    onOpen() {},
    onScan() {},
  }
}
