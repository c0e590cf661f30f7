import type { Deletion } from '../engine/deletion.js'
import type { Job } from './job.js'
import type { JobFiles } from './job-files.js'

/** A job that is not erased, and the deletion that the engine hides for the job. */
export interface OpenJob {
  job: Job
  deletion: Deletion
}

/** All deletions of a service: those that are open in memory, and those that are erased, which are read when asked. */
export interface Jobs {
  openCount(): number
  /** Returns the oldest open job with an id that is not among those given. */
  nextOpen(others: ReadonlySet<string>): OpenJob | undefined
  /** Adds an open job, or replaces it. */
  setOpen(job: Job, deletion: Deletion): void
  /** Makes an open job an erased one, also in the files. Forgets the oldest erased jobs beyond the limit. */
  setErased(job: Job): Promise<void>
  /** Returns the jobs of projects, or of all, the oldest first. */
  ofProjects(projects: ReadonlySet<string> | undefined): Promise<Job[]>
}

/** Creates the list of jobs, without open ones. */
export function createJobs(files: JobFiles, limits: { kept: number }): Jobs {
  const open = new Map<string, OpenJob>()
  let erased: Promise<Job[]> | undefined

  function erasedJobs(): Promise<Job[]> {
    erased ??= files.readErased().catch((error) => {
      erased = undefined
      throw error
    })
    return erased
  }

  return {
    openCount: () => open.size,
    nextOpen: (others) => [...open.values()].find(({ job }) => !others.has(job.id)),
    setOpen: (job, deletion) => void open.set(job.id, { job, deletion }),
    async setErased(job) {
      const kept = await erasedJobs()
      await files.writeErased(job)
      open.delete(job.id)
      kept.push(job)
      for (const { id } of kept.splice(0, Math.max(0, kept.length - limits.kept))) await files.forget(id)
    },
    async ofProjects(projects) {
      const all = [...(await erasedJobs()), ...[...open.values()].map(({ job }) => job)]
      const found = projects === undefined ? all : all.filter(({ project }) => projects.has(project))
      return found.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
  }
}
