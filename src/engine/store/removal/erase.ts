import { setTimeout as wait } from 'node:timers/promises'
import { createYielder, type Yielder } from '../../../base/scheduling/time-slices.js'
import type { Deletion, ErasedRows } from '../../deletion.js'
import type { Batch } from '../../execute/columns/batch.js'
import { isDamage } from '../../execute/columns/damage.js'
import { range, type Selection, sizeOf, without } from '../../execute/columns/selection.js'
import type { Hiding, OpenDeletion } from '../hiding/hiding.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { Store } from '../tables/store.js'
import { rowsOfIndex } from '../usage/counts.js'
import type { ProjectIndexes } from '../usage/project-indexes.js'

/** The parts of an engine that erasing needs. */
export interface EraseContext {
  store: Pick<Store, 'segments' | 'hasHead' | 'removeRows' | 'settled'>
  hiding: Hiding
  indexes: ProjectIndexes
  /** Runs work on segments in succession, at low priority. Rejects with the reason of the signal. */
  turn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** Pause before the heads of a deletion are looked at again that could not be sealed. */
const RETRY_MS = 1_000

/**
 * Removes the rows of a deletion from all segments, and the rows of other deletions in the same segments. Resolves when
 * the files with these rows are gone. A damaged segment is set aside with its rows.
 */
export async function erase(deletion: Deletion, context: EraseContext, signal: AbortSignal): Promise<ErasedRows> {
  const { store, hiding, turn } = context
  for (const [source, { lastHead }] of deletion.sources) {
    await store.settled()
    for (; store.hasHead(source, lastHead); await store.settled()) await wait(RETRY_MS, undefined, { signal })
    const concerned = () => store.segments(source).filter((segment) => isConcerned(deletion, hiding, segment))
    // Other removals put segments in place of segments that are not erased yet.
    for (let segments = concerned(); segments.length > 0; segments = concerned()) {
      for (const segment of segments) await turn(() => eraseIn(segment, deletion, context, signal), signal)
    }
  }
  await hiding.gone(deletion.id)
  const erased = hiding.erased(deletion.id)
  hiding.forget(deletion.id)
  return erased
}

const isConcerned = ({ id }: Deletion, hiding: Hiding, segment: SegmentHandle): boolean =>
  hiding.deletionsOf(segment).some((open) => open.id === id)

/** Removes the rows of all deletions from a segment. */
async function eraseIn(
  segment: SegmentHandle,
  deletion: Deletion,
  { store, hiding, indexes }: EraseContext,
  signal: AbortSignal,
): Promise<void> {
  // The erasure of another deletion may have been here in the meantime.
  if (!isConcerned(deletion, hiding, segment)) return
  const deletions = hiding.deletionsOf(segment)
  const yieldIfDue = createYielder(signal)
  try {
    const counts = new Map<string, number>()
    const removed = (await hasProject(segment, deletions, indexes))
      ? await store.removeRows(segment, (batch) => keptRows(batch, segment, deletions, counts, yieldIfDue))
      : undefined
    for (const { id } of deletions) {
      const rows = counts.get(id) ?? 0
      const erased = removed && { rows, bytes: (removed.bytes * rows) / removed.rows, gone: removed.gone }
      hiding.noteErased(id, segment.owner, erased)
      if (removed?.segment !== undefined) hiding.noteErased(id, removed.segment.owner)
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    // The segment is set aside.
    for (const { id } of deletions) hiding.noteErased(id, segment.owner)
  }
}

/** Whether a segment has rows of the project of any of the deletions, at any time. */
async function hasProject(
  segment: SegmentHandle,
  deletions: readonly OpenDeletion[],
  indexes: ProjectIndexes,
): Promise<boolean> {
  const projects = new Set(deletions.map(({ deletion }) => deletion.project))
  const index = await indexes.of(segment)
  if (index === undefined) return false
  for (const { project } of rowsOfIndex(index, segment.day)) {
    if (project !== undefined && projects.has(project)) return true
  }
  return false
}

/** Returns the rows of a segment that no deletion concerns, and counts the others. */
async function keptRows(
  batch: Batch,
  segment: SegmentHandle,
  deletions: readonly OpenDeletion[],
  counts: Map<string, number>,
  yieldIfDue: Yielder,
): Promise<Selection> {
  let kept: Selection = range(0, batch.rows, false)
  for (const { id, rows } of deletions) {
    const left = without(kept, await rows.in(batch, segment, yieldIfDue))
    counts.set(id, sizeOf(kept) - sizeOf(left))
    kept = left
  }
  return kept
}
