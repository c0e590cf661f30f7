/**
 * Module resolution hook for modules of `--endpoints`. Node 20 runs the hook on a separate thread, newer Nodes on the
 * main thread.
 */

import { realpathSync, statSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The address of the module that users import as `logweir/endpoint`. */
export const ENDPOINT_BUILDER = new URL('../endpoint.js', import.meta.url).href

/**
 * Query parameter in the URL of such a module. The number is different at each load, because Node loads each URL only
 * once for the life of the process.
 */
export const VERSION_PARAMETER = 'logweir'

interface Resolved {
  url: string
  format?: string | null | undefined
  shortCircuit?: boolean
}

interface Context {
  parentURL?: string | undefined
}

/** Helpers next to a module are loaded again with the module. Packages are not. */
const isRelative = (specifier: string) => /^\.{0,2}\//.test(specifier)

/**
 * Resolves an import. `logweir/endpoint` is always the builder of the running program, whatever is installed next to
 * the module. A module is read as ESM, whatever the module's package.json says. Returns a promise if `next` does:
 * Node's asynchronous and synchronous hooks both use this function.
 */
export function resolve<R extends Resolved | Promise<Resolved>>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => R,
): R | Resolved | Promise<Resolved> {
  if (specifier === 'logweir/endpoint') return { url: ENDPOINT_BUILDER, format: 'module', shortCircuit: true }
  const parentVersion = isRelative(specifier) ? versionOf(context.parentURL) : undefined
  const isVersioned = parentVersion !== undefined || versionOf(specifier) !== undefined
  const real = isVersioned ? realUrlOf(specifier, context.parentURL) : undefined
  if (real !== undefined) return withVersion({ url: real, shortCircuit: true }, parentVersion)
  const found = next(specifier, context)
  const finish = (one: Resolved) => withVersion(one, parentVersion)
  return found instanceof Promise ? found.then(finish) : finish(found)
}

/** Returns the version in a URL, or undefined if the URL has no version, or if the text is not a URL. */
function versionOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  return new URL(url).searchParams.get(VERSION_PARAMETER) ?? undefined
}

/**
 * Returns the URL of a file with all links in the path resolved. Returns undefined if there is no such file, which Node
 * then reports. Node's own resolution would cache the target of each link for the life of the process.
 */
function realUrlOf(specifier: string, parentURL: string | undefined): string | undefined {
  try {
    const { href, search, hash } = new URL(specifier, parentURL)
    const path = realpathSync(fileURLToPath(href))
    return statSync(path).isFile() ? pathToFileURL(path).href + search + hash : undefined
  } catch {
    return undefined
  }
}

function withVersion(found: Resolved, version: string | undefined): Resolved {
  const url = new URL(found.url)
  if (url.protocol !== 'file:' || !/\.m?js$/.test(url.pathname)) return found
  if (version !== undefined) url.searchParams.set(VERSION_PARAMETER, version)
  return url.searchParams.has(VERSION_PARAMETER) ? { ...found, url: url.href, format: 'module' } : found
}
