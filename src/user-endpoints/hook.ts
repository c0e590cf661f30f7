/** How modules of `--endpoints` find what they import. This runs where Node resolves imports: before any other code of ours. */

import { realpathSync, statSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ENTRY = new URL('../endpoint.js', import.meta.url).href

/** Marks the address of such a module with a number, which is another at each load: Node loads an address once. */
export const MARK = 'logweir'

interface Resolved {
  url: string
  format?: string | null | undefined
  shortCircuit?: boolean
}

interface Context {
  parentURL?: string | undefined
}

/** Next to a module its helpers are loaded anew with it; packages are not. */
const isBeside = (specifier: string) => /^\.{0,2}\//.test(specifier)

/**
 * `logweir/endpoint` is the builder of the program that runs, wherever a module lies and whatever is installed there. A
 * module is read as ESM whatever package.json says. Serves both kinds of hooks that Node has, hence a promise or none.
 */
export function resolve<R extends Resolved | Promise<Resolved>>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => R,
): R | Resolved | Promise<Resolved> {
  if (specifier === 'logweir/endpoint') return { url: ENTRY, format: 'module', shortCircuit: true }
  const parentMark = isBeside(specifier) ? markOf(context.parentURL) : undefined
  const isMarked = parentMark !== undefined || markOf(specifier) !== undefined
  const real = isMarked ? realUrlOf(specifier, context.parentURL) : undefined
  if (real !== undefined) return finished({ url: real, shortCircuit: true }, parentMark)
  const found = next(specifier, context)
  const finish = (one: Resolved) => finished(one, parentMark)
  return found instanceof Promise ? found.then(finish) : finish(found)
}

/** The mark of an address; undefined if it has none, or is not an address. */
function markOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  return new URL(url).searchParams.get(MARK) ?? undefined
}

/**
 * The address of a file without links in its path; undefined if there is no such file, which Node then reports. Node itself
 * caches the target of each link for the life of the process.
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

function finished(found: Resolved, mark: string | undefined): Resolved {
  const url = new URL(found.url)
  if (url.protocol !== 'file:' || !/\.m?js$/.test(url.pathname)) return found
  if (mark !== undefined) url.searchParams.set(MARK, mark)
  return url.searchParams.has(MARK) ? { ...found, url: url.href, format: 'module' } : found
}
