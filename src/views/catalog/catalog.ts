import type { Log } from '../../base/log.js'
import { createSerialQueue, type SerialQueue } from '../../base/scheduling/serial-queue.js'
import type { Clock } from '../../base/time/clock.js'
import { GIB, HOUR_US } from '../../base/units.js'
import type { RowLimits } from '../../engine/deletion.js'
import { createFormatRaiser, VIEWS_FORMAT } from '../../engine/disk/directory/format.js'
import type { Files } from '../../engine/disk/files/files.js'
import { createMemoryFiles } from '../../engine/disk/files/memory-files.js'
import type { ArrowEngine } from '../../engine/store/engine.js'
import { type ActiveReaders, createActiveReaders } from '../../engine/store/tables/active-readers.js'
import { isDamaged } from '../state/damage.js'
import { createDayCache, type DayCache } from './day-cache.js'
import type { KeptView } from './kept-view.js'
import { type LiveState, LiveStates } from './live-states.js'
import { EMPTY_MANIFEST, type Manifest, writeManifest } from './manifest.js'
import type { DeletionOfGroups } from './touched-buckets.js'

/** The rows that views group. */
export type GroupableEngine = Pick<ArrowEngine, 'groupable' | 'enforceLimits' | 'seal'>

/** The state of all views of a service, which the functions of this folder share. */
export interface Catalog {
  /** The data directory, or files in memory. */
  readonly files: Files
  /** Whether the rows and the files of views are lost when the process ends. */
  readonly isInMemory: boolean
  readonly clock: Clock
  readonly log: Log
  readonly viewBytes: number
  /** A day that has so many files is written as a single file with the next segments. */
  readonly dayFiles: number
  readonly live: LiveStates
  /** By identity. */
  kept: ReadonlyMap<string, KeptView>
  /** The names of the views that have a file of SQL. */
  current: ReadonlySet<string>
  manifest: Manifest
  /** Whether the manifest on disk is an older one. */
  isManifestOld: boolean
  nextNumber: number
  /** Readers of live files, which must not be deleted before. */
  readonly readers: ActiveReaders
  readonly removals: SerialQueue
  raiseFormat(): Promise<void>
  readonly days: DayCache
  /** Undefined until all rows are recovered and all files of views are found. */
  engine: GroupableEngine | undefined
  /** Files with segments that are to be dropped. */
  readonly toRelease: Set<LiveState>
  /** Checks of segments that are to be dropped once the segments are in the files of the views. */
  readonly wanted: Set<string>
  /** When the limit of the disk or of rows in memory was exceeded, in milliseconds of the monotonic clock. */
  fullSinceMs: number | undefined
  /** When the limit of the disk was exceeded last. */
  lastFullMs: number
  /** Replaced files that stay for backups, and when they may be deleted. */
  readonly retained: Map<LiveState, number>
  /** The deletions that are not finished. Replaced as a whole. */
  deletions: readonly DeletionOfGroups[]
  /** The queue of writes of files and the manifest, a piece of work at a time. */
  readonly writing: SerialQueue
  readonly rowLimits: ViewLimits
}

/** The part of the limits of rows and groups that views use. */
export interface ViewLimits extends Pick<RowLimits, 'hiddenThroughUs'> {
  /** Returns the time through which groups of a project, or without a project, are hidden at a time. */
  viewsHiddenThroughUs(project: string | undefined, nowUs: number): number
}

/** Where the files of views are, and their limits. */
export interface CatalogOptions {
  /** The data directory. Undefined if rows are in memory only. */
  files: Files | undefined
  clock: Clock
  log: Log
  /** Bytes of the files of all views, of which each view has an equal share. */
  viewBytes?: number
  dayFiles?: number
  rowLimits?: ViewLimits | undefined
}

/** The bytes of the files of all views by default. */
export const VIEW_BYTES = GIB
const DAY_FILES = 4
const NEVER = () => Number.NEGATIVE_INFINITY
/** No project has a limit of its own. */
export const NO_LIMITS: ViewLimits = { hiddenThroughUs: NEVER, viewsHiddenThroughUs: NEVER }

/** Returns a catalog without views. */
export const createCatalog = ({
  files,
  clock,
  log,
  viewBytes = VIEW_BYTES,
  dayFiles = DAY_FILES,
  rowLimits = NO_LIMITS,
}: CatalogOptions): Catalog => ({
  files: files ?? createMemoryFiles(),
  isInMemory: files === undefined,
  clock,
  log,
  viewBytes,
  dayFiles,
  live: new LiveStates(),
  kept: new Map(),
  current: new Set(),
  manifest: EMPTY_MANIFEST,
  isManifestOld: false,
  nextNumber: 1,
  readers: createActiveReaders(),
  removals: createSerialQueue(),
  raiseFormat: files === undefined ? async () => {} : createFormatRaiser(files, VIEWS_FORMAT),
  days: createDayCache(),
  engine: undefined,
  toRelease: new Set(),
  wanted: new Set(),
  fullSinceMs: undefined,
  lastFullMs: Number.NEGATIVE_INFINITY,
  retained: new Map(),
  deletions: [],
  writing: createSerialQueue(),
  rowLimits,
})

/** Writes the manifest, with changes. The manifest in memory changes once it is on disk. */
export async function saveManifest(catalog: Catalog, changes: Partial<Omit<Manifest, 'views'>> = {}): Promise<void> {
  const { files } = catalog
  await catalog.raiseFormat()
  const { views } = catalog.manifest
  await writeManifest(files, { ...catalog.manifest, ...changes })
  // The views may have changed since.
  catalog.isManifestOld = catalog.manifest.views !== views
  catalog.manifest = { ...catalog.manifest, ...changes }
}

/**
 * A backup copies the files of views before the rows. A copy that takes less than this time is complete: a segment
 * stays for this time after the list of views says that the segment may be gone. So does a file with such a segment
 * after another file has replaced the file. Otherwise a copy could have neither a segment nor the file with its rows.
 */
export const BACKUP_MS = HOUR_US / 1000

/**
 * Deletes files that others have replaced. A file with segments that may be gone stays for a while, for backups, unless
 * the disk is full. Without the file, its segments are grouped again.
 */
export function removeReplaced(catalog: Catalog, states: readonly LiveState[]): void {
  const { clock, lastFullMs, retained } = catalog
  const nowMs = clock.monotonicMs()
  const stays = ({ isReleased }: LiveState) => isReleased && nowMs - lastFullMs > BACKUP_MS
  for (const state of states.filter(stays)) retained.set(state, nowMs + BACKUP_MS)
  removeFiles(
    catalog,
    states.filter((state) => !retained.has(state)),
  )
}

/** Deletes the replaced files that have stayed for long enough. */
export function removeRetained(catalog: Catalog): void {
  const { clock, retained } = catalog
  const due = [...retained].filter(([, dueMs]) => clock.monotonicMs() >= dueMs).map(([state]) => state)
  for (const state of due) retained.delete(state)
  removeFiles(catalog, due)
}

/** Deletes files that are no longer live, once no query reads them. A file that stays is deleted by the next start. */
export function removeFiles({ files, removals, readers }: Catalog, states: readonly LiveState[]): void {
  for (const { path } of states) {
    const work = () => readers.drained().then(() => files.remove(path))
    removals.run(work).catch(() => {})
  }
}

/** Forgets a damaged file, which stays on disk, and logs the damage. Does nothing for another error. */
export function setAsideDamaged({ live, log, kept }: Catalog, states: readonly LiveState[], error: unknown): void {
  if (!isDamaged(error)) return
  const { message } = error as Error
  for (const state of states) {
    if (!message.includes(state.path)) continue
    live.remove(state)
    for (const { check } of state.facts.segments) kept.get(state.facts.view)?.rest.add(check)
    log(message, { level: 'error', code: 'view_state_damaged', path: state.path })
  }
}
