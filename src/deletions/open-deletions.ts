import { stateError } from '../base/failures.js'
import type { Deletion } from '../engine/deletion.js'
import type { Files } from '../engine/disk/files/files.js'
import { deletionOf } from './job.js'
import { readOpenJobs } from './job-files.js'

/**
 * Returns the deletions to be hidden in a data directory that no service has: those that are not erased. Rejects with
 * `failed` if a file of a deletion is damaged.
 */
export async function readOpenDeletions(files: Files): Promise<Deletion[]> {
  return (await readOpenJobs(files)).map(deletionOf)
}

/** Rejects with `failed` if a data directory has rows that are deleted and not erased. */
export async function refuseOpenDeletions(files: Files, directory: string): Promise<void> {
  const [job] = await readOpenJobs(files)
  if (job === undefined) return
  throw stateError(
    `${directory} has rows of a deletion that is not erased yet. Start the service until GET /api/deletions ` +
      'says that it is, stop it, and try again.',
  )
}
