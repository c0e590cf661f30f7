import { isDamage } from '../../columns/damage.js'
import type { CompactCold } from '../files/disk-segment.js'
import type { DiskState } from './disk-state.js'

/**
 * Compacts the oldest segment that is not compacted, if there is one: `compact` is called with its cold file and
 * returns a smaller one, or undefined if it was cancelled. The segment is then queued again, behind the others;
 * likewise if the disk fails, in which case this rejects with the system's error. A damaged segment is set aside.
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
