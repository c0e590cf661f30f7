import { LRUCache } from 'lru-cache'
import type { PathSet } from '../../execute/columns/field-path.js'
import type { Segment } from '../segment/segment.js'

/**
 * The segments with columns in memory, least recently opened first. The size of the cache is the bytes of the columns.
 */
export type ColumnCache<Owner extends Unloadable> = LRUCache<Owner, Segment>

/** A segment on disk, of which columns may be in memory. */
interface Unloadable {
  freeUnused(): void
}

/** Returns an empty cache without a limit: the owner of the cache evicts, since other data shares the memory. */
export const createColumnCache = <Owner extends Unloadable>(): ColumnCache<Owner> =>
  new LRUCache({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ hotBytes, coldBytes }) => hotBytes + coldBytes,
    // A segment with further columns takes the place of itself.
    noDisposeOnSet: true,
    disposeAfter: (_, segment) => segment.freeUnused(),
  })

/** The paths with a column of the segments that were asked last. */
export type PathCache<Owner extends object> = LRUCache<Owner, PathSet>

/** A segment has up to 256 paths. */
const MAX_PATH_SETS = 1_000

/** Returns an empty cache of paths. */
export const createPathCache = <Owner extends object>(): PathCache<Owner> => new LRUCache({ max: MAX_PATH_SETS })
