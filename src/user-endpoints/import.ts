import * as nodeModule from 'node:module'
import { isSea } from 'node:sea'
import { pathToFileURL } from 'node:url'
import { ENDPOINT_BUILDER, resolve, VERSION_PARAMETER } from './hook.js'
import { builderHook, importFromOutside } from './packed.js'

/**
 * Loads the current version of a module's file and returns the exports. `version` has to be different at each call.
 * Node never frees a loaded module. Rejects with the module's error, or if the module is not loaded within 10 s.
 */
export type ImportModule = (path: string, version: number) => Promise<Readonly<Record<string, unknown>>>

/** Timeout of loading a module. */
const LOAD_TIMEOUT_MS = 10_000

/** Newer Nodes run hooks on the main thread, and deprecate hooks on a thread of their own. */
type Hooks = { registerHooks?(hooks: { resolve: typeof resolve; load?: ReturnType<typeof builderHook> }): void }

/**
 * Returns the loader of modules, which installs the resolution hook with the first module: an older Node starts a
 * thread for the hook, and waits for the thread. To be called once per process.
 */
export function createImporter(): ImportModule {
  let hasHook = false
  return (path, version) => {
    if (!hasHook) installHook()
    hasHook = true
    const url = pathToFileURL(path)
    url.searchParams.set(VERSION_PARAMETER, String(version))
    return withTimeout(isSea() ? importFromOutside(url.href) : import(url.href))
  }
}

function installHook(): void {
  const { registerHooks } = nodeModule as Hooks
  if (registerHooks === undefined) nodeModule.register(new URL('./hook.js', import.meta.url))
  else registerHooks({ resolve, ...(isSea() && { load: builderHook(ENDPOINT_BUILDER) }) })
}

async function withTimeout<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const failure = new Error(
      `it was not loaded within ${LOAD_TIMEOUT_MS / 1000} s. Check that each top-level await in it ends`,
    )
    timer = setTimeout(() => reject(failure), LOAD_TIMEOUT_MS)
  })
  return Promise.race([loading, timeout]).finally(() => clearTimeout(timer))
}
