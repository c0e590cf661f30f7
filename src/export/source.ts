import { setTimeout as wait } from 'node:timers/promises'
import type { Piece } from '../engine/arrow/export/stored-rows.js'
import { DELIVERY_TIMING, type DeliveryParts } from '../engine/clickhouse/delivery.js'
import { type DeliveredCounts, deliveredKey, deliverReplayable } from '../engine/clickhouse/replayable.js'
import { describeDamage } from '../engine/disk/journal/recover.js'
import type { IngestBatch } from '../engine/engine.js'
import { arrivalNumber } from './arrival-number.js'
import type { ExportContext } from './context.js'
import type { SourceCount } from './report.js'

export interface SourceContext extends ExportContext {
  /** Is told of a piece that cannot be read. */
  leaveOut(path: string, error: Error): void
  progressed(): void
}

/** Brings all pieces of a source, the oldest first, each when the one before it is confirmed. */
export async function exportSource(
  { pieces, delivered, count }: { pieces: readonly Piece[]; delivered: DeliveredCounts; count: SourceCount },
  parts: SourceContext,
): Promise<void> {
  const delivery = deliveryParts(parts)
  // An export that was broken off may have been about to bring the first piece that is not there whole.
  let isFirst = true
  for (const piece of pieces) {
    const { source, marker, facts } = piece
    const name = { marker, arrivedUs: arrivalNumber(piece) }
    const there = delivered.get(deliveredKey(name)) ?? 0
    count.there += there
    if (facts === undefined || there < facts.rows) {
      const batches = await read(piece, parts)
      const missing = rowsOf(batches) - there
      if (missing > 0) {
        await deliverReplayable({ source, ...name, batches }, !isFirst && there === 0, delivery)
        count.exported += missing
        isFirst = false
      }
    }
    parts.progressed()
  }
}

const rowsOf = (batches: readonly IngestBatch[]) => batches.reduce((sum, { rows }) => sum + rows, 0)

/** The rows of a piece; none where a file of it is damaged. */
async function read(piece: Piece, { directory, log, leaveOut }: SourceContext): Promise<IngestBatch[]> {
  try {
    return await piece.read((stretch) => log(describeDamage(directory, stretch)))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'damaged_segment') throw error
    leaveOut(piece.path, error as Error)
    return []
  }
}

/** Tries until the server takes it: who has no patience breaks the export off, which costs nothing. */
function deliveryParts({ server, location, log, timing }: ExportContext): DeliveryParts {
  let isFailing = false
  return {
    ...{ server, location, timing: { ...DELIVERY_TIMING, ...timing } },
    wait: (ms) => wait(ms),
    onAttempt(_, error) {
      if (error !== undefined && !isFailing) {
        log(
          `rows cannot be brought to ClickHouse: ${error.message}. It is tried again; an export that is broken off goes on where it was.`,
        )
      }
      if (error === undefined && isFailing) log('rows are brought to ClickHouse again')
      isFailing = error !== undefined
    },
  }
}
