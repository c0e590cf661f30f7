import * as nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import { MARK, resolve } from './hook.js'

/** Loads a module as it is now; `version` is another at each call. What is loaded stays in memory, as Node will have it. */
export type ImportModule = (path: string, version: number) => Promise<Readonly<Record<string, unknown>>>

/** How long a module may take until it is loaded. */
const LOAD_MS = 10_000

/** Newer Nodes have hooks in the same thread, and want to be rid of those that have a thread of their own. */
type Hooks = { registerHooks?(hooks: { resolve: typeof resolve }): void }

/** Makes `logweir/endpoint` known to modules anywhere, and gives what loads them. To be called once. */
export function createImporter(): ImportModule {
  const { registerHooks } = nodeModule as Hooks
  if (registerHooks === undefined) nodeModule.register(new URL('./hook.js', import.meta.url))
  else registerHooks({ resolve })
  return (path, version) => {
    const url = pathToFileURL(path)
    url.searchParams.set(MARK, String(version))
    return inTime(import(url.href))
  }
}

async function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const failure = new Error(`it was not loaded within ${LOAD_MS / 1000} s: does an await in it ever end?`)
    timer = setTimeout(() => reject(failure), LOAD_MS)
  })
  return Promise.race([loading, late]).finally(() => clearTimeout(timer))
}
