import type { SourceName } from '../../../common/sources.js'
import type { TimeRange } from '../../../plan/plan.js'
import { overlaps, type Part } from '../../execute/columns/batch.js'
import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import { partOfOpenBatch } from '../../execute/open-batch/snapshot.js'
import type { HidingPart } from '../hiding/hiding.js'
import type { SegmentHandle } from '../segment/handle.js'
import { headsOf, type SourceTable } from './source-table.js'
import { recycleHead, type StoreState, tableOf } from './state.js'

/**
 * A snapshot of the rows of a source, in order of arrival. Later appends, sealing and dropping do not change a view.
 */
export interface View {
  /** The parts that overlap the time range. */
  parts: readonly Part[]
  /** The number of all parts of the source, including parts outside of the range. */
  total: number
  /** Ends the snapshot: the batches must not be read any more, since their memory may be reused. */
  release(): void
}

const ALL_TIME: TimeRange = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** All rows of a source at a moment. */
export interface HeldRows {
  segments: readonly SegmentHandle[]
  /** The heads that have rows, in order of arrival. Later rows of a head do not count. */
  heads: readonly OpenBatch[]
  /** See {@link View}. */
  release(): void
}

/** Keeps the segments and heads that a source has at this moment from being deleted and reused. */
export function holdRows(state: StoreState, source: SourceName): HeldRows {
  const table = tableOf(state, source)
  const heads = headsOf(table).filter(({ rows }) => rows > 0)
  const holds = heads.map((head) => holdHead(state, head))
  const leave = state.readers.enter()
  const release = () => {
    for (const releaseHead of holds.splice(0)) releaseHead()
    leave()
  }
  // A copy: sealing adds segments to the list of the table.
  return { segments: [...table.segments], heads, release }
}

/**
 * Returns the rows of a source at this moment. Parts outside of the range are left out. The other parts are whole. Rows
 * past their limit are hidden unless `hidesOld` is false.
 */
export function createView(state: StoreState, source: SourceName, range: TimeRange = ALL_TIME, hidesOld = true): View {
  const { segments, heads, release } = holdRows(state, source)
  const total = segments.length + heads.length
  const nowUs = hidesOld ? state.clock.nowUs() : undefined
  const parts: HidingPart[] = segments.filter((segment) => overlaps(segment, range))
  parts.push(...partsOfHeads(tableOf(state, source)).filter((part) => overlaps(part, range)))
  return { parts: parts.map((part) => state.hiding.visible(part, nowUs)), total, release }
}

/** Returns the rows of the heads of a table that have some, in order of arrival. */
function partsOfHeads({ source, sealing, head, persistence }: SourceTable): HidingPart[] {
  const heads = [...sealing, { head, persistence }].filter(({ head }) => head.rows > 0)
  return heads.map((one) => ({ ...partOfOpenBatch(one.head), source, head: one.persistence!.number }))
}

/** Keeps the memory of a head from being reused. Returns a function that releases the head. Call that function once. */
export function holdHead(state: StoreState, head: OpenBatch): () => void {
  head.readers++
  return () => {
    head.readers--
    recycleHead(state, head)
  }
}
