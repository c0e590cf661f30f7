import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { KIB } from '../../../base/units.js'
import type { ColdColumn } from '../../../common/columns.js'
import type { Row } from '../../../plan/answer.js'
import type { ColdRow, OpenCold } from '../columns/batch.js'
import { isDamage } from '../columns/damage.js'
import type { FoundRow } from '../ordering/output-columns.js'
import { ENDED, iteratorOf } from './row-iterator.js'

/** The most bytes of cold columns that are buffered for the caller. At least one row is always read. */
export const CHUNK_BYTES = 256 * KIB
/** Batches that are read concurrently: Node has as many threads for files. */
const CONCURRENT_READS = 4
/** Each chunk is tried with this many times the rows of the last chunk. */
const GROWTH = 2

interface Reading {
  /** The batches of the rows, by number. */
  opened: ReadonlyMap<number, OpenCold>
  /** The cold columns that `toRow` needs. */
  columns: readonly ColdColumn[]
  /** Returns a row of the answer. */
  toRow(found: FoundRow, cold: ColdRow): Row
  yieldIfDue: Yielder
}

/**
 * Returns the rows found, with their cold columns, in order. Reads a chunk at a time, so that a batch is decompressed
 * once for all rows of the batch in the chunk, and is not kept while the caller consumes the rows: a slow client may
 * take minutes. No generator, since a generator keeps the last yielded row.
 *
 * Rejects with `damaged_segment` if a row of the first chunk is damaged: nothing was returned, so the caller can run
 * the query again. From then on damaged rows are left out.
 */
export function readRows(found: readonly FoundRow[], reading: Reading): AsyncIterableIterator<Row> {
  /** The next rows, last first. A row is removed before the caller gets the row, so that the memory can be freed. */
  let rows: Row[] = []
  let from = 0
  let most = found.length

  async function nextChunk(): Promise<void> {
    const chunk = await readChunk(found.slice(from, from + most), from > 0, reading)
    rows = chunk.rows.reverse()
    from += chunk.places
    most = GROWTH * chunk.places
  }

  async function next(): Promise<IteratorResult<Row, void>> {
    while (rows.length === 0 && from < found.length) await nextChunk()
    return rows.length === 0 ? ENDED : { done: false, value: rows.pop()! }
  }

  async function stop(): Promise<IteratorResult<Row, void>> {
    rows = []
    from = found.length
    return ENDED
  }

  return iteratorOf(next, stop)
}

/**
 * Reads the first of the rows: as many as fit in {@link CHUNK_BYTES}, at least one row. Returns the rows and the number
 * of rows. If damaged rows may be left out, the number includes the rows that were left out.
 */
async function readChunk(
  found: readonly FoundRow[],
  mayLeaveOut: boolean,
  { opened, columns, toRow, yieldIfDue }: Reading,
): Promise<{ rows: Row[]; places: number }> {
  let isPartial = false
  const rows = new Array<Row>(found.length)
  const sizes: number[] = []
  let bytes = 0

  /** Adds a row. While the chunk is too large, removes rows from the end, and ignores rows there from then on. */
  function add(place: number, cold: ColdRow): void {
    if (place >= rows.length) return
    rows[place] = toRow(found[place], cold)
    bytes += sizes[place] = columns.reduce((sum, name) => sum + cold[name].length, 0)
    for (; bytes > CHUNK_BYTES && rows.length > 1; rows.length--) bytes -= sizes[rows.length - 1] ?? 0
  }

  const wanted = placesByBatch(found).entries()
  async function readBatch(batch: number, places: readonly number[]): Promise<void> {
    const read = opened.get(batch)!(columns)
    for (const place of places) {
      if (place >= rows.length) continue
      const cold = read(found[place].row)
      add(place, cold instanceof Promise ? await cold : cold)
      const pause = yieldIfDue()
      if (pause !== undefined) await pause
    }
  }

  async function readBatches(): Promise<void> {
    for (const [batch, places] of wanted) {
      await readBatch(batch, places).catch((error) => {
        if (!mayLeaveOut || !isDamage(error)) throw error
        isPartial = true
      })
    }
  }

  await Promise.all(Array.from({ length: CONCURRENT_READS }, readBatches))
  return { rows: isPartial ? rows.filter((row) => row !== undefined) : rows, places: rows.length }
}

/**
 * Groups the places by batch, the batch of the first place first. The last row comes first, since the last row is
 * decompressed soonest.
 */
function placesByBatch(found: readonly FoundRow[]): Map<number, number[]> {
  const places = new Map<number, number[]>()
  found.forEach(({ batch }, place) => {
    const ofBatch = places.get(batch)
    if (ofBatch === undefined) places.set(batch, [place])
    else ofBatch.push(place)
  })
  for (const ofBatch of places.values()) ofBatch.sort((a, b) => found[b].row - found[a].row)
  return places
}
