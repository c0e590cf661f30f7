import type { Files } from '../../engine/disk/files/files.js'
import type { Report } from '../findings/report.js'
import type { Copies } from './copies.js'

/** The shared state of the parts of a check. */
export interface CheckState {
  /** Whether a service has the directory: unfinished files of the service are then no leftovers. */
  isInUse: boolean
  files: Files
  copies: Copies
  /** Reads a file, again if the file seems damaged. Passes the report on. Undefined if the file has vanished. */
  check(path: string, read: () => Promise<Report>): Promise<Report | undefined>
  /** Passes on a report. */
  add(report: Report): Promise<void>
  /** Subtracts the rows of a journal from the sums, since the rows were read again as a segment. */
  subtractRows(rows: number): void
}
