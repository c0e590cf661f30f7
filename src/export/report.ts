import { DAY_US } from '../base/units.js'
import type { Piece } from '../engine/arrow/export/stored-rows.js'
import { TTL_DAYS } from '../engine/clickhouse/ddl.js'
import type { SourceName } from '../sources.js'
import type { ExportContext } from './context.js'

export interface SourceCount {
  exported: number
  /** Rows that were on the server before. */
  there: number
}

type Counts = ReadonlyMap<SourceName, SourceCount>

const INTERVAL_MS = 500
const CLEAR_LINE = '\r\u001b[K'

/** Keeps a line of a terminal up to date, twice a second at most. What journals hold is not in the sum of all rows. */
export function showProgress(pieces: readonly Piece[], counts: Counts, { terminal, clock }: ExportContext) {
  const sealed = pieces.reduce((sum, { facts }) => sum + (facts?.rows ?? 0), 0)
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    show() {
      if (terminal === undefined || clock.monotonicMs() - shownMs < INTERVAL_MS) return
      shownMs = clock.monotonicMs()
      const { exported, there } = sumOf(counts)
      terminal.write(`${CLEAR_LINE}${exported} rows exported, ${there} were there already, of ${sealed} in segments`)
    },
    clear: () => terminal?.write(CLEAR_LINE),
  }
}

function sumOf(counts: Counts): SourceCount {
  const total = { exported: 0, there: 0 }
  for (const { exported, there } of counts.values()) {
    total.exported += exported
    total.there += there
  }
  return total
}

/** The line that ends an export. */
export function describeCounts(counts: Counts): string {
  const { exported, there } = sumOf(counts)
  const bySource = [...counts].map(([source, count]) => `${source} ${count.exported + count.there}`)
  const list = bySource.length === 0 ? '' : ` (all in all ${bySource.join(', ')})`
  return `${exported} rows exported, ${there} were there already${list}\n`
}

/** Says which rows the server may remove as soon as it has them. */
export function warnOfOldRows(pieces: readonly Piece[], { clock, log }: ExportContext): void {
  const oldestDay = Math.floor(clock.nowUs() / DAY_US) - TTL_DAYS
  const old = pieces.reduce(
    (sum, { facts }) => sum + (facts !== undefined && facts.day < oldestDay ? facts.rows : 0),
    0,
  )
  if (old === 0) return
  log(
    `${old} rows are older than ${TTL_DAYS} days: a server of version 20 or newer removes them by the TTL of its tables, ` +
      'unless that is changed before (ALTER TABLE … MODIFY TTL)',
  )
}
