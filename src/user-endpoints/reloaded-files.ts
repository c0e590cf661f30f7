import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import { type DirectoryKind, type FileVersions, isHelper, readFileVersions } from './directory.js'
import { isSqlFile } from './sql-file.js'

/** How the files of a directory are loaded, and how changes are logged. */
export interface FileKind<Loaded> extends DirectoryKind {
  /** The beginning of log lines: `user endpoints`. */
  title: string
  /** Loads the current version of a file, given the results of the other files. Throws if it cannot be used. */
  load(name: string, others: readonly Loaded[]): Promise<Loaded>
  /** Whether a file is loaded before others, which may need it. Absent: in the order of names. */
  isFirst?(name: string): Promise<boolean>
  /** Returns the loaded names for a log line. */
  namesOf(loaded: readonly Loaded[]): string
}

/** The files of a directory, loaded. */
export interface ReloadedFiles<Loaded> {
  /** Returns the results of loading, in the order of loading. */
  all(): readonly Loaded[]
  /** The files as they were found last. */
  versions(): FileVersions
  /**
   * Polls the directory for changes, and calls `onChange` after each change. If a changed file cannot be used, the
   * previous version stays in force. Logs each change once. Returns a function that stops polling.
   */
  watch(clock: Clock, log: Log, onChange: () => void): () => void
}

/** Time between two polls. File system events are not used: not every file system sends events. */
const POLL_INTERVAL_MS = 1_000

/** Loads all files of a directory. Throws the error of the first file that cannot be used. */
export async function openReloadedFiles<Loaded>(
  directory: string,
  kind: FileKind<Loaded>,
): Promise<ReloadedFiles<Loaded>> {
  const files = createFiles(kind)
  let versions = readFileVersions(directory, kind)
  for (const name of await inOrder(versions.keys(), kind)) if (!isHelper(name)) await files.load(name)

  /** Loads changed files, removes deleted files, and returns whether anything has changed. */
  async function poll(log: Log): Promise<boolean> {
    const found = readFileVersions(directory, kind)
    const changed = changedNames(versions, found)
    // Before files are loaded, so that the next poll finds a file that changes during the load.
    versions = found
    return files.update(found, changed, log)
  }

  return {
    all: files.all,
    versions: () => versions,
    watch: (clock, log, onChange) =>
      startPolling(clock, log, kind.title, async () => ((await poll(log)) ? onChange() : undefined)),
  }
}

async function inOrder<Loaded>(names: Iterable<string>, { isFirst }: FileKind<Loaded>): Promise<string[]> {
  const [first, others]: [string[], string[]] = [[], []]
  for (const name of names) ((await isFirst?.(name)) ? first : others).push(name)
  return [...first, ...others]
}

function changedNames(before: FileVersions, after: FileVersions): ReadonlySet<string> {
  const names = [...after, ...before].map(([name]) => name)
  return new Set(names.filter((name) => after.get(name) !== before.get(name)))
}

/** Creates the set of loaded files, by their names. */
function createFiles<Loaded>(kind: FileKind<Loaded>) {
  const { title, load: loadFile, namesOf } = kind
  const files = new Map<string, Loaded>()
  let broken = new Set<string>()

  const all = () => [...files.values()]

  async function load(name: string): Promise<void> {
    files.set(
      name,
      await loadFile(
        name,
        [...files].flatMap(([other, one]) => (other === name ? [] : [one])),
      ),
    )
  }

  async function reload(name: string, log: Log): Promise<boolean> {
    try {
      await load(name)
      broken.delete(name)
      log(`${title}: ${name} changed; loaded: ${namesOf([files.get(name)!])}`)
      return true
    } catch (error) {
      broken.add(name)
      const previous = files.get(name)
      const kept =
        previous === undefined ? 'it has no previous version' : `its previous version stays: ${namesOf([previous])}`
      log(`${title}: ${name} cannot be used; ${kept}. ${(error as Error).message}`)
      return false
    }
  }

  /** A helper may be part of any JavaScript module, and a change of any file may fix a broken file. */
  function needsReload(changed: ReadonlySet<string>): (name: string) => boolean {
    const isHelperChanged = [...changed].some(isHelper)
    return (name) =>
      changed.has(name) || (changed.size > 0 && broken.has(name)) || (isHelperChanged && !isSqlFile(name))
  }

  /**
   * Removes the files that are not in `found`, then loads the files that need a reload. Returns whether any file was
   * removed or replaced.
   */
  async function update(found: FileVersions, changed: ReadonlySet<string>, log: Log): Promise<boolean> {
    const stale = [...found.keys()].filter((name) => !isHelper(name)).filter(needsReload(changed))
    const deleted = [...files.keys()].filter((name) => !found.has(name))
    broken = new Set([...broken].filter((name) => found.has(name)))
    for (const name of deleted) {
      log(`${title}: ${name} was deleted; removed: ${namesOf([files.get(name)!])}`)
      files.delete(name)
    }
    let hasChanged = deleted.length > 0
    for (const name of await inOrder(stale, kind)) hasChanged = (await reload(name, log)) || hasChanged
    return hasChanged
  }

  return { all, load, update }
}

/** Polls until the returned function is called. Polls do not overlap. Logs once that a directory cannot be read. */
function startPolling(clock: Clock, log: Log, title: string, poll: () => Promise<void>): () => void {
  let isPolling = false
  let lastError: string | undefined

  async function pollOnce(): Promise<void> {
    if (isPolling) return
    isPolling = true
    try {
      await poll()
      lastError = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== lastError) log(`${title} were not reloaded. ${message}`)
      lastError = message
    }
    isPolling = false
  }

  return clock.every(POLL_INTERVAL_MS, pollOnce)
}
