import { LogweirError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import { formatIso8601, parseIso8601 } from '../base/time/iso8601.js'
import { type AskedDeletion, type DroppedGroups, type ListedDeletion, MAX_OPEN_DELETIONS } from '../common/deletions.js'
import { allSourceNames, type SourceName } from '../common/sources.js'
import type { DeletingEngine, Deletion } from '../engine/deletion.js'
import { readCondition } from './condition.js'
import { createJob, deletionOf, isOfWholeProject, type Job, listed } from './job.js'
import type { JobFiles } from './job-files.js'

/** A place outside of the engine that has deleted rows, or what was made of them. */
export interface DeletionPlace {
  /** Hides the rows from every read that starts from now on. Called before recovery too. */
  hide?(deletion: Deletion): void
  /**
   * Removes the rows for good. May be called again for a deletion that was interrupted. Resolves with the groups of
   * views that were dropped, if any.
   */
  erase?(erasing: Erasing, signal: AbortSignal): Promise<readonly DroppedGroups[] | undefined>
}

/** A deletion that is erased from a place. */
export interface Erasing {
  deletion: Deletion
  acceptedUs: number
  /** Whether all rows of the project are deleted that there were. */
  isOfWholeProject: boolean
}

/** What deletions need from the service. */
export interface DeletionsOptions {
  engine: DeletingEngine
  files: JobFiles
  /** The other places, in the order in which rows are erased from them. The engine comes last. */
  places: readonly DeletionPlace[]
  /** Called before the first deletion is stored: earlier versions would show its rows. */
  raiseFormat(): Promise<void>
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'deletions' | 'deletionsOpen' | 'deletedRows'>
  limits?: { open: number; kept: number; listed: number }
}

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
   * `unsupported_sql` and `invalid_pattern` for the condition, `too_many_deletions`, and `engine_unavailable` if the
   * deletion cannot be stored.
   */
  accept(asked: AskedDeletion, by: string): Promise<ListedDeletion>
  /** Returns the deletions of projects, or of all, the newest first: at most 1,000. */
  list(projects: ReadonlySet<string> | undefined): Promise<readonly ListedDeletion[]>
  /** Returns the deletion with an id. Undefined if there is none, or not of these projects. */
  find(id: string, projects: ReadonlySet<string> | undefined): Promise<ListedDeletion | undefined>
  /** Interrupts erasing. Resolves when nothing is written any more. The next process goes on. */
  stop(): Promise<void>
}

/** How many deletions may be open, how many erased ones are kept, and how many a list has. */
const LIMITS = { open: MAX_OPEN_DELETIONS, kept: 10_000, listed: 1_000 }
/** The time until a deletion that failed is tried again. */
const RETRY_MS = 30_000

/** Returns the sources in which an asked deletion deletes rows. */
export const sourcesOfAsked = ({ source }: AskedDeletion): readonly SourceName[] =>
  source === undefined ? allSourceNames() : [source]

/** Creates the deletions, with none yet. */
export function createDeletions(options: DeletionsOptions): Deletions {
  const { engine, files, places, clock, log, metrics, limits = LIMITS } = options
  /** Jobs that are not erased, the oldest first, by id. */
  const open = new Map<string, { job: Job; deletion: Deletion }>()
  let accepting = 0
  let erased: Promise<Job[]> | undefined
  let working: Promise<void> | undefined
  let stopRetrying = () => {}
  const stopping = new AbortController()
  Object.assign(metrics.deletionsOpen, { collect: () => metrics.deletionsOpen.set(open.size) })

  function erasedJobs(): Promise<Job[]> {
    erased ??= files.readErased().catch((error) => {
      erased = undefined
      throw error
    })
    return erased
  }

  function hide(job: Job, deletion = deletionOf(job)): Job {
    engine.hide(deletion)
    for (const place of places) place.hide?.(deletion)
    const hidden: Job = { ...job, state: 'hidden' }
    open.set(job.id, { job: hidden, deletion })
    return hidden
  }

  async function accept(asked: AskedDeletion, by: string): Promise<ListedDeletion> {
    checkCondition(asked)
    if (open.size + accepting >= limits.open) throw tooMany(limits.open)
    accepting++
    try {
      const sources = sourcesOfAsked(asked)
      const newest = await engine.closeHeads(sources)
      const heads = Object.fromEntries(sources.map((source) => [source, newest.get(source) ?? -1]))
      const job = createJob(asked, heads, by, clock.nowUs())
      await store(job)
      metrics.deletions.inc({ state: 'accepted', by })
      log(`accepted the deletion ${job.id} of ${describe(job)}, asked for by the token ${by}`, {
        ...{ code: 'deletion_accepted', deletion: job.id, project: job.project, by },
      })
      return listed(hide(job))
    } finally {
      accepting--
      work()
    }
  }

  async function store(job: Job): Promise<void> {
    if (stopping.signal.aborted) throw new LogweirError('stopping', 'The service is shutting down. Try again later.')
    try {
      await options.raiseFormat()
      await files.write(job)
    } catch (error) {
      log(`a deletion cannot be stored: ${(error as Error).message}`, { level: 'error', code: 'deletion_not_stored' })
      throw new LogweirError('engine_unavailable', 'The deletion cannot be stored at the moment. Try again shortly.')
    }
  }

  /** Erases the open jobs one after the other. */
  function work(): void {
    working ??= eraseOpen().finally(() => {
      working = undefined
    })
  }

  async function eraseOpen(): Promise<void> {
    const tried = new Set<string>()
    for (let next = nextOf(tried); next !== undefined; next = nextOf(tried)) {
      tried.add(next.job.id)
      await erase(next.job, next.deletion).catch((error) => {
        if (!stopping.signal.aborted) reportFailure(next!.job, error)
      })
    }
  }

  const nextOf = (tried: ReadonlySet<string>) =>
    stopping.signal.aborted ? undefined : [...open.values()].find(({ job }) => !tried.has(job.id))

  async function erase(job: Job, deletion: Deletion): Promise<void> {
    const rest = await eraseFromPlaces(job, deletion)
    const { rows, bytes } = await engine.erase(deletion, stopping.signal)
    await finish({ ...rest, state: 'erased', where: null, erased: formatIso8601(clock.nowUs()), rows, bytes })
  }

  /** Returns the job with the groups that were dropped. They are stored at once: they cannot be found a second time. */
  async function eraseFromPlaces(job: Job, deletion: Deletion): Promise<Job> {
    const acceptedUs = parseIso8601(job.accepted)!
    const erasing = { deletion, acceptedUs, isOfWholeProject: isOfWholeProject(job) }
    let changed = job
    for (const place of places) {
      stopping.signal.throwIfAborted()
      const dropped = (await place.erase?.(erasing, stopping.signal)) ?? []
      if (dropped.length === 0) continue
      changed = { ...changed, dropped_groups: distinct([...changed.dropped_groups, ...dropped]) }
      open.set(job.id, { job: changed, deletion })
      await files.write(changed)
    }
    return changed
  }

  async function finish(job: Job): Promise<void> {
    const kept = await erasedJobs()
    await files.writeErased(job)
    open.delete(job.id)
    kept.push(job)
    for (const { id } of kept.splice(0, Math.max(0, kept.length - limits.kept))) await files.forget(id)
    metrics.deletions.inc({ state: 'erased', by: job.by })
    metrics.deletedRows.inc(job.rows ?? 0)
    log(`erased the deletion ${job.id} of ${describe(job)}: ${job.rows} rows`, {
      ...{ code: 'deletion_erased', deletion: job.id, project: job.project, by: job.by, rows: job.rows ?? 0 },
    })
  }

  function reportFailure({ id }: Job, error: Error): void {
    log(`the deletion ${id} cannot be erased yet, and is tried again: ${error.message}`, {
      ...{ level: 'error', code: 'deletion_failed', deletion: id },
    })
  }

  async function visible(projects: ReadonlySet<string> | undefined): Promise<Job[]> {
    const jobs = [...(await erasedJobs()), ...[...open.values()].map(({ job }) => job)]
    return projects === undefined ? jobs : jobs.filter(({ project }) => projects.has(project))
  }

  return {
    async hideOpen() {
      for (const job of await files.readOpen()) hide(job)
    },
    start() {
      stopRetrying = clock.every(RETRY_MS, work)
      work()
    },
    accept,
    async list(projects) {
      const newestFirst = (await visible(projects)).sort((a, b) => (a.id < b.id ? 1 : -1))
      return newestFirst.slice(0, limits.listed).map(listed)
    },
    async find(id, projects) {
      const job = (await visible(projects)).find((one) => one.id === id)
      return job && listed(job)
    },
    async stop() {
      stopping.abort(new LogweirError('stopping', 'The service is shutting down.'))
      stopRetrying()
      await working
    },
  }
}

/** Throws if a condition cannot be used in a source that the deletion concerns. */
function checkCondition(asked: AskedDeletion): void {
  if (asked.where === undefined) return
  const condition = readCondition(asked.where)
  for (const source of sourcesOfAsked(asked)) condition.of(source)
}

const distinct = (groups: readonly DroppedGroups[]) => [
  ...new Map(groups.map((one) => [JSON.stringify(one), one])).values(),
]

const tooMany = (open: number) =>
  new LogweirError(
    'too_many_deletions',
    `There are ${open} deletions already that are not erased. Send the request again when one is.`,
  )

/** Names what a job deletes, without the text of the condition. */
function describe({ project, source, start, end, where_sha256 }: ListedDeletion): string {
  const rows = source === null ? 'all sources' : source
  const time = start === null && end === null ? '' : `, from ${start ?? 'the first row'} to ${end ?? 'the last row'}`
  return `${rows} of the project ${JSON.stringify(project)}${time}${where_sha256 === null ? '' : ', by a condition'}`
}
