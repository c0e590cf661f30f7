import { setTimeout as wait } from 'node:timers/promises'
import { DELIVERY_TIMING, type DeliveryContext } from '../engine/clickhouse/delivery/delivery.js'
import { type DeliveredCounts, deliveredKey, deliverReplayable } from '../engine/clickhouse/delivery/replayable.js'
import { createExistingColumns, reportLacking } from '../engine/clickhouse/schema/existing-columns.js'
import { describeDamage } from '../engine/disk/journal/recover.js'
import type { IngestBatch } from '../engine/engine.js'
import type { StoredRows } from '../engine/store/export/stored-rows.js'
import { arrivalNumber } from './arrival-number.js'
import type { ExportContext } from './export-context.js'
import type { SourceCount } from './report.js'
import { rowsPastLimit } from './rows-past-limit.js'

/** The context of the export of a source, and the observers of the source's files. */
export interface SourceContext extends ExportContext {
  /** Called for each segment that cannot be read. */
  onUnreadable(path: string, error: Error): void
  /** Called after each segment or journal. */
  onProgress(): void
}

/**
 * Sends all rows of a source, oldest segment first, each after the server has confirmed the previous segment or
 * journal. Updates `count` along the way.
 */
export async function exportSource(
  { stored, delivered, count }: { stored: readonly StoredRows[]; delivered: DeliveredCounts; count: SourceCount },
  context: SourceContext,
): Promise<void> {
  const delivery = deliveryContext(context)
  // An insert of an interrupted export may still be running: of the first segment or journal that is incomplete.
  let isFirst = true
  for (const rows of stored) {
    const { source, marker, facts } = rows
    const id = { marker, arrivedUs: arrivalNumber(rows) }
    const skipped = delivered.get(deliveredKey(id)) ?? 0
    count.skipped += skipped
    if (facts === undefined || skipped < facts.rows) {
      const batches = await read(rows, context)
      const hidden = rowsPastLimit(rows, batches, context)
      const missing = rowCount(batches) - hidden.size - skipped
      // Rows that were exported may be past their limit now, so that others are missing although the counts match.
      if (missing > 0 || (hidden.size > 0 && skipped > 0)) {
        const isSent = hidden.size === 0 ? undefined : (row: number) => !hidden.has(row)
        await deliverReplayable({ source, ...id, batches, isSent }, !isFirst && skipped === 0, delivery)
        count.exported += Math.max(0, missing)
        isFirst = false
      }
    }
    context.onProgress()
  }
}

const rowCount = (batches: readonly IngestBatch[]) => batches.reduce((sum, { rows }) => sum + rows, 0)

/** Reads the rows of a segment or journal. Returns no rows if a file is damaged. */
async function read(stored: StoredRows, { directory, log, onUnreadable }: SourceContext): Promise<IngestBatch[]> {
  try {
    return await stored.read((damage) => log(describeDamage(directory, damage)))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'damaged_segment') throw error
    onUnreadable(stored.path, error as Error)
    return []
  }
}

/** Retries without end: the user can interrupt the export at any time without loss. */
function deliveryContext({ server, location, log, timing }: ExportContext): DeliveryContext {
  let isFailing = false
  return {
    server,
    location,
    columns: createExistingColumns({ server, location, onLacking: reportLacking(log) }),
    timing: { ...DELIVERY_TIMING, ...timing },
    wait: (ms) => wait(ms),
    onAttempt(_, error) {
      if (error !== undefined && !isFailing) {
        log(
          `rows cannot be sent to ClickHouse: ${error.message}. ` +
            'Sending is retried; an interrupted export can be continued by running it again.',
        )
      }
      if (error === undefined && isFailing) log('rows are sent to ClickHouse again')
      isFailing = error !== undefined
    },
  }
}
