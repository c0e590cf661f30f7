import { LRUCache } from 'lru-cache'
import { MIB } from '../../../base/units.js'
import { isDamage } from '../../execute/columns/damage.js'
import { bytesOfDictionary } from '../../execute/columns/dictionary.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { ProjectIndex } from '../segment/segment.js'

/** The indexes of projects of segments, which say how many rows each project has. */
export interface ProjectIndexes {
  /**
   * Returns the index of a segment. Undefined if the segment is damaged: then it is set aside. Rejects with the
   * system's error.
   */
  of(segment: SegmentHandle): Promise<ProjectIndex | undefined>
}

/** Those that were read last stay in memory. A segment of a thousand projects takes some 20 KiB. */
const MAX_BYTES = 16 * MIB

/** Reads indexes, and keeps up to `maxBytes` of them. */
export function createProjectIndexes(maxBytes = MAX_BYTES): ProjectIndexes {
  const known = new LRUCache<SegmentHandle, ProjectIndex>({
    maxSize: maxBytes,
    sizeCalculation: ({ dictionary, starts }) => bytesOfDictionary(dictionary) + starts.byteLength,
  })
  return {
    async of(segment) {
      const kept = known.get(segment)
      if (kept !== undefined) return kept
      try {
        const read = segment.readProjects()
        // Those of segments in memory are there already.
        if (!(read instanceof Promise)) return read
        const index = await read
        known.set(segment, index)
        return index
      } catch (error) {
        if (isDamage(error)) return undefined
        throw error
      }
    },
  }
}
