import type { Log } from '../base/log.js'
import type { ServeConfig } from '../config/serve-config.js'
import { readStdin, type StdinReport } from '../ingest/stream/stdin.js'
import type { UnstoredRows } from '../ingest/thread/thread.js'
import type { Intake } from './intake.js'
import type { Shared } from './open-components.js'
import type { ServiceStatus } from './status.js'

/** Starts to read standard input, if the input is a pipe, a socket or a file. Shows progress on a terminal. */
export function startStdin(
  config: ServeConfig,
  { ingest }: Intake,
  status: ServiceStatus,
  { clock, metrics, log }: Shared,
) {
  const showsProgress = process.stderr.isTTY && config.logFormat === 'text'
  const stdin = readStdin({ ingest, metrics, clock, terminal: showsProgress ? process.stderr : undefined })
  if (stdin === undefined) return undefined
  ingest.start()
  stdin.done.then((report) => {
    if (report.error !== undefined) status.degrade()
    logStdinEnd(report, log)
  })
  return stdin
}

function logStdinEnd({ totals, error }: StdinReport, log: Log): void {
  const reasons = Object.entries(totals.byReason).map(([reason, count]) => `${reason} ${count}`)
  const byReason = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const counts = `${totals.taken} rows accepted, ${totals.rejected} rejected${byReason}`
  const facts = { rows: totals.taken, rejected: totals.rejected, reasons: totals.byReason }
  if (error === undefined) log(`standard input ended: ${counts}`, { code: 'stdin_ended', ...facts })
  else log(`standard input failed: ${error.message} ${counts}`, { level: 'error', code: 'stdin_failed', ...facts })
  if (totals.unstored !== undefined) logUnstored(totals.unstored, log)
}

function logUnstored({ rows, reason, fromLine }: UnstoredRows, log: Log): void {
  log(
    `rows of standard input were read and could not be stored: ${rows}. ${reason.message.replace(/\.?$/, '.')} ` +
      `All lines before line ${fromLine} are stored: send the lines from there on again.`,
    { level: 'error', code: 'stdin_not_stored', rows, from_line: fromLine },
  )
}
