import { stateError } from '../base/failures.js'
import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import { type Files, writeFile } from '../engine/disk/files/files.js'
import { isJobId, type Job } from './job.js'

/** The folder of deletions in a data directory. */
export const DELETIONS_FOLDER = 'deletions'
const OPEN_END = '.json'
const ERASED_END = '.erased.json'
/** The end of a file of a deletion that is being written. */
export const NEW_END = '.new'
const FORMAT = { format: 'logweir deletion', version: 1 }

const pathOf = (id: string, end: string) => `${DELETIONS_FOLDER}/${id}${end}`

/** Whether a data directory has deletions, erased or not. */
export const hasJobs = async (files: Files): Promise<boolean> => (await files.list(DELETIONS_FOLDER)).length > 0

/**
 * Returns the deletions of a data directory that are not erased, the oldest first. Rejects with `failed` if a file is
 * damaged: the rows of its deletion would be shown again.
 */
export async function readOpenJobs(files: Files): Promise<Job[]> {
  const erased = new Set(await idsOf(files, ERASED_END))
  const ids = (await idsOf(files, OPEN_END)).filter((id) => !erased.has(id))
  return Promise.all(ids.map((id) => readJob(files, pathOf(id, OPEN_END))))
}

/** Returns the deletions that are erased, the oldest first. Leaves out damaged files. */
async function readErasedJobs(files: Files): Promise<Job[]> {
  const jobs: Job[] = []
  for (const id of await idsOf(files, ERASED_END)) {
    const job = await readJob(files, pathOf(id, ERASED_END)).catch(() => undefined)
    if (job !== undefined) jobs.push(job)
  }
  return jobs
}

/** The files of deletions, one for each. Later calls wait for earlier ones. */
export interface JobFiles {
  /** See {@link readOpenJobs}. Also deletes the files of a process that was killed while it wrote. */
  readOpen(): Promise<Job[]>
  readErased(): Promise<Job[]>
  /** Writes a job that is not erased. Once the promise resolves, the job survives a power cut. */
  write(job: Job): Promise<void>
  /** Replaces the file of a job by that of the erased job. */
  writeErased(job: Job): Promise<void>
  /** Deletes the file of an erased job. */
  forget(id: string): Promise<void>
}

/** Returns the files of deletions in a data directory. */
export function createJobFiles(files: Files): JobFiles {
  const queue = createSerialQueue()

  async function replace(job: Job, end: string): Promise<void> {
    await files.makeDirectory(DELETIONS_FOLDER)
    await files.syncDirectory('')
    const [path, next] = [pathOf(job.id, end), pathOf(job.id, NEW_END)]
    await writeFile(files, next, [Buffer.from(`${JSON.stringify({ ...FORMAT, ...job })}\n`)])
    await files.rename(next, path)
    await files.syncDirectory(DELETIONS_FOLDER)
  }

  async function removeOpen(id: string): Promise<void> {
    await files.remove(pathOf(id, OPEN_END))
    await files.syncDirectory(DELETIONS_FOLDER)
  }

  async function removeUnfinished(): Promise<void> {
    const erased = new Set(await idsOf(files, ERASED_END))
    for (const id of await idsOf(files, NEW_END)) await files.remove(pathOf(id, NEW_END))
    for (const id of await idsOf(files, OPEN_END)) if (erased.has(id)) await removeOpen(id)
  }

  return {
    readOpen: () => queue.run(() => removeUnfinished().then(() => readOpenJobs(files))),
    readErased: () => queue.run(() => readErasedJobs(files)),
    write: (job) => queue.run(() => replace(job, OPEN_END)),
    writeErased: (job) => queue.run(() => replace(job, ERASED_END).then(() => removeOpen(job.id))),
    forget: (id) => queue.run(() => files.remove(pathOf(id, ERASED_END))),
  }
}

/** Returns the ids of the files with an end, the oldest first. */
async function idsOf(files: Files, end: string): Promise<string[]> {
  const names = (await files.list(DELETIONS_FOLDER)).filter((name) => name.endsWith(end))
  return names
    .map((name) => name.slice(0, -end.length))
    .filter(isJobId)
    .sort()
}

async function readJob(files: Files, path: string): Promise<Job> {
  const file = await files.openToRead(path)
  try {
    const bytes = Buffer.alloc(file.bytes)
    return parseJob(bytes.toString('utf8', 0, await file.readAt(0, bytes)), path)
  } finally {
    await file.close()
  }
}

/** Parses the file of a deletion. Throws `failed` if it is damaged. */
export function parseJob(text: string, path: string): Job {
  try {
    const { format, version, ...job } = JSON.parse(text)
    if (format === FORMAT.format && version === FORMAT.version) return job
  } catch {}
  throw stateError(
    `${path} in the data directory is damaged: it is a deletion, whose rows would be shown again. ` +
      'Restore the file, or remove it and delete the rows again.',
  )
}
