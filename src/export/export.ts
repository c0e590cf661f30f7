import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../base/time/clock.js'
import type { SourceName } from '../common/sources.js'
import { canHaveTable, SHARD_SUFFIX } from '../common/table-names.js'
import type { ExportConfig } from '../config/clickhouse-config.js'
import { refuseOpenDeletions } from '../deletions/open-deletions.js'
import { countDelivered, type DeliveredCounts } from '../engine/clickhouse/delivery/replayable.js'
import { connectServer, messageWithHint, ServerError } from '../engine/clickhouse/server/clickhouse-server.js'
import { FORMAT_FILE, noDataDirectory } from '../engine/disk/directory/format.js'
import { openDataDirectory } from '../engine/disk/directory/open.js'
import { listStoredRows, type StoredRows } from '../engine/store/export/stored-rows.js'
import { storedLimits } from '../retention/stored-retention.js'
import type { ExportContext, ExportReport } from './export-context.js'
import { exportSource } from './export-source.js'
import { describeCounts, type SourceCount, showProgress, warnOfOldRows } from './report.js'
import { refuseSealedSince } from './sealed-since.js'

/** Timeout of a SELECT: the query for the rows already on the server reads all rows of a table. */
const SELECT_MS = 600_000

/**
 * Sends all rows of a data directory to ClickHouse. Returns false if some rows could not be read. Throws `failed` if
 * the directory is not a data directory, the errors of {@link openDataDirectory}, `exported_before`, and a ServerError
 * if the server does not answer at the start.
 */
export async function exportDirectory({ dataDir, clickhouse }: ExportConfig, report: ExportReport): Promise<boolean> {
  if (!existsSync(join(dataDir, FORMAT_FILE))) throw noDataDirectory(`--data-dir ${dataDir}`)
  const { directory, files, release } = await openDataDirectory(dataDir, { log: report.log })
  const server = connectServer({ ...clickhouse, selectMs: SELECT_MS })
  try {
    await refuseOpenDeletions(files, directory)
    const limits = await storedLimits(files)
    return await exportRows({ ...report, directory, files, server, location: clickhouse, clock: systemClock, limits })
  } finally {
    await server.close()
    await release()
  }
}

/**
 * Sends segments and journals in turn. Each row has the same id at every export: the marker of the segment or journal,
 * and its number in it. So an export keeps no state: the rows on the server determine the rows to send, also after an
 * interrupted export. Queries all tables before the first row is sent.
 */
export async function exportRows(context: ExportContext): Promise<boolean> {
  const { files, directory, server, location, log, print } = context
  let unreadable = 0
  const onUnreadable = (path: string, { message }: Error) => {
    unreadable++
    log(`${directory}/${path} cannot be read, and its rows are not exported: ${message}`)
  }
  const onUnsent = (source: SourceName) => {
    unreadable++
    log(`the rows of ${source} are not exported: in ClickHouse, names that end with ${SHARD_SUFFIX} are of shards`)
  }
  const all = withTables(await listStoredRows(files, onUnreadable), onUnsent)
  warnOfOldRows(all, context)
  const sources = new Map<SourceName, { stored: StoredRows[]; delivered: DeliveredCounts; count: SourceCount }>()
  for (const source of new Set(all.map((rows) => rows.source))) {
    const stored = all.filter((rows) => rows.source === source)
    const delivered = await countDelivered(server, location, source).catch(throwWithHint(source))
    await refuseSealedSince(stored, delivered, context)
    sources.set(source, { stored, delivered, count: { exported: 0, skipped: 0 } })
  }
  const counts = new Map([...sources].map(([source, { count }]) => [source, count]))
  const progress = showProgress(all, counts, context)
  const sourceContext = { ...context, onUnreadable, onProgress: progress.show }
  for (const source of sources.values()) await exportSource(source, sourceContext)
  progress.clear()
  await print(describeCounts(counts))
  return unreadable === 0
}

/** Returns the rows of the sources that can have a table, and calls `onUnsent` for each other source. */
function withTables(all: readonly StoredRows[], onUnsent: (source: SourceName) => void): StoredRows[] {
  const unsent = new Set(all.map(({ source }) => source).filter((source) => !canHaveTable(source)))
  unsent.forEach(onUnsent)
  return all.filter(({ source }) => !unsent.has(source))
}

/** Returns a function that throws an error about the table of a source, with the remedy if known. */
const throwWithHint = (source: SourceName) => (error: Error) => {
  const message = messageWithHint(error, source)
  throw message === error.message ? error : new ServerError(new Error(message, { cause: error }))
}
