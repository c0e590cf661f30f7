import type { Damage } from '../../../disk/journal/recover.js'

/** Receives what recovery finds; recovery continues. */
export interface RecoveryVisitor {
  /** Called with a damaged stretch of a journal; its rows are lost. */
  damage(stretch: Damage): Promise<void> | void
  /** Called with an incomplete frame at the end of a journal, which a killed process left. No row was visible. */
  torn(stretch: Damage): Promise<void> | void
  /** Called with a segment that cannot be read. Its files stay in place; its rows are not visible. */
  unreadable(path: string, error: Error): void
  /**
   * Called with a file whose rows are visible from another one too. It stays in place; its rows are not shown twice.
   */
  copy(path: string, original: string): void
  /** Called with the paths of segments, or of journals that would be there, whose rows are nowhere. */
  missing(paths: readonly string[]): void
  /** Called with the paths of files that have no name of logweir. They are not read. */
  unknown(paths: readonly string[]): void
  /** Called with the paths of damaged files that earlier starts have kept. They are not read. */
  kept(paths: readonly string[]): void
}
