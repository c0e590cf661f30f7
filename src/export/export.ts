import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../base/clock.js'
import { stateError } from '../base/failures.js'
import type { ExportConfig } from '../config/config.js'
import { listPieces, type Piece } from '../engine/arrow/export/stored-rows.js'
import { countDelivered, type DeliveredCounts } from '../engine/clickhouse/replayable.js'
import { connectServer, messageWithHint, ServerError } from '../engine/clickhouse/server.js'
import { FORMAT_NAME } from '../engine/disk/directory/format.js'
import { openDisk } from '../engine/disk/directory/open.js'
import type { SourceName } from '../sources.js'
import type { ExportContext, ExportReport } from './context.js'
import { describeCounts, type SourceCount, showProgress, warnOfOldRows } from './report.js'
import { refuseSealedSince } from './sealed-since.js'
import { exportSource } from './source.js'

/** What is there is told by a look at all rows of a table. */
const SELECT_MS = 600_000

/**
 * Brings all rows of a data directory to ClickHouse; gives false where some of them could not be read. Throws `failed`, what
 * {@link openDisk} throws, `exported_before`, and a ServerError where the server does not answer at the start.
 */
export async function exportDirectory({ dataDir, clickhouse }: ExportConfig, report: ExportReport): Promise<boolean> {
  if (!existsSync(join(dataDir, FORMAT_NAME))) {
    throw stateError(`--data-dir ${dataDir} is no data directory of logweir: there is no ${FORMAT_NAME} in it.`)
  }
  const { directory, files, release } = await openDisk(dataDir, { log: report.log })
  const server = connectServer({ ...clickhouse, selectMs: SELECT_MS })
  try {
    return await exportRows({ ...report, directory, files, server, location: clickhouse, clock: systemClock })
  } finally {
    await server.close()
    await release()
  }
}

/**
 * Brings piece after piece, each row under a name that is the same at every export: the marker of its piece and its place
 * in that. So nothing needs to be remembered here: what is on the server says what is left to do, after an export that was
 * broken off as after one that was not. All tables are looked at before anything is sent.
 */
export async function exportRows(parts: ExportContext): Promise<boolean> {
  const { files, directory, server, location, log, print } = parts
  let unreadable = 0
  const leaveOut = (path: string, { message }: Error) => {
    unreadable++
    log(`${directory}/${path} cannot be read, and its rows are not exported: ${message}`)
  }
  const pieces = await listPieces(files, leaveOut)
  warnOfOldRows(pieces, parts)
  const sources = new Map<SourceName, { pieces: Piece[]; delivered: DeliveredCounts; count: SourceCount }>()
  for (const source of new Set(pieces.map((piece) => piece.source))) {
    const ofSource = pieces.filter((piece) => piece.source === source)
    const delivered = await countDelivered(server, location, source).catch(explain)
    await refuseSealedSince(ofSource, delivered, parts)
    sources.set(source, { pieces: ofSource, delivered, count: { exported: 0, there: 0 } })
  }
  const counts = new Map([...sources].map(([source, { count }]) => [source, count]))
  const progress = showProgress(pieces, counts, parts)
  for (const source of sources.values()) await exportSource(source, { ...parts, leaveOut, progressed: progress.show })
  progress.clear()
  await print(describeCounts(counts))
  return unreadable === 0
}

function explain(error: Error): never {
  const message = messageWithHint(error)
  throw message === error.message ? error : new ServerError(new Error(message, { cause: error }))
}
