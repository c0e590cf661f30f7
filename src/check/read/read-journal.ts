import type { Files } from '../../engine/disk/files/files.js'
import { type JournalVisitor, type RecoveredJournal, recoverJournal } from '../../engine/disk/journal/recover.js'
import type { SourceName } from '../../sources.js'

/**
 * Reads the frames of a journal as a start does. `_source` is the source in its name. Takes the memory of the largest
 * frame. Rejects with the system's error, or with `newer_format`.
 */
export const readFrames = (
  files: Files,
  path: string,
  _source: SourceName,
  visitor: JournalVisitor,
): Promise<RecoveredJournal> => recoverJournal(files, path, visitor)
