import { createYielder } from '../../../base/scheduling/time-slices.js'
import type { Clock } from '../../../base/time/clock.js'
import { MINUTE_US } from '../../../base/units.js'
import type { Batch } from '../../execute/columns/batch.js'
import { range, type Selection, sizeOf, without } from '../../execute/columns/selection.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { Segment } from '../segment/segment.js'
import type { SegmentKeeper } from '../tables/keeper.js'
import type { Store } from '../tables/store.js'
import { rowsOfIndex } from '../usage/counts.js'
import type { ProjectIndexes } from '../usage/project-indexes.js'

/**
 * Removes the oldest rows of the project that takes the most, when the files come near their limit. Unlike other
 * removals it does not wait while rows arrive fast: these rows would fill the disk in the meantime.
 */
export interface LargestEviction {
  /** Starts to remove rows if the files take too much, unless that runs or has found nothing to remove lately. */
  enforce(): void
  /** Ends the work. Resolves when no row is being removed any more. */
  stop(): Promise<void>
}

interface LargestEvictionOptions {
  store: Pick<Store, 'segments' | 'removeRows'>
  indexes: ProjectIndexes
  keeper: Pick<SegmentKeeper, 'mayDrop'>
  clock: Pick<Clock, 'monotonicMs'>
  /** The bytes of all files, and the most that they may take. */
  bytes(): number
  limitBytes: number
  /** Called with the number of rows that were removed from a segment. */
  onRemoved(segment: SegmentHandle, rows: number): void
  onFailure(error: Error): void
}

/** Rows are removed from this share of the limit on: at the limit itself the oldest segments of all projects go. */
const START_SHARE = 15 / 16
/** Rows are removed until the files take this share, so that not every batch starts the work again. */
const END_SHARE = 14 / 16
/** Pause after a failure, and if nothing may be removed, in milliseconds. */
const PAUSE_MS = MINUTE_US / 1_000

/** Returns an eviction that does nothing yet. */
export function createLargestEviction(options: LargestEvictionOptions): LargestEviction {
  const { clock, bytes, limitBytes, onFailure } = options
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  async function run(): Promise<void> {
    try {
      const isDone = () => bytes() <= limitBytes * END_SHARE
      if (!(await evict(options, isDone, stopping.signal))) pausedUntilMs = clock.monotonicMs() + PAUSE_MS
    } catch (error) {
      if (stopping.signal.aborted) return
      pausedUntilMs = clock.monotonicMs() + PAUSE_MS
      onFailure(error as Error)
    } finally {
      running = undefined
    }
  }

  return {
    enforce() {
      if (running !== undefined || stopping.signal.aborted || bytes() <= limitBytes * START_SHARE) return
      if (clock.monotonicMs() >= pausedUntilMs) running = run()
    },
    async stop() {
      stopping.abort(new Error('The engine closes.'))
      await running
    },
  }
}

/** The sealed rows of a project. */
interface ProjectShare {
  project: string | undefined
  bytes: number
  /** The segments that have rows of the project, oldest first. */
  segments: number[]
}

/**
 * Removes rows until it is done: each time those of the project that takes the most, in its oldest segment. Returns
 * false if nothing is left to be removed before.
 */
async function evict(options: LargestEvictionOptions, isDone: () => boolean, signal: AbortSignal): Promise<boolean> {
  const segments: (SegmentHandle | undefined)[] = [...options.store.segments()].sort(oldestFirst)
  const shares = await sharesOf(segments as SegmentHandle[], options.indexes, signal)
  while (!isDone()) {
    signal.throwIfAborted()
    const largest = largestOf(shares)
    if (largest === undefined) return false
    const place = largest.segments.shift()!
    const segment = segments[place]
    if (segment === undefined || !options.keeper.mayDrop(segment, 'disk')) continue
    const removed = await options.store.removeRows(segment, (batch) => rowsOfOthers(batch, largest.project))
    // Otherwise the segment was dropped at the same time.
    segments[place] = removed?.segment
    if (removed === undefined) continue
    largest.bytes -= removed.bytes
    options.onRemoved(segment, removed.rows)
  }
  return true
}

const oldestFirst = (a: SegmentHandle, b: SegmentHandle) => a.day - b.day || a.minUs - b.minUs

async function sharesOf(
  segments: readonly SegmentHandle[],
  indexes: ProjectIndexes,
  signal: AbortSignal,
): Promise<ProjectShare[]> {
  const yieldIfDue = createYielder(signal)
  const shares = new Map<string | undefined, ProjectShare>()
  for (const [place, segment] of segments.entries()) {
    const index = await indexes.of(segment)
    for (const { project: name, rows } of index === undefined ? [] : rowsOfIndex(index, segment.day)) {
      // The empty text is no project, as in every list of projects.
      const project = name || undefined
      const share = shares.get(project) ?? { project, bytes: 0, segments: [] }
      share.bytes += (rows / segment.rows) * segment.fileBytes
      if (share.segments.at(-1) !== place) share.segments.push(place)
      shares.set(project, share)
    }
    await yieldIfDue()
  }
  return [...shares.values()]
}

/** Returns the share with the most bytes that has segments. */
function largestOf(shares: readonly ProjectShare[]): ProjectShare | undefined {
  let largest: ProjectShare | undefined
  for (const share of shares) {
    if (share.segments.length > 0 && (largest === undefined || share.bytes > largest.bytes)) largest = share
  }
  return largest
}

/** Returns the rows of a segment that are not of a project. */
async function rowsOfOthers(batch: Batch, project: string | undefined): Promise<Selection> {
  const all = range(0, batch.rows, false)
  if (project !== undefined) return without(all, batch.projectRows(project))
  // Rows without a project are first, those with an empty name follow.
  const { starts } = (batch as Segment).projects
  return range(starts[0] + sizeOf(batch.projectRows('')), batch.rows, false)
}
