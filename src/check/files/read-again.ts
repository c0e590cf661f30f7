import { dirname } from 'node:path/posix'
import { setTimeout as wait } from 'node:timers/promises'
import { isSystemError } from '../../engine/disk/files/file-errors.js'
import type { Files } from '../../engine/disk/files/files.js'
import { fault, hasFault } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'

/** The number of reads of something that seems damaged, and the pause before each further read. */
export interface Rereads {
  times: number
  pauseMs: number
}

/** The rereads of the command: a service replaces a file within milliseconds. */
export const REREADS: Rereads = { times: 5, pauseMs: 100 }

/**
 * Reads something at a path. Returns undefined if it has vanished. A service may replace or delete files during the
 * check: a file that seems damaged is read again, until the file is intact or has the same faults twice in a row.
 */
export async function readAgain(
  files: Files,
  path: string,
  { times, pauseMs }: Rereads,
  read: () => Promise<Report>,
): Promise<Report | undefined> {
  let before: string | undefined
  for (let time = 1; ; time++) {
    const report = await read().catch((error) => reportOfError(path, error))
    if (!hasFault(report.findings)) return report
    if (!(await exists(files, path))) return undefined
    const now = JSON.stringify(report.findings)
    if (now === before || time === times) return report
    before = now
    await wait(pauseMs)
  }
}

/** Whether a path exists. */
export async function exists(files: Files, path: string): Promise<boolean> {
  const parent = dirname(path)
  return (await files.list(parent === '.' ? '' : parent)).includes(path.slice(path.lastIndexOf('/') + 1))
}

/** A file that only another user may read is not damaged. */
const DENIED = ['EACCES', 'EPERM']

function reportOfError(path: string, error: NodeJS.ErrnoException): Report {
  if (error.code === 'newer_format') return reportOf([fault('newer_format', path, error.message)])
  if (error.code !== 'damaged_segment' && !isSystemError(error)) throw error
  const repair = DENIED.includes(error.code!) ? undefined : ({ kind: 'set_aside', path } as const)
  return reportOf([fault('unreadable', path, `it cannot be read: ${error.message}`, { cost: {} })], repair)
}
