import { HOUR_US, MINUTE_US } from '../../base/units.js'
import { isDamage } from '../../engine/execute/columns/damage.js'
import { buildNext } from './build.js'
import { type Catalog, removeFiles, removeRetained, saveManifest } from './catalog.js'
import { closeViews } from './close.js'
import { isExpired } from './kept-view.js'
import { createProjectLimits, type ProjectLimits } from './project-limits.js'
import { release } from './release.js'

/** Interval at which work is looked for. */
const CHECK_MS = 1000
/** Work takes at most a quarter of a core's time, unless a segment waits to be dropped. */
const SHARE = 1 / 4
/** Pieces of work go on for about this time before a pause. A single piece takes some milliseconds. */
const TURN_MS = 250
/** Pause after an error, for example of a full disk. */
const RETRY_MS = 60_000
/** The most segments of a build. */
const MOST_SEGMENTS = 32
/** No groups are deleted before, and then one day at most in each interval: a clock that jumps deletes little. */
const DELETE_AFTER_MS = HOUR_US / 1000
const DELETE_EVERY_MS = MINUTE_US / 1000

/** The work that keeps the files of views up to date. */
export interface ViewWork {
  /** Does all work that there is now. Rejects with the first error. For tests. */
  finish(): Promise<void>
  /** Stops. Resolves when no work runs any more. */
  stop(): Promise<void>
}

interface State {
  catalog: Catalog
  controller: AbortController
  /** Halved after a build that took too much memory. */
  segments: number
  running: Promise<void> | undefined
  pausedUntilMs: number
  startedMs: number
  deletedMs: number
  projectLimits: ProjectLimits
}

/** Starts to work, now and then. */
export function startWork(catalog: Catalog): ViewWork {
  const { clock } = catalog
  const state: State = {
    catalog,
    controller: new AbortController(),
    segments: MOST_SEGMENTS,
    running: undefined,
    pausedUntilMs: 0,
    startedMs: clock.monotonicMs(),
    deletedMs: Number.NEGATIVE_INFINITY,
    projectLimits: createProjectLimits(catalog),
  }
  const stopTimer = clock.every(CHECK_MS, () => {
    if (state.running === undefined && clock.monotonicMs() >= state.pausedUntilMs) void runOnce(state, workForAWhile)
  })
  return {
    async finish() {
      await state.running
      await runOnce(state, async (one) => {
        while (await workOnce(one));
      })
      await catalog.removals.settled()
    },
    async stop() {
      stopTimer()
      state.controller.abort(new Error('The service stops.'))
      await state.running?.catch(() => {})
      await catalog.removals.settled()
    },
  }
}

function runOnce(state: State, work: (state: State) => Promise<void>): Promise<void> {
  const running = work(state).finally(() => {
    state.running = undefined
  })
  state.running = running
  return running
}

/** Works for a turn, and on as long as a segment waits to be dropped. Never rejects. */
async function workForAWhile(state: State): Promise<void> {
  const { catalog, controller } = state
  const { clock, log, wanted } = catalog
  const startMs = clock.monotonicMs()
  try {
    const isOn = () => wanted.size > 0 || clock.monotonicMs() - startMs < TURN_MS
    while ((await workOnce(state)) && isOn());
    state.pausedUntilMs = clock.monotonicMs() + (clock.monotonicMs() - startMs) * (1 / SHARE - 1)
  } catch (error) {
    if (controller.signal.aborted) return
    state.pausedUntilMs = clock.monotonicMs() + RETRY_MS
    log(`Rows cannot be grouped for views, and are grouped when a view is read: ${(error as Error).message}`, {
      level: 'warn',
      code: 'view_building_failed',
    })
  }
}

/** Does one piece of work, alone. Returns false if there is nothing to do. */
const workOnce = (state: State): Promise<boolean> => state.catalog.writing.run(() => workAlone(state))

async function workAlone(state: State): Promise<boolean> {
  const { catalog, controller } = state
  const { signal } = controller
  if (catalog.engine === undefined || signal.aborted) return false
  await closeViews(catalog)
  if (catalog.isManifestOld) await saveManifest(catalog)
  if (catalog.toRelease.size > 0) await release(catalog)
  removeRetained(catalog)
  deleteExpired(state)
  await state.projectLimits.deleteExpired(signal)
  try {
    const isBuilt = await buildNext(catalog, { segments: state.segments, signal })
    if (!isBuilt) catalog.wanted.clear()
    if (isBuilt) state.segments = Math.min(MOST_SEGMENTS, state.segments * 2)
    if (isBuilt && catalog.fullSinceMs !== undefined) catalog.engine.enforceLimits()
    return isBuilt || catalog.toRelease.size > 0
  } catch (error) {
    // A damaged segment was set aside.
    if (isDamage(error)) return true
    if ((error as { code?: unknown }).code !== 'too_much_memory' || state.segments === 1) throw error
    state.segments = Math.max(1, state.segments >> 1)
    return true
  }
}

/** Deletes the groups of a day that no view keeps any more. */
function deleteExpired(state: State): void {
  const { catalog, startedMs, deletedMs } = state
  const { live, kept, clock } = catalog
  const nowMs = clock.monotonicMs()
  if (nowMs - startedMs < DELETE_AFTER_MS || nowMs - deletedMs < DELETE_EVERY_MS) return
  const expired = live.all().filter(({ facts: { view, day } }) => {
    const of = kept.get(view)
    return of !== undefined && isExpired(of, day, clock.nowUs())
  })
  const oldest = Math.min(...expired.map(({ facts }) => facts.day))
  const gone = expired.filter(({ facts }) => facts.day === oldest)
  if (gone.length === 0) return
  state.deletedMs = nowMs
  for (const one of gone) live.remove(one)
  removeFiles(catalog, gone)
}
