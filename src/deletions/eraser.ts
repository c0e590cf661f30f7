import { LogweirError } from '../base/errors.js'
import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import { formatIso8601, parseIso8601 } from '../base/time/iso8601.js'
import type { DroppedGroups } from '../common/deletions.js'
import { describeJob, isOfWholeProject, type Job } from './job.js'
import type { Jobs, OpenJob } from './jobs.js'
import type { DeletionsOptions } from './options.js'

/** The time until a deletion that failed is tried again. */
const RETRY_MS = 30_000

/** Erases open jobs in the background, the oldest first, one at a time. */
interface Eraser {
  /** Erases the open jobs, also those that failed before. Does nothing before the start. */
  work(): void
  start(): void
  /** Throws `stopping` after {@link stop}. */
  refuseWhileStopping(): void
  /** Interrupts the work. Resolves when nothing is written any more. */
  stop(): Promise<void>
}

interface EraserOptions extends Omit<DeletionsOptions, 'limits' | 'raiseFormat'> {
  jobs: Jobs
}

/** Creates the eraser, which waits for its start. */
export function createEraser(options: EraserOptions): Eraser {
  const { jobs, clock } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const queue = createSerialQueue()
  let stopRetrying: (() => void) | undefined

  async function eraseAll(): Promise<void> {
    const tried = new Set<string>()
    for (let next = jobs.nextOpen(tried); next !== undefined; next = jobs.nextOpen(tried)) {
      if (signal.aborted) return
      const { job } = next
      tried.add(job.id)
      await erase(next, options, signal).catch((error) => {
        if (!signal.aborted) reportFailure(job, error, options)
      })
    }
  }

  function work(): void {
    if (stopRetrying !== undefined && !signal.aborted) void queue.run(eraseAll)
  }

  return {
    work,
    start() {
      stopRetrying ??= clock.every(RETRY_MS, work)
      work()
    },
    refuseWhileStopping() {
      if (signal.aborted) throw signal.reason
    },
    async stop() {
      stopping.abort(new LogweirError('stopping', 'The service is shutting down. Try again when it is back.'))
      stopRetrying?.()
      await queue.settled()
    },
  }
}

async function erase({ job, deletion }: OpenJob, options: EraserOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, jobs, log, metrics } = options
  const rest = await eraseFromPlaces({ job, deletion }, options, signal)
  const { rows, bytes } = await engine.erase(deletion, signal)
  const end = { state: 'erased', where: null, erased: formatIso8601(clock.nowUs()) } as const
  for (const place of options.places) place.forget?.(job.id)
  await jobs.setErased({ ...rest, ...end, rows, bytes: Math.round(bytes) })
  metrics.deletions.inc({ state: 'erased', by: job.by })
  metrics.deletedRows.inc(rows)
  log(`erased the deletion ${job.id} of ${describeJob(job)}; rows: ${rows}`, {
    ...{ code: 'deletion_erased', deletion: job.id, project: job.project, by: job.by, rows },
  })
}

/** Returns the job with the groups that were dropped. */
async function eraseFromPlaces(
  { job, deletion }: OpenJob,
  { places, jobs, files }: EraserOptions,
  signal: AbortSignal,
): Promise<Job> {
  let changed = job
  async function saveDropped(dropped: readonly DroppedGroups[]): Promise<void> {
    changed = { ...changed, dropped_groups: dropped }
    jobs.setOpen(changed, deletion)
    await files.write(changed)
  }

  const acceptedUs = parseIso8601(job.accepted)!
  const erasing = { deletion, acceptedUs, isOfWholeProject: isOfWholeProject(job), saveDropped }
  for (const place of places) {
    signal.throwIfAborted()
    await place.erase?.({ ...erasing, dropped: changed.dropped_groups }, signal)
  }
  return changed
}

function reportFailure({ id }: Job, error: Error, { log }: EraserOptions): void {
  log(`the deletion ${id} cannot be erased yet, and is tried again: ${error.message}`, {
    ...{ level: 'error', code: 'deletion_failed', deletion: id },
  })
}
