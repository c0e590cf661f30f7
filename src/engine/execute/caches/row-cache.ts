import { LRUCache } from 'lru-cache'
import { KIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../../common/columns.js'
import type { ColdReader, ColdRow, OpenCold } from '../columns/batch.js'

/**
 * The cold columns of rows that answers had. A dashboard asks for most of the rows again, and each row of a sealed part
 * costs the decompression of up to 1 MiB. Bounded by bytes. The least recently used row is evicted.
 */
export interface RowCache {
  /**
   * Returns a way to open a reader of the rows of a sealed part. The reader looks for a row in the cache first, and
   * adds each read row to the cache. `owner` stands for the part.
   */
  keepRows(owner: object, open: OpenCold): OpenCold
  /** Bytes of memory of all rows. */
  bytes(): number
}

/** Approximate bytes of the objects of a row. */
const ROW_BYTES = 400
/** A longer row is not kept. */
const MAX_ROW_BYTES = 64 * KIB

/** Creates an empty cache of at most `limitBytes`. */
export function createRowCache(limitBytes: number): RowCache {
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

  function keep(key: string, row: ColdRow, columns: readonly ColdColumn[]): ColdRow {
    const kept: Partial<ColdRow> = {}
    for (const name of columns) kept[name] = Buffer.from(row[name])
    if (bytesOfRow(kept) <= MAX_ROW_BYTES) rows.set(key, kept)
    return row
  }

  function createReader(id: number, open: OpenCold, columns: readonly ColdColumn[]): ColdReader {
    let read: ColdReader | undefined
    return (row) => {
      const key = `${id} ${row}`
      const known = rows.get(key)
      if (known !== undefined && columns.every((name) => known[name] !== undefined)) return known as ColdRow
      read ??= open(columns)
      const found = read(row)
      return found instanceof Promise ? found.then((arrived) => keep(key, arrived, columns)) : keep(key, found, columns)
    }
  }

  return {
    keepRows(owner, open) {
      const id = idOf(owner)
      return (columns = COLD_COLUMNS) => createReader(id, open, columns)
    },
    bytes: () => rows.calculatedSize,
  }
}

function bytesOfRow(row: Partial<ColdRow>): number {
  return COLD_COLUMNS.reduce((bytes, name) => bytes + (row[name]?.length ?? 0), ROW_BYTES)
}
