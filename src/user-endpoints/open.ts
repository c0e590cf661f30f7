import { join } from 'node:path'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { readableViews } from '../views/definition/registry.js'
import { ENDPOINT_FILES, writableByOthers } from './directory.js'
import { type LoadContext, loadModule } from './module.js'
import { openReloadedFiles, type ReloadedFiles } from './reloaded-files.js'
import type { ReadableViews } from './sql-endpoint.js'
import { isSqlFile, isViewFile } from './sql-file.js'
import { isView } from './view.js'

interface UserEndpointsOptions extends LoadContext {
  /** The built-in endpoints: no module may use the name or id of a built-in endpoint. */
  reserved: readonly Endpoint[]
  log: Log
}

/** The endpoints of a directory of modules and `.sql` files. */
export interface UserEndpoints {
  endpoints(): readonly Endpoint[]
  /** The views among the endpoints, and those of the options. */
  views: ReadableViews
  /**
   * Polls the directory for changes, and calls `onChange` with all endpoints after each change of the endpoints. If a
   * changed module cannot be used, the previous endpoints of the module stay in force. Logs each change once. Returns a
   * function that stops polling.
   */
  watch(clock: Clock, onChange: (endpoints: readonly Endpoint[]) => void): () => void
}

/** The most endpoints of a directory. */
export const MAX_ENDPOINTS = 500
/** The most views of a directory. */
export const MAX_VIEWS = 100

/** Loads all modules and `.sql` files of a directory. Throws `usage`, with a single line, if a file cannot be used. */
export async function openUserEndpoints(directory: string, options: UserEndpointsOptions): Promise<UserEndpoints> {
  const { log, reserved, views: outside = readableViews([]), ...context } = options
  let version = 0
  // While a file is loaded, the views of the others.
  let loaded = (): readonly Endpoint[] => []
  const inside = () => readableViews(loaded().flatMap((one) => (isView(one) ? [one.view] : [])))
  const views: ReadableViews = {
    find: (view) => inside().find(view) ?? outside.find(view),
    names: () => [...new Set([...inside().names(), ...outside.names()])],
  }

  async function load(name: string, others: readonly (readonly Endpoint[])[]): Promise<readonly Endpoint[]> {
    const path = join(directory, name)
    version += 1
    loaded = () => others.flat()
    try {
      const endpoints = await loadModule(path, version, { ...context, views })
      refuseDuplicates(path, endpoints, [...reserved, ...others.flat()])
      return endpoints
    } finally {
      loaded = () => files?.all().flat() ?? []
    }
  }

  const isFirst = async (name: string) => isSqlFile(name) && isViewFile(join(directory, name))
  const kind = { ...ENDPOINT_FILES, title: 'user endpoints', load, isFirst, namesOf }
  let files: ReloadedFiles<readonly Endpoint[]> | undefined
  files = await openReloadedFiles(directory, kind)
  const opened = files
  log(`user endpoints of ${directory}: ${namesOf(opened.all())}`)
  const open = writableByOthers(directory, opened.versions())
  if (open !== undefined) log(`other users may write to ${open}, and the service runs its code: chmod go-w ${open}`)
  const endpoints = () => opened.all().flat()
  return { endpoints, views, watch: (clock, onChange) => opened.watch(clock, log, () => onChange(endpoints())) }
}

/** Throws `usage` if two endpoints have the same name or id, or if there are too many. */
function refuseDuplicates(path: string, loaded: readonly Endpoint[], others: readonly Endpoint[]): void {
  if (loaded.length + others.length > MAX_ENDPOINTS) throw usageError(`${path}: over ${MAX_ENDPOINTS} endpoints.`)
  if ([...loaded, ...others].filter(isView).length > MAX_VIEWS) throw usageError(`${path}: over ${MAX_VIEWS} views.`)
  for (const [i, { id, name }] of loaded.entries()) {
    for (const other of [...others, ...loaded.slice(0, i)]) {
      if (other.name === name) throw usageError(`${path}: another endpoint is already named ${name}.`)
      if (other.id.toLowerCase() !== id.toLowerCase()) continue
      throw usageError(`${path}: ${name} has the id of ${other.name}. Give it another id, for example from uuidgen.`)
    }
  }
}

const namesOf = (modules: readonly (readonly Endpoint[])[]): string =>
  modules
    .flat()
    .map(({ name }) => name)
    .join(', ') || 'none'
