import type { Damage } from '../../disk/journal/recover.js'

/** Receives the findings of recovery. Recovery continues. */
export interface RecoveryVisitor {
  /** Called with a damaged stretch of a journal. The rows of the stretch are lost. */
  damage(stretch: Damage): Promise<void> | void
  /** Called with an incomplete frame at the end of a journal, a leftover of a killed process. No row was visible. */
  torn(stretch: Damage): Promise<void> | void
  /** Called with a segment that cannot be read. The files stay in place. The rows are not visible. */
  unreadable(path: string, error: Error): void
  /**
   * Called with a file if the rows are visible from another file too. The file stays in place. The rows are shown once.
   */
  copy(path: string, original: string): void
  /** Called with the paths of missing segments, or of the journals of missing heads. */
  missing(paths: readonly string[]): void
  /** Called with the paths of files that have no name of logweir. These files are not read. */
  unknown(paths: readonly string[]): void
  /** Called with the paths of damaged files that earlier starts have kept. These files are not read. */
  kept(paths: readonly string[]): void
}
