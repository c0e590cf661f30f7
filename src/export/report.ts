import { createProgressLine } from '../base/time/progress-line.js'
import { DAY_US } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import { TTL_DAYS } from '../engine/clickhouse/schema/ddl.js'
import type { StoredRows } from '../engine/store/export/stored-rows.js'
import type { ExportContext } from './export-context.js'

/** The rows of a source that an export has processed so far. */
export interface SourceCount {
  exported: number
  /** Rows that were already on the server. */
  skipped: number
}

type Counts = ReadonlyMap<SourceName, SourceCount>

/** Updates a progress line on the terminal, at most twice a second. The total does not include the rows of journals. */
export function showProgress(stored: readonly StoredRows[], counts: Counts, { terminal, clock }: ExportContext) {
  const sealed = stored.reduce((sum, { facts }) => sum + (facts?.rows ?? 0), 0)
  const line = createProgressLine(terminal, clock)
  return {
    show: () =>
      line.show(() => {
        const { exported, skipped } = sumOf(counts)
        return `${exported} rows exported, ${skipped} already there, of ${sealed} in segments`
      }),
    clear: line.clear,
  }
}

function sumOf(counts: Counts): SourceCount {
  const total = { exported: 0, skipped: 0 }
  for (const { exported, skipped } of counts.values()) {
    total.exported += exported
    total.skipped += skipped
  }
  return total
}

/** Returns the line that ends an export: rows exported, rows skipped, and the rows of each source. */
export function describeCounts(counts: Counts): string {
  const { exported, skipped } = sumOf(counts)
  const bySource = [...counts].map(([source, count]) => `${source} ${count.exported + count.skipped}`)
  const list = bySource.length === 0 ? '' : ` (in total ${bySource.join(', ')})`
  return `${exported} rows exported, ${skipped} already there${list}\n`
}

/** Logs how many rows the server may delete soon after arrival, because of the TTL of the tables. */
export function warnOfOldRows(stored: readonly StoredRows[], { clock, log }: ExportContext): void {
  const oldestDay = Math.floor(clock.nowUs() / DAY_US) - TTL_DAYS
  const old = stored.reduce(
    (sum, { facts }) => sum + (facts !== undefined && facts.day < oldestDay ? facts.rows : 0),
    0,
  )
  if (old === 0) return
  log(
    `${old} rows are older than ${TTL_DAYS} days: a server of version 20 or newer deletes them ` +
      'by the TTL of its tables, unless you change it first (ALTER TABLE … MODIFY TTL)',
  )
}
