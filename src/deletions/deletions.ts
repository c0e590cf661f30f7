import { LogweirError } from '../base/errors.js'
import { type AskedDeletion, type ListedDeletion, MAX_OPEN_DELETIONS } from '../common/deletions.js'
import { allSourceNames, type SourceName } from '../common/sources.js'
import { readCondition } from './condition.js'
import { createEraser } from './eraser.js'
import { createJob, deletionOf, describeJob, type Job, listed } from './job.js'
import { createJobs } from './jobs.js'
import type { DeletionLimits, DeletionsOptions } from './options.js'

/** The deletions of a service. */
export interface Deletions {
  /**
   * Hides the rows of deletions that earlier processes have not erased. Called once, before the engine recovers.
   * Rejects with `failed` if a file of a deletion cannot be read, or not be understood.
   */
  hideOpen(): Promise<void>
  /** Goes on with deletions that are not erased. Called once the engine has recovered. */
  start(): void
  /**
   * Resolves when the deletion is durable and its rows are hidden. `by` describes the token. Throws `invalid_sql`,
   * `unsupported_sql` and `invalid_pattern` for the condition, `too_many_deletions`, `stopping`, and
   * `engine_unavailable` if the deletion cannot be stored.
   */
  accept(asked: AskedDeletion, by: string): Promise<ListedDeletion>
  /** Returns the deletions of projects, or of all, the newest first: at most 1,000. */
  list(projects: ReadonlySet<string> | undefined): Promise<readonly ListedDeletion[]>
  /** Returns the deletion with an id. Undefined if there is none, or not of these projects. */
  find(id: string, projects: ReadonlySet<string> | undefined): Promise<ListedDeletion | undefined>
  /** Interrupts erasing. Resolves when nothing is written any more. The next process goes on. */
  stop(): Promise<void>
}

/** The limits of every service. */
export const DELETION_LIMITS: DeletionLimits = { open: MAX_OPEN_DELETIONS, kept: 10_000, listed: 1_000 }

/** Returns the sources in which an asked deletion deletes rows. */
export const sourcesOfAsked = ({ source }: AskedDeletion): readonly SourceName[] =>
  source === undefined ? allSourceNames() : [source]

/** Creates the deletions, with none yet. */
export function createDeletions({ limits = DELETION_LIMITS, ...options }: DeletionsOptions): Deletions {
  const { engine, files, places, clock, log, metrics } = options
  const jobs = createJobs(files, limits)
  const eraser = createEraser({ ...options, jobs })
  let accepting = 0
  Object.assign(metrics.deletionsOpen, { collect: () => metrics.deletionsOpen.set(jobs.openCount()) })

  function hide(job: Job): Job {
    const deletion = deletionOf(job)
    engine.hide(deletion)
    for (const place of places) place.hide?.(deletion)
    const hidden: Job = { ...job, state: 'hidden' }
    jobs.setOpen(hidden, deletion)
    return hidden
  }

  async function accept(asked: AskedDeletion, by: string): Promise<ListedDeletion> {
    checkCondition(asked)
    if (jobs.openCount() + accepting >= limits.open) throw tooMany(limits.open)
    accepting++
    try {
      const sources = sourcesOfAsked(asked)
      const newest = await engine.closeHeads(sources, asked.project)
      const heads = Object.fromEntries(sources.map((source) => [source, newest.get(source) ?? -1]))
      const job = createJob(asked, heads, by, clock.nowUs())
      eraser.refuseWhileStopping()
      await store(job, options)
      metrics.deletions.inc({ state: 'accepted', by })
      log(`accepted the deletion ${job.id} of ${describeJob(job)}, asked for by the token ${by}`, {
        ...{ code: 'deletion_accepted', deletion: job.id, project: job.project, by },
      })
      return listed(hide(job))
    } finally {
      accepting--
      eraser.work()
    }
  }

  return {
    async hideOpen() {
      for (const job of await files.readOpen()) hide(job)
    },
    start: eraser.start,
    accept,
    async list(projects) {
      const found = await jobs.ofProjects(projects)
      return found.reverse().slice(0, limits.listed).map(listed)
    },
    async find(id, projects) {
      const job = (await jobs.ofProjects(projects)).find((one) => one.id === id)
      return job && listed(job)
    },
    stop: eraser.stop,
  }
}

/** Makes a job durable. Rejects with `engine_unavailable`. */
async function store(job: Job, { files, raiseFormat, log }: DeletionsOptions): Promise<void> {
  try {
    await raiseFormat()
    await files.write(job)
  } catch (error) {
    log(`a deletion cannot be stored: ${(error as Error).message}`, { level: 'error', code: 'deletion_not_stored' })
    throw new LogweirError('engine_unavailable', 'The deletion cannot be stored at the moment. Try again shortly.')
  }
}

/** Throws if a condition cannot be used in a source that the deletion concerns. */
function checkCondition(asked: AskedDeletion): void {
  if (asked.where === undefined) return
  const condition = readCondition(asked.where)
  for (const source of sourcesOfAsked(asked)) condition.of(source)
}

const tooMany = (open: number) =>
  new LogweirError(
    'too_many_deletions',
    `There are ${open} deletions already that are not erased. Send the request again when one is.`,
  )
