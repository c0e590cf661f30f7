import { MILLISECOND_US } from '../../base/units.js'
import type { SegmentHandle } from '../../engine/store/segment/handle.js'
import type { Limit, SegmentKeeper } from '../../engine/store/tables/keeper.js'
import { BACKUP_MS, type Catalog } from './catalog.js'
import { getsRows, isExpired, type KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'
import { staleBuckets } from './touched-buckets.js'

/**
 * How long a limit may be exceeded before segments are dropped that views still need. Rows that are in memory only grow
 * beyond the limit in that time.
 */
const PRESSURE_MS = { disk: 10_000, memory: 2_000 }

/** Returns the keeper that keeps segments from being dropped until their rows are in the files of all views. */
export const createKeeper = (catalog: Catalog): SegmentKeeper => ({
  mayDrop: (segment, limit) => mayDrop(catalog, segment, limit),
  onRoom() {
    catalog.fullSinceMs = undefined
  },
  bytes: () => [...catalog.retained.keys()].reduce((sum, { bytes }) => sum + bytes, catalog.live.bytes),
})

function mayDrop(catalog: Catalog, segment: SegmentHandle, limit: Limit): boolean {
  // The files of views are not found yet.
  if (catalog.engine === undefined) return false
  if (limit === 'disk') catalog.lastFullMs = catalog.clock.monotonicMs()
  const open = viewsThatNeed(catalog, segment)
  const { stored } = segment
  const ofSegment = stored === undefined ? [] : catalog.live.filesOf(stored.check)
  // Files in memory are not found again by a later process.
  const unreleased = ofSegment.filter(({ isReleased }) => !isReleased && !catalog.isInMemory)
  for (const state of unreleased) catalog.toRelease.add(state)
  if (open.length === 0 && unreleased.length === 0) return limit !== 'retention' || areBackedUp(catalog, ofSegment)
  if (isLate(catalog, limit)) {
    if (stored !== undefined) catalog.wanted.delete(stored.check)
    for (const view of open) reportLost(catalog, view, segment)
    return true
  }
  if (open.length > 0 && stored !== undefined) catalog.wanted.add(stored.check)
  return false
}

/** Whether each backup that has the segment no more has the files with its rows. */
const areBackedUp = ({ clock, isInMemory }: Catalog, states: readonly LiveState[]): boolean =>
  isInMemory || states.every(({ releasedMs }) => clock.monotonicMs() - releasedMs >= BACKUP_MS)

/**
 * The views that get the rows of a segment and have no file with the segment yet, or a file that is written again from
 * the rows that a deletion has left.
 */
function viewsThatNeed(catalog: Catalog, { source, stored, day }: SegmentHandle): KeptView[] {
  const { kept, live, clock } = catalog
  const nowUs = clock.nowUs()
  return [...kept.values()].filter((view) => {
    if (!view.sources.includes(source) || isExpired(view, day, nowUs)) return false
    const file = stored && live.fileOf(view.identity, stored.check)
    return file === undefined ? getsRows(view, stored) : staleBuckets(catalog, file).length > 0
  })
}

/** Whether a limit of bytes has been exceeded for long. The first call starts the time. */
function isLate(catalog: Catalog, limit: Limit): boolean {
  if (limit === 'retention') return false
  const nowMs = catalog.clock.monotonicMs()
  catalog.fullSinceMs ??= nowMs
  return nowMs - catalog.fullSinceMs >= PRESSURE_MS[limit]
}

function reportLost({ log }: Catalog, { keepsUs }: KeptView, { source, minUs, maxUs }: SegmentHandle): void {
  const [from, to] = [minUs, maxUs].map((us) => new Date(us / MILLISECOND_US).toISOString())
  for (const view of keepsUs.keys()) {
    if (view.includes('@')) continue
    log(`The view ${view} lacks rows of ${source} from ${from} to ${to}: the disk was full before they were grouped.`, {
      level: 'error',
      code: 'view_rows_lost',
      view,
      source,
      from,
      to,
    })
  }
}
