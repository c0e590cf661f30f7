import { LRUCache } from 'lru-cache'
import { askForCollection } from '../../../base/process/heap.js'
import type { Clock } from '../../../base/time/clock.js'
import { MIB } from '../../../base/units.js'
import type { FieldPath } from '../columns/field-path.js'
import type { CacheMetrics } from './cache-metrics.js'
import { FieldColumn } from './field-column.js'

/**
 * The columns of fields that were read from metadata, by part. Bounded by bytes. The least recently used column is
 * evicted. Queries that read an evicted column do not notice.
 */
export interface FieldCache {
  /**
   * Returns the column of a path, or of its counts, for the `rows` rows of a part, an empty column if there was no
   * column. `owner` represents the part: the same object for all snapshots of an open head.
   */
  columnOf(owner: object, path: FieldPath, rows: number): FieldColumn
  /** Counts the bytes of a column again. The column may then be evicted. */
  resize(column: FieldColumn): void
  /** Removes columns of many distinct values that were not used for some seconds: they take more than they save. */
  dropIdle(): void
  /** Removes the columns of parts that were deleted. */
  drop(owners: readonly object[]): void
  /** Bytes of memory of all columns. */
  bytes(): number
}

interface Place {
  ofOwner: Map<string, FieldColumn>
  key: string
  usedMs: number
}

/** A column takes at most this share of the cache for its distinct values. */
const COLUMN_SHARE = 1 / 8
/** Approximate bytes of the objects of a column. */
const COLUMN_BYTES = 512

/** A column with more bytes of distinct values is removed after {@link IDLE_MS} without a query that reads it. */
const LARGE_BYTES = MIB
const IDLE_MS = 10_000

/**
 * Returns an empty cache of columns. Each `set` of a column passes a new value: the LRU cache would not count the size
 * of an equal value again.
 */
function createLru(limitBytes: number, onRemove: (column: FieldColumn) => void) {
  return new LRUCache<FieldColumn, { bytes: number }>({
    maxSize: Math.max(1, Math.floor(limitBytes)),
    noDisposeOnSet: true,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (_, column) => onRemove(column),
  })
}

/** Creates an empty cache of at most `limitBytes`. */
export function createFieldCache(
  limitBytes: number,
  metrics: CacheMetrics,
  clock: Pick<Clock, 'monotonicMs'>,
): FieldCache {
  const byOwner = new WeakMap<object, Map<string, FieldColumn>>()
  const places = new WeakMap<FieldColumn, Place>()
  const columns = createLru(limitBytes, (column) => {
    const { ofOwner, key } = places.get(column)!
    if (ofOwner.get(key) === column) ofOwner.delete(key)
  })

  const showBytes = () => metrics.setBytes(columns.calculatedSize)

  function add(ofOwner: Map<string, FieldColumn>, key: string, column: FieldColumn): FieldColumn {
    ofOwner.set(key, column)
    places.set(column, { ofOwner, key, usedMs: clock.monotonicMs() })
    columns.set(column, { bytes: COLUMN_BYTES + column.byteLength })
    if (!columns.has(column)) ofOwner.delete(key)
    return column
  }

  function resize(column: FieldColumn): void {
    if (columns.has(column)) columns.set(column, { bytes: COLUMN_BYTES + column.byteLength })
    showBytes()
  }

  return {
    columnOf(owner, { keys, isCount }, rows) {
      const ofOwner = byOwner.get(owner) ?? new Map<string, FieldColumn>()
      byOwner.set(owner, ofOwner)
      const key = JSON.stringify([isCount, ...keys])
      const cached = ofOwner.get(key)
      metrics.countLookup(cached !== undefined)
      if (cached === undefined) return add(ofOwner, key, new FieldColumn(rows, limitBytes * COLUMN_SHARE))
      cached.reserve(rows)
      places.get(cached)!.usedMs = clock.monotonicMs()
      columns.get(cached)
      return cached
    },
    resize,
    dropIdle() {
      const beforeMs = clock.monotonicMs() - IDLE_MS
      for (const column of [...columns.keys()]) {
        if (column.valueBytes <= LARGE_BYTES || places.get(column)!.usedMs >= beforeMs) continue
        columns.delete(column)
        askForCollection()
      }
      showBytes()
    },
    drop(owners) {
      for (const owner of owners) {
        for (const column of [...(byOwner.get(owner)?.values() ?? [])]) columns.delete(column)
        byOwner.delete(owner)
      }
      showBytes()
    },
    bytes: () => columns.calculatedSize,
  }
}
