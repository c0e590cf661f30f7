import type { Log } from '../../../base/log.js'
import type { Metrics } from '../../../base/metrics.js'
import { reportJournals } from '../../disk/journal/report.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** The most paths in a log line. The other paths are counted. */
const NAMED_PATHS = 5

/** Returns a visitor that counts and logs the damage in a directory. */
export function reportDamage(
  directory: string,
  metrics: Pick<Metrics, 'damagedBytes' | 'damagedSegments' | 'unreadableJournals' | 'misplacedFiles'>,
  log: Log,
): RecoveryVisitor & { pathColumns(path: string, error: Error): void } {
  return {
    ...reportJournals(directory, metrics, log),
    unreadable(path, { message }) {
      metrics.damagedSegments.inc()
      log(`${directory}/${path} cannot be read, and its rows are not shown: ${message}`, {
        level: 'error',
        code: 'segment_damaged',
        path,
      })
    },
    pathColumns(path, { message }) {
      log(`path columns of ${directory}/${path} are damaged. They are made again, and no row is lost: ${message}`, {
        level: 'warn',
        code: 'path_columns_damaged',
        path,
      })
    },
    copy(path, original) {
      metrics.misplacedFiles.inc({ kind: 'copy' })
      log(`${directory}/${path} is a copy of ${original}: its rows are shown once. Remove the copy.`, {
        level: 'warn',
        code: 'file_copied',
        path,
      })
    },
    missing(paths) {
      metrics.misplacedFiles.inc({ kind: 'missing' }, paths.length)
      log(
        `files of rows are missing in ${directory}: ${listOf(paths)}. ` +
          'If nobody has deleted them, restore them from a backup.',
        { level: 'warn', code: 'files_missing', count: paths.length },
      )
    },
    unknown(paths) {
      metrics.misplacedFiles.inc({ kind: 'unknown' }, paths.length)
      log(`${directory} has names that are not of logweir; they are not read: ${listOf(paths)}`, {
        level: 'warn',
        code: 'files_unknown',
        count: paths.length,
      })
    },
    kept(paths) {
      log(`${directory} has damaged files that an earlier start has kept; they are not read: ${listOf(paths)}`, {
        code: 'files_set_aside',
        count: paths.length,
      })
    },
  }
}

function listOf(paths: readonly string[]): string {
  const others = paths.length - NAMED_PATHS
  return paths.slice(0, NAMED_PATHS).join(', ') + (others > 0 ? ` and ${others} more` : '')
}
