import { isDamage } from '../../execute/columns/damage.js'
import type { CompactCold, DiskSegment, MakePathColumns } from '../files/disk-segment.js'
import type { DiskState } from './disk-state.js'

/**
 * Compacts the oldest uncompacted segment, if any: `compact` is called with the cold file of the segment and returns a
 * smaller file, or undefined if cancelled. See {@link workOnNext}.
 */
export const compactNext = (state: DiskState, compact: CompactCold): Promise<boolean> =>
  workOnNext(state, state.uncompacted, 'oldest', (segment) => segment.compact(compact))

/**
 * Adds path columns to the newest segment without, if any, since most questions are about the newest rows: `make` is
 * called with the cold file of the segment and returns the columns, or undefined if cancelled. See {@link workOnNext}.
 */
export const addNextPathColumns = (state: DiskState, make: MakePathColumns): Promise<boolean> =>
  workOnNext(state, state.withoutPathColumns, 'newest', (segment) => segment.addPathColumns(make))

/**
 * Works on a segment of a queue, which is in order of age. Returns false if the queue is empty. `work` returns false if
 * it was cancelled: the segment is queued again, behind the other segments. If the disk fails, the segment is queued
 * again too, and the promise rejects with the system's error. A damaged segment is set aside.
 */
async function workOnNext(
  state: DiskState,
  queue: Set<DiskSegment>,
  which: 'oldest' | 'newest',
  work: (segment: DiskSegment) => Promise<boolean>,
): Promise<boolean> {
  const segment = which === 'oldest' ? queue.values().next().value : [...queue].at(-1)
  if (segment === undefined) return false
  queue.delete(segment)
  const bytesBefore = segment.fileBytes
  let isDone = false
  try {
    isDone = await work(segment)
  } catch (error) {
    isDone = isDamage(error)
    if (!isDone && !segment.isDropped) throw error
  } finally {
    if (!segment.isDropped) {
      state.segmentBytes += segment.fileBytes - bytesBefore
      if (!isDone) putLast(queue, segment, which)
    }
  }
  return true
}

/** Queues a segment again, so that the others of the queue are taken before. */
function putLast(queue: Set<DiskSegment>, segment: DiskSegment, which: 'oldest' | 'newest'): void {
  const others = which === 'oldest' ? [] : [...queue]
  for (const other of others) queue.delete(other)
  for (const one of [segment, ...others]) queue.add(one)
}
