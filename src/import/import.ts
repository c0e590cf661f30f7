import { stateError } from '../base/failures.js'
import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import { ROWS_SHARE } from '../base/memory/memory.js'
import { createMetrics } from '../base/metrics.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import { createProgressLine } from '../base/time/progress-line.js'
import { acceptSources, findSource, type SourceName } from '../common/sources.js'
import type { ImportConfig } from '../config/import-config.js'
import { hasGroupJournals } from '../engine/clickhouse/delivery/group-journals.js'
import { makeDataDirectory } from '../engine/disk/directory/data-directory.js'
import { openDataDirectory } from '../engine/disk/directory/open.js'
import type { LockOptions } from '../engine/disk/lock/options.js'
import type { Engine } from '../engine/engine.js'
import { createArrowEngine } from '../engine/store/engine.js'
import { createSealingThread } from '../engine/store/sealing/thread.js'
import { openRejects, type Rejects } from '../ingest/rejects.js'
import { createIngest } from '../ingest/stream/ingest.js'
import { readMaskFile } from '../masking/parse.js'
import type { Masking } from '../masking/rule.js'
import { readMasking } from '../masking/watched-masking.js'
import { readRetentionFile } from '../retention/parse.js'
import { limitsOfAdded } from '../retention/stored-retention.js'
import { IMPORT_LIMITS, importTable } from './import-table.js'
import { type Connection, connect } from './postgres/connection.js'
import { type LogTable, listTables } from './postgres/logflare-tables.js'
import { createTableReader } from './postgres/table-reader.js'
import { describeProgress, describeTables, type ImportedTable, noRows } from './report.js'

/** Where an import writes result, log and progress. */
export interface ImportReport {
  print(text: string): unknown
  log: Log
  /** The terminal for progress, if the output is a terminal. */
  terminal: { write(text: string): unknown } | undefined
  /** Called if another process takes the data directory. From then on the import writes nothing. */
  onLost: LockOptions['onLost']
}

/**
 * Imports the rows of Logflare's tables in PostgreSQL into a data directory, created if missing. Rows that are there
 * already are left out. Throws `failed` if the database cannot be read, and the errors of {@link makeDataDirectory} and
 * {@link openDataDirectory}, {@link readRetentionFile} and {@link limitsOfAdded}.
 */
export async function importDirectory(config: ImportConfig, report: ImportReport): Promise<void> {
  const { dataDir, url, schema, sources, retentionFile, retentionUs, mask, maskKeyFile } = config
  acceptSources(sources)
  // Before the directory is created, as below.
  if (mask !== undefined) readMaskFile(mask)
  const retention = retentionFile === undefined ? undefined : readRetentionFile(retentionFile, retentionUs)
  // Before the directory is created: a wrong URL must not leave a directory.
  const connection = await connect(url)
  try {
    const tables = knownTables(await listTables(connection, schema), report.log)
    const store = await openStore(config, report)
    try {
      const masking = mask === undefined ? undefined : readMasking({ path: mask, keyFile: maskKeyFile, dataDir })
      const limits = await limitsOfAdded(store.files, retention, systemClock.nowUs())
      await importTables(tables, { ...config, ...report, ...store, limits, masking, connection, clock: systemClock })
    } finally {
      await store.close()
    }
  } catch (error) {
    throw explainFileError('data_dir_unusable', `The data directory ${dataDir} cannot be used`, dataDir, error)
  } finally {
    await connection.close()
  }
}

/** A table of any of the nine sources, or of an own source. */
interface KnownTable {
  table: LogTable
  name: string
  source: SourceName
}

/** Returns the tables of sources that logweir has. Logs the others by name. */
function knownTables(tables: readonly LogTable[], log: Log): KnownTable[] {
  return tables.flatMap((table) => {
    const { name, source } = table
    const known = source === undefined ? undefined : findSource(source)
    if (known !== undefined) return { table, name: source!, source: known.name }
    if (source === undefined) log(`table ${name} is skipped: no source of Logflare has this token`, { level: 'warn' })
    else log(`source ${JSON.stringify(source)} is skipped: logweir has no such source`, { level: 'warn' })
    return []
  })
}

/** Opens the data directory as a service does. */
async function openStore(config: ImportConfig, { log, onLost }: ImportReport) {
  const { dataDir, memoryLimitBytes, maxDiskBytes } = config
  await makeDataDirectory(dataDir)
  const disk = await openDataDirectory(dataDir, { log, onLost })
  if (await hasGroupJournals(disk.files)) {
    await disk.release()
    throw stateError(
      `The data directory ${dataDir} is that of a service with --engine clickhouse, whose rows are on the server. ` +
        'Import into a new directory, then send its rows to the server: logweir export --to clickhouse',
    )
  }
  const metrics = createMetrics()
  const engine = createArrowEngine({
    clock: systemClock,
    metrics,
    log,
    disk,
    rowsLimitBytes: memoryLimitBytes * ROWS_SHARE,
    diskLimitBytes: maxDiskBytes,
    // The service of this directory may keep rows longer than this import does.
    retentionUs: Number.POSITIVE_INFINITY,
    sealer: createSealingThread(log),
  })
  const rejects = openRejects({ dataDir, log })
  const close = async () => {
    await engine.close()
    await rejects.close()
  }
  try {
    await engine.recover()
  } catch (error) {
    await close()
    throw error
  }
  return { engine, files: disk.files, metrics, rejects, close }
}

interface ImportContext extends Pick<ImportConfig, 'schema' | 'retentionUs' | 'untilUs'>, ImportReport {
  connection: Connection
  engine: Engine
  metrics: ReturnType<typeof createMetrics>
  rejects: Rejects
  /** The limits of projects and sources, for the threads. Undefined if there are none. */
  limits: SharedArrayBuffer | undefined
  /** The rules that mask records. Undefined if there are none. */
  masking: Masking | undefined
  clock: Clock
}

/** Imports the tables in turn, and prints the count of each table. */
async function importTables(known: readonly KnownTable[], context: ImportContext): Promise<void> {
  const { connection, schema, engine, metrics, rejects, clock, retentionUs, untilUs, terminal, print } = context
  const { limits, masking: masks } = context
  const masking = masks && { current: () => masks, onChange: () => () => {} }
  const line = createProgressLine(terminal, clock)
  const imported: ImportedTable[] = []
  try {
    for (const { table, name, source } of known) {
      const one = { name, source, count: noRows() }
      imported.push(one)
      const startMs = clock.monotonicMs()
      const tableImport = {
        ...{ source, engine, clock, retentionUs, untilUs },
        table: createTableReader(connection, schema, table),
        openIngest: () =>
          createIngest({ engine, metrics, rejects, retentionUs, limits, masking, defaults: { source } }),
        limits: IMPORT_LIMITS,
        onProgress(read: number) {
          const seconds = (clock.monotonicMs() - startMs) / 1000
          line.show(() => describeProgress(one, read, read / seconds))
        },
      }
      await importTable(tableImport, one.count)
    }
  } finally {
    line.clear()
  }
  await print(describeTables(imported))
}
