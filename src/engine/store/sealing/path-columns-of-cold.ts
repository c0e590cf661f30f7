import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { makePathColumns, type PathColumn } from '../path-columns/make-path-columns.js'
import { coldColumnsInMemory } from '../segment/cold.js'
import { createTextsReader } from '../segment/cold-reader.js'
import { type StoredCold, whileTime } from './compact.js'

/**
 * Returns columns of the paths of the metadata in a cold file, or undefined as soon as `hasTime` is false between two
 * batches.
 */
export async function pathColumnsOfCold(
  { file, firstRows, starts }: StoredCold,
  hasTime: () => boolean,
  yieldIfDue: Yielder,
): Promise<PathColumn[] | undefined> {
  const cold = coldColumnsInMemory({ file: Buffer.from(file.buffer, file.byteOffset, file.length), firstRows, starts })
  const read = createTextsReader(cold, 'metadata')
  const rows = firstRows.at(-1)!
  return whileTime(hasTime, yieldIfDue, (yieldOrCancel) =>
    makePathColumns({ rows, readColdTexts: (_, row, memory) => read(row, row + 1, memory) }, yieldOrCancel),
  )
}
