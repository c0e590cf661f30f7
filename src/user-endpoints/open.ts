import { join } from 'node:path'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { type FileVersions, isHelper, readFileVersions, writableByOthers } from './directory.js'
import { type LoadContext, loadModule } from './module.js'
import { isSqlFile } from './sql-file.js'

interface UserEndpointsOptions extends LoadContext {
  /** The built-in endpoints: no module may use the name or id of a built-in endpoint. */
  reserved: readonly Endpoint[]
  log: Log
}

/** The endpoints of a directory of modules and `.sql` files. */
export interface UserEndpoints {
  endpoints(): readonly Endpoint[]
  /**
   * Polls the directory for changes, and calls `onChange` with all endpoints after each change of the endpoints. If a
   * changed module cannot be used, the previous endpoints of the module stay in force. Logs each change once. Returns a
   * function that stops polling.
   */
  watch(clock: Clock, onChange: (endpoints: readonly Endpoint[]) => void): () => void
}

/** Time between two polls. File system events are not used: not every file system sends events. */
const POLL_INTERVAL_MS = 1_000

/** The most endpoints of a directory. */
export const MAX_ENDPOINTS = 500

/** Loads all modules and `.sql` files of a directory. Throws `usage`, with a single line, if a file cannot be used. */
export async function openUserEndpoints(directory: string, options: UserEndpointsOptions): Promise<UserEndpoints> {
  const { log } = options
  const modules = createModules(directory, options)
  let versions = readFileVersions(directory)
  for (const name of versions.keys()) if (!isHelper(name)) await modules.load(name)
  log(`user endpoints of ${directory}: ${namesOf(modules.endpoints())}`)
  const open = writableByOthers(directory, versions)
  if (open !== undefined) log(`other users may write to ${open}, and the service runs its code: chmod go-w ${open}`)

  /** Loads changed modules, removes deleted modules, and returns whether the endpoints have changed. */
  async function poll(): Promise<boolean> {
    const found = readFileVersions(directory)
    const changed = changedNames(versions, found)
    // Before modules are loaded, so that the next poll finds a file that changes during the load.
    versions = found
    return modules.update(found, changed)
  }

  return {
    endpoints: modules.endpoints,
    watch: (clock, onChange) =>
      startPolling(clock, log, async () => ((await poll()) ? onChange(modules.endpoints()) : undefined)),
  }
}

function changedNames(before: FileVersions, after: FileVersions): ReadonlySet<string> {
  const names = [...after, ...before].map(([name]) => name)
  return new Set(names.filter((name) => after.get(name) !== before.get(name)))
}

/** Creates the set of loaded modules and their endpoints, by the modules' names. */
function createModules(directory: string, { reserved, log, ...context }: UserEndpointsOptions) {
  const modules = new Map<string, readonly Endpoint[]>()
  let broken = new Set<string>()
  let version = 0

  const endpoints = () => [...modules.values()].flat()

  async function load(name: string): Promise<void> {
    const path = join(directory, name)
    version += 1
    const loaded = await loadModule(path, version, context)
    const others = [...modules].flatMap(([other, ones]) => (other === name ? [] : ones))
    refuseDuplicates(path, loaded, [...reserved, ...others])
    modules.set(name, loaded)
  }

  function remove(name: string): void {
    log(`user endpoints: ${name} was deleted; removed: ${namesOf(modules.get(name)!)}`)
    modules.delete(name)
  }

  async function reload(name: string): Promise<boolean> {
    try {
      await load(name)
      broken.delete(name)
      log(`user endpoints: ${name} changed; loaded: ${namesOf(modules.get(name)!)}`)
      return true
    } catch (error) {
      broken.add(name)
      const previous = modules.get(name)
      const kept =
        previous === undefined ? 'it has no previous version' : `its previous version stays: ${namesOf(previous)}`
      log(`user endpoints: ${name} cannot be used; ${kept}. ${(error as Error).message}`)
      return false
    }
  }

  /** A helper may be part of any JavaScript module, and a change of any file may fix a broken module. */
  function needsReload(changed: ReadonlySet<string>): (name: string) => boolean {
    const isHelperChanged = [...changed].some(isHelper)
    return (name) =>
      changed.has(name) || (changed.size > 0 && broken.has(name)) || (isHelperChanged && !isSqlFile(name))
  }

  /**
   * Removes the modules that are not in `found`, then loads the modules that need a reload. Returns whether any
   * endpoint was removed or replaced.
   */
  async function update(found: FileVersions, changed: ReadonlySet<string>): Promise<boolean> {
    const stale = [...found.keys()].filter((name) => !isHelper(name)).filter(needsReload(changed))
    const deleted = [...modules.keys()].filter((name) => !found.has(name))
    broken = new Set([...broken].filter((name) => found.has(name)))
    for (const name of deleted) remove(name)
    let hasChanged = deleted.length > 0
    for (const name of stale) hasChanged = (await reload(name)) || hasChanged
    return hasChanged
  }

  return { endpoints, load, update }
}

/** Polls until the returned function is called. Polls do not overlap. Logs once that a directory cannot be read. */
function startPolling(clock: Clock, log: Log, poll: () => Promise<void>): () => void {
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
      if (message !== lastError) log(`user endpoints were not reloaded. ${message}`)
      lastError = message
    }
    isPolling = false
  }

  return clock.every(POLL_INTERVAL_MS, pollOnce)
}

/** Throws `usage` if two endpoints have the same name or id, or if there are too many. */
function refuseDuplicates(path: string, loaded: readonly Endpoint[], others: readonly Endpoint[]): void {
  if (loaded.length + others.length > MAX_ENDPOINTS) throw usageError(`${path}: over ${MAX_ENDPOINTS} endpoints.`)
  for (const [i, { id, name }] of loaded.entries()) {
    for (const other of [...others, ...loaded.slice(0, i)]) {
      if (other.name === name) throw usageError(`${path}: another endpoint is already named ${name}.`)
      if (other.id.toLowerCase() !== id.toLowerCase()) continue
      throw usageError(`${path}: ${name} has the id of ${other.name}. Give it another id, for example from uuidgen.`)
    }
  }
}

const namesOf = (endpoints: readonly Endpoint[]) => endpoints.map(({ name }) => name).join(', ') || 'none'
