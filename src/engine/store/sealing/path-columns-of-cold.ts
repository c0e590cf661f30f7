import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { makeMessageFilter, makePathColumns, type PathContent, type Rows } from '../path-columns/make-path-columns.js'
import { coldColumnsInMemory } from '../segment/cold.js'
import { createTextsReader } from '../segment/cold-reader.js'
import { type StoredCold, whileTime } from './compact.js'

/**
 * Returns columns of the paths of the metadata in a cold file and the filter of the messages, or undefined as soon as
 * `hasTime` is false between two batches.
 */
export async function pathColumnsOfCold(
  { file, firstRows, starts }: StoredCold,
  hasTime: () => boolean,
  yieldIfDue: Yielder,
): Promise<PathContent | undefined> {
  const cold = coldColumnsInMemory({ file: Buffer.from(file.buffer, file.byteOffset, file.length), firstRows, starts })
  const read = {
    metadata: createTextsReader(cold, 'metadata'),
    event_message: createTextsReader(cold, 'event_message'),
  }
  const rows: Rows = {
    rows: firstRows.at(-1)!,
    readColdTexts: (column, row, memory) => read[column as keyof typeof read](row, row + 1, memory),
  }
  return whileTime(hasTime, yieldIfDue, async (yieldOrCancel) => ({
    columns: await makePathColumns(rows, yieldOrCancel),
    messages: await makeMessageFilter(rows, yieldOrCancel),
  }))
}
