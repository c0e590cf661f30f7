import type { RowRange } from '../../engine/store/export/batches.js'
import type { HeadId } from '../../engine/store/files/file-names.js'

/** A repair of one file or directory by `--repair`. */
export type Repair =
  /** Moves the file or directory to `damaged`. */
  | { kind: 'set_aside'; path: string }
  /** Deletes a leftover that the next start would delete. */
  | { kind: 'remove'; path: string }
  /** Writes a journal again with the intact frames. Keeps the bytes between the frames in `damaged`. */
  | { kind: 'rewrite_journal'; path: string; source: HeadId['source'] }
  /** Sets a copy of a journal aside, or writes the copy again with the frames that `original` does not have. */
  | { kind: 'reduce_copy'; path: string; original: string; source: HeadId['source'] }
  /** Sets a segment aside, and writes the intact rows to a new journal. */
  | { kind: 'salvage_segment'; path: string; id: HeadId; salvage: Salvage }
  /** Moves a segment, or the journal of a head, to its place. If the place is taken, uses the next free number. */
  | { kind: 'move_segment'; path: string; id: HeadId & { part: number; day: number } }
  | { kind: 'move_journal'; path: string; id: HeadId }
  /** Moves a journal of unconfirmed rows to its place. If the place is taken, uses the next free time. */
  | { kind: 'move_group'; path: string; id: { source: HeadId['source']; arrivedUs: number } }
  /** Moves the rows that an interrupted repair has written from `damaged` to a new journal. */
  | { kind: 'finish_salvage'; path: string; source: HeadId['source'] }
  /** Writes the rejects file again without the damaged lines. */
  | { kind: 'rewrite_rejects'; path: string }
  /** Writes a new format file. */
  | { kind: 'write_format'; path: string }

/** The intact rows of a damaged segment. */
export interface Salvage {
  /** Ranges of rows with all cold texts. */
  ranges: readonly RowRange[]
  /** The own hot columns that are intact. Values of the other own columns are read from the metadata. */
  columns: readonly string[]
}

/** The order in which repairs are made: repairs that other repairs rely on come first. */
export const REPAIR_ORDER: readonly Repair['kind'][] = [
  'finish_salvage',
  'rewrite_journal',
  'reduce_copy',
  'move_journal',
  'move_group',
  'salvage_segment',
  'set_aside',
  'move_segment',
  'remove',
  'rewrite_rejects',
  'write_format',
]
