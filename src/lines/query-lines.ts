import { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { memoryBytes } from '../base/memory/memory.js'
import type { Clock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'
import { excerptOf } from '../client/caret.js'
import type { RowsOut } from '../client/output.js'
import { compileLines } from './execute/compile.js'
import type { LinesConfig } from './lines-config.js'
import { createReport } from './report.js'
import { runLines } from './run-lines.js'
import { formatOf, writeLines } from './write-lines.js'

/** The settings and streams of a query over lines. */
export interface LinesContext {
  clock: Clock
  log: Log
  out: RowsOut
}

/** Groups and sorted rows take at most this share of the memory, and this many bytes. */
const MEMORY_SHARE = 1 / 8
const MOST_BYTES = 512 * MIB

/**
 * Runs SQL over lines, and writes the rows. Tells at the end which lines were no rows. Throws `usage` if the SQL is
 * wrong, before anything is read; the errors of inputs and of the query; and EPIPE.
 */
export async function queryLines(config: LinesConfig, { clock, log, out }: LinesContext): Promise<void> {
  const nowUs = clock.nowUs()
  const { plan, stage } = compiled(config, nowUs, out)
  const format = formatOf(config, out)
  const limitBytes = Math.min(MOST_BYTES, memoryBytes() * MEMORY_SHARE)
  const isInThreads = stage !== undefined && format !== 'arrow'
  const encoding = format === 'table' ? 'ndjson' : format
  const report = createReport()
  const paths = config.paths.length === 0 ? [undefined] : config.paths
  const rows = runLines({
    plan,
    source: { paths, timeField: config.timeField },
    inThreads: isInThreads ? { sql: config.sql, nowUs, limitBytes, format: encoding } : undefined,
    limitBytes,
    report,
  })
  try {
    await writeLines(rows, plan, format, config, out)
  } finally {
    for (const sentence of report.sentences()) log(sentence, { level: 'warn' })
  }
}

function compiled({ sql, paths }: LinesConfig, nowUs: number, { errorColumns }: RowsOut) {
  try {
    const query = compileLines(sql, nowUs)
    if (paths.length === 0) query.refuseSeveralReads()
    return query
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    throw usageError(error.message + excerptOf(error.message, sql, errorColumns))
  }
}
