import { isDamage } from '../../execute/columns/damage.js'
import type { CompactCold } from '../files/disk-segment.js'
import type { DiskState } from './disk-state.js'

/**
 * Compacts the oldest uncompacted segment, if any: `compact` is called with the cold file of the segment and returns a
 * smaller file, or undefined if cancelled. A segment whose compaction was cancelled is queued again, behind the other
 * segments. If the disk fails, the segment is queued again too, and the promise rejects with the system's error. A
 * damaged segment is set aside.
 */
export async function compactNext(state: DiskState, compact: CompactCold): Promise<void> {
  const { uncompacted } = state
  const [segment] = uncompacted
  if (segment === undefined) return
  uncompacted.delete(segment)
  const bytesBefore = segment.fileBytes
  let isDone = false
  try {
    isDone = await segment.compact(compact)
  } catch (error) {
    isDone = isDamage(error)
    if (!isDone && !segment.isDropped) throw error
  } finally {
    if (!segment.isDropped) {
      state.segmentBytes += segment.fileBytes - bytesBefore
      if (!isDone) uncompacted.add(segment)
    }
  }
}
