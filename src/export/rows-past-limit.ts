import { RecordBatchReader, type TimestampMicrosecond, type Vector } from 'apache-arrow'
import type { IngestBatch } from '../engine/engine.js'
import type { StoredRows } from '../engine/store/export/stored-rows.js'
import type { ExportContext } from './export-context.js'

/** Returns the rows that are past the limit of their project now, by their number among the rows of the batches. */
export function rowsPastLimit(
  { source, facts }: StoredRows,
  batches: readonly IngestBatch[],
  { limits, clock }: Pick<ExportContext, 'limits' | 'clock'>,
): ReadonlySet<number> {
  const hidden = new Set<number>()
  const nowUs = clock.nowUs()
  if (limits === undefined || (facts !== undefined && facts.minUs > limits.newestHiddenUs(source, nowUs))) return hidden
  let firstRow = 0
  for (const { ipc, rows } of batches) {
    // A shorter way is `tableFromIPC`, which the start of a service would load with the writer of answers.
    const [batch] = RecordBatchReader.from(ipc)
    const times = (batch!.getChild('timestamp') as Vector<TimestampMicrosecond>).data[0]!.values
    const projects = batch!.getChild('project')!
    for (let row = 0; row < rows; row++) {
      const throughUs = limits.hiddenThroughUs(source, projects.get(row) ?? undefined, nowUs)
      if (Number(times[row]) <= throughUs) hidden.add(firstRow + row)
    }
    firstRow += rows
  }
  return hidden
}
