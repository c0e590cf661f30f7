import type { Files } from '../../engine/disk/files/files.js'
import type { Report } from '../findings/report.js'
import type { Copies } from './copies.js'

/** What the parts of a check share. */
export interface CheckState {
  /** Whether a service has the directory: its unfinished files are then no leftovers. */
  isInUse: boolean
  files: Files
  copies: Copies
  /** Reads something, again if it seems damaged, and passes its report on. Returns undefined if it has vanished. */
  check(path: string, read: () => Promise<Report>): Promise<Report | undefined>
  /** Passes on a report. */
  add(report: Report): Promise<void>
  /** Takes rows of a journal out of the sums, since they were read again as a segment. */
  subtractRows(rows: number): void
}
