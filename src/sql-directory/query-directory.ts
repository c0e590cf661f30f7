import type { Log } from '../base/log.js'
import { memoryBytes, ROWS_SHARE } from '../base/memory/memory.js'
import { createMetrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import type { RowsOut } from '../client/output.js'
import { readOpenDeletions } from '../deletions/open-deletions.js'
import { createNameChecks } from '../endpoints/unknown-names.js'
import { openToRead, refuseInUse } from '../engine/disk/directory/open-to-read.js'
import { createDiskFiles } from '../engine/disk/files/files.js'
import { readOnlyFiles } from '../engine/disk/files/read-only.js'
import type { Engine } from '../engine/engine.js'
import { createReadingEngine, registerStoredSources } from '../engine/store/engine.js'
import type { Plan } from '../plan/plan.js'
import { storedLimits } from '../retention/stored-retention.js'
import { compileSql, rangesOf } from './compile.js'
import type { SqlConfig } from './sql-config.js'
import { writeRows } from './write-rows.js'

/** The settings and streams of a query over a directory. */
export interface QueryContext {
  clock: Clock
  log: Log
  out: RowsOut
}

/** The share of the memory of the machine that rows may take, as by default in a service. */
const MEMORY_SHARE = ROWS_SHARE / 2

/**
 * Runs SQL over a data directory that no service has, and writes the rows. Changes nothing in the directory, and takes
 * no lock. Returns false if segments could not be read. Throws `usage` if the SQL is wrong, the errors of
 * {@link openToRead} and of the query, and EPIPE.
 */
export async function queryDirectory(config: SqlConfig, { clock, log, out }: QueryContext): Promise<boolean> {
  // The SQL may name own sources. A directory that cannot be read is refused after the SQL.
  await registerStoredSources(createDiskFiles(config.directory)).catch(() => {})
  const damage = watchDamage(log)
  const views = await viewsIn(config, { clock, log: damage.log })
  const plan = compileSql(config, clock.nowUs(), out.errorColumns, views?.readable)
  const disk = await openToRead(config.directory, { log })
  const engine = createReadingEngine(disk, rangesOf(plan), {
    clock,
    log: damage.log,
    metrics: createMetrics(),
    rowsLimitBytes: memoryBytes() * MEMORY_SHARE,
    rowLimits: await storedLimits(disk.files),
    ...(views && { readView: views.readView }),
  })
  try {
    for (const deletion of await readOpenDeletions(disk.files)) {
      engine.deleting.hide(deletion)
      views?.hide(deletion)
    }
    await engine.recover()
    await views?.startReading(engine)
    const startedMs = clock.monotonicMs()
    const rows = await engine.run(plan)
    await warnOfNames(plan, clock.monotonicMs() - startedMs, engine, out)
    await writeRows(rows, plan, config, out)
  } catch (error) {
    if (isOfMissingFile(error)) await refuseInUse(config.directory)
    throw error
  } finally {
    await engine.close()
  }
  if (damage.isFound()) await refuseInUse(config.directory)
  return !damage.hasSegments()
}

/** The views of the directory. Undefined if the SQL reads no view, or if the directory cannot be read. */
async function viewsIn({ directory, sql }: SqlConfig, parts: Pick<QueryContext, 'clock' | 'log'>) {
  if (!/\bview\b/i.test(sql)) return undefined
  // Loaded only if needed.
  const { openStoredViews } = await import('../views/catalog/stored-views.js')
  const files = readOnlyFiles(createDiskFiles(directory))
  return storedLimits(files)
    .then((rowLimits) => openStoredViews({ ...parts, files, rowLimits }))
    .catch(() => undefined)
}

/** Prints a warning for each name that no row has. */
async function warnOfNames(plan: Plan, ranMs: number, engine: Pick<Engine, 'run'>, out: RowsOut): Promise<void> {
  const { signal } = new AbortController()
  const run = (other: Plan, until: AbortSignal) => engine.run(other, { signal: until })
  for (const warning of await createNameChecks().warnings({ plan, ranMs, signal, run })) out.warn?.(warning)
}

/** Whether a file was missing or has changed. A service that has started since may have replaced the file. */
function isOfMissingFile(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'ENOENT' || code === 'damaged_segment'
}

/** Returns a log that notes which damage an engine logs. */
function watchDamage(log: Log) {
  const codes = new Set<string | undefined>()
  return {
    log: ((message, fields) => {
      codes.add(fields?.code)
      log(message, fields)
    }) satisfies Log,
    isFound: () => codes.size > 0,
    hasSegments: () => codes.has('segment_damaged'),
  }
}
