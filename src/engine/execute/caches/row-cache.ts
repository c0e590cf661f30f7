import { LRUCache } from 'lru-cache'
import { KIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import type { ColdReader, ColdRow, OpenCold } from '../columns/batch.js'
import type { CacheMetrics } from '../fields/cache-metrics.js'

/**
 * The cold columns of rows that answers had. A dashboard asks for most of the rows again, and each row of a sealed part
 * costs the decompression of up to 1 MiB. Bounded by bytes. The least recently used row is evicted.
 */
export interface RowCache {
  /**
   * Returns a way to open a reader of the rows of a sealed part. The reader looks for a row in the cache first, and
   * adds each read row to the cache. `owner` represents the part.
   */
  cachedReader(owner: object, open: OpenCold): OpenCold
  /** Bytes of memory of all rows. */
  bytes(): number
}

/** Approximate bytes of the objects of a row. */
const ROW_BYTES = 400
/** A longer row is not cached. */
const MAX_ROW_BYTES = 64 * KIB

/** Creates an empty cache of at most `limitBytes`. */
export function createRowCache(limitBytes: number, metrics: CacheMetrics): RowCache {
  const rows = new LRUCache<string, Partial<ColdRow>>({
    maxSize: Math.max(1, Math.floor(limitBytes)),
    sizeCalculation: bytesOfRow,
  })
  const ids = new WeakMap<object, number>()
  let owners = 0

  function idOf(owner: object): number {
    const id = ids.get(owner) ?? owners++
    ids.set(owner, id)
    return id
  }

  function add(key: string, row: ColdRow, columns: readonly ColdColumn[]): ColdRow {
    const copy: Partial<ColdRow> = {}
    for (const name of columns) copy[name] = Buffer.from(row[name])
    if (bytesOfRow(copy) <= MAX_ROW_BYTES) rows.set(key, copy)
    metrics.setBytes(rows.calculatedSize)
    return row
  }

  function createReader(id: number, open: OpenCold, columns: readonly ColdColumn[]): ColdReader {
    let read: ColdReader | undefined
    return (row) => {
      const key = `${id} ${row}`
      const cached = rows.get(key)
      const isHit = cached !== undefined && columns.every((name) => cached[name] !== undefined)
      metrics.countLookup(isHit)
      if (isHit) return cached as ColdRow
      read ??= open(columns)
      const found = read(row)
      return found instanceof Promise ? found.then((arrived) => add(key, arrived, columns)) : add(key, found, columns)
    }
  }

  return {
    cachedReader(owner, open) {
      const id = idOf(owner)
      return (columns = COLD_COLUMNS) => createReader(id, open, columns)
    },
    bytes: () => rows.calculatedSize,
  }
}

function bytesOfRow(row: Partial<ColdRow>): number {
  return COLD_COLUMNS.reduce((bytes, name) => bytes + (row[name]?.length ?? 0), ROW_BYTES)
}
