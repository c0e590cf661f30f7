import { LogweirError } from '../base/errors.js'
import { type WatchedFile, watchFile } from '../base/files/watch-file.js'
import type { Log } from '../base/log.js'
import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import { didYouMean } from '../base/text/nearest.js'
import type { Clock } from '../base/time/clock.js'
import { createSettledTime } from '../base/time/settled-time.js'
import { MINUTE_US, SECOND_US } from '../base/units.js'
import { acceptsAnySource, allSourceNames, findSource } from '../common/sources.js'
import type { RowLimits } from '../engine/deletion.js'
import type { Files } from '../engine/disk/files/files.js'
import {
  forgetThrough,
  type KeptRetention,
  moveEndsTo,
  newestEndUs,
  replaceCurrent,
  withoutHistory,
} from './history.js'
import { inSharedMemory, keptToJson } from './kept-json.js'
import { readRetentionFile } from './parse.js'
import { limitsOf, type RetentionLimits } from './row-limits.js'
import { type Retention, sameForAll } from './rules.js'
import { readStored, setAside, writeStored } from './stored-retention.js'

/** The limits of rows by a file that is read again when it changes. */
export interface WatchedRetention extends RetentionLimits, RowLimits {
  /** The limits as JSON in memory that threads share, see `sharedLimits`. A change replaces the memory. */
  shared(): SharedArrayBuffer
  /** Calls a function after each change of the limits. Returns a function that stops the calls. */
  onChange(listener: () => void): () => void
  /** Stops watching. Resolves when the last change is on the disk. */
  close(): Promise<void>
}

/** The file, and where the times are kept. */
export interface RetentionOptions {
  /** The file of `--retention-file`. Undefined: all rows are kept for the same time. */
  path: string | undefined
  /** The longest time of rows, in microseconds: `--retention-days`. */
  mostUs: number
  /** The data directory. Undefined: former times are lost when the process ends. */
  files: Files | undefined
  clock: Clock
  log: Log
}

const MINUTE_MS = (MINUTE_US / SECOND_US) * 1_000

/**
 * Reads the retention file, and the former times in the data directory. Undefined if there are neither: all rows are
 * kept for the same time. Throws `usage` if the file is wrong, `failed` if it cannot be read, and `newer_format`.
 */
export async function watchRetention(options: RetentionOptions): Promise<WatchedRetention | undefined> {
  const { path, mostUs, files, log } = options
  const stored = files && (await readOrSetAside(files, log))
  if (path === undefined) return stored && startWatching(stored, sameForAll(mostUs), undefined, options)
  let changed = (_: Retention) => {}
  const watched = watchFile(path, options.clock, {
    read: () => readRetentionFile(path, mostUs),
    onChange: (next) => changed(next),
    onError: ({ message }) =>
      log(`the retention file has changed and cannot be used; the previous times stay in force. ${message}`, {
        level: 'error',
        code: 'retention_refused',
      }),
  })
  const opened = await startWatching(stored, watched.first, watched, options)
  changed = opened.replace
  return opened
}

async function readOrSetAside(files: Files, log: Log): Promise<KeptRetention | undefined> {
  try {
    return await readStored(files)
  } catch (error) {
    if (!(error instanceof LogweirError) || error.code !== 'damaged_retention') throw error
    const name = await setAside(files)
    log(`former times of rows are lost: retention.json was damaged, and is now ${name}`, {
      level: 'error',
      code: 'retention_damaged',
    })
    return undefined
  }
}

async function startWatching(
  stored: KeptRetention | undefined,
  first: Retention,
  watched: WatchedFile<Retention> | undefined,
  { path, mostUs, files, clock, log }: RetentionOptions,
): Promise<WatchedRetention & { replace(next: Retention): void }> {
  logTimes(first, path, log)
  const kept = stored === undefined ? withoutHistory(first) : replaceCurrent(stored, first, clock.nowUs())
  const state = await keepState(kept, kept === stored, files, log)
  const settled = createSettledTime()
  const queue = createSerialQueue()
  const stopTicking = clock.every(MINUTE_MS, () => void queue.run(tick))

  async function tick(): Promise<void> {
    settled.record(clock.nowUs())
    const settledUs = settled.settledUs()
    // The clock has been set back for an hour: it was ahead when these times ended.
    const wasAhead = newestEndUs(state.kept()) > settled.latestUs()
    const moved = wasAhead ? moveEndsTo(state.kept(), settledUs) : state.kept()
    await state.replace(forgetThrough(moved, settledUs - mostUs))
  }

  return {
    ...state.limits,
    get revision() {
      return state.revision()
    },
    shared: state.shared,
    onChange: state.onChange,
    replace(next) {
      logTimes(next, path, log)
      void queue.run(() => state.replace(replaceCurrent(state.kept(), next, clock.nowUs())))
    },
    async close() {
      watched?.close()
      stopTicking()
      await queue.settled()
    },
  }
}

/** Keeps the state in memory and on the disk. */
async function keepState(first: KeptRetention, isOnDisk: boolean, files: Files | undefined, log: Log) {
  const listeners = new Set<() => void>()
  let kept = first
  let limits = limitsOf(kept)
  let shared = inSharedMemory(keptToJson(kept))
  let revision = 0
  let isStored = isOnDisk || files === undefined

  /** Writes the times unless they are on the disk. A full disk is no reason to ignore them: the next call retries. */
  async function store(): Promise<void> {
    if (isStored) return
    try {
      await writeStored(files!, new Uint8Array(shared))
      isStored = true
    } catch (error) {
      log(`the times of rows cannot be stored, and are lost if the service ends: ${(error as Error).message}`, {
        level: 'error',
        code: 'retention_not_stored',
      })
    }
  }

  /** Stores a state before it holds: else a longer time could show rows again after a crash. */
  async function replace(next: KeptRetention): Promise<void> {
    if (next === kept) return store()
    shared = inSharedMemory(keptToJson(next))
    isStored = files === undefined
    await store()
    kept = next
    limits = limitsOf(kept)
    revision++
    for (const listener of listeners) listener()
  }

  await store()
  return {
    kept: () => kept,
    shared: () => shared,
    revision: () => revision,
    limits: {
      newestHiddenUs: (source, nowUs) => limits.newestHiddenUs(source, nowUs),
      newestOfAllUs: (nowUs) => limits.newestOfAllUs(nowUs),
      hiddenThroughUs: (source, project, nowUs) => limits.hiddenThroughUs(source, project, nowUs),
      removableThroughUs: (source, project, settledUs) => limits.removableThroughUs(source, project, settledUs),
      nextRulesUs: (settledUs) => limits.nextRulesUs(settledUs),
      viewsHiddenThroughUs: (project, nowUs) => limits.viewsHiddenThroughUs(project, nowUs),
    } satisfies RetentionLimits,
    replace,
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Logs the content of a file, and those of its sources that do not exist. */
function logTimes({ rules, projects }: Retention, path: string | undefined, log: Log): void {
  if (path === undefined) return
  const { tiers, sources } = rules
  log(`retention file ${path}: tiers: ${tiers.size}, projects: ${projects.size}, sources: ${sources.size}`, {
    code: 'retention_read',
    tiers: tiers.size,
    projects: projects.size,
    sources: sources.size,
  })
  for (const source of sources.keys()) {
    if (acceptsAnySource() || findSource(source) !== undefined) continue
    log(`${path}: sources: there is no source ${source} yet. ${didYouMean(source, allSourceNames())}`, {
      level: 'warn',
      code: 'retention_of_no_source',
      source,
    })
  }
}
