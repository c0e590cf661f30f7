/** How modules of `--endpoints` find what they import. This runs where Node resolves imports: before any other code of ours. */

const ENTRY = new URL('../endpoint.js', import.meta.url).href

/** Marks the address of such a module with a number, which is another at each load: Node loads an address once. */
export const MARK = 'logweir'

interface Resolved {
  url: string
  format?: string | null
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
  const mark = context.parentURL && URL.canParse(context.parentURL) && new URL(context.parentURL).searchParams.get(MARK)
  const found = next(specifier, context)
  const finish = (one: Resolved) => finished(one, mark && isBeside(specifier) ? mark : undefined)
  return found instanceof Promise ? found.then(finish) : finish(found)
}

function finished(found: Resolved, mark: string | undefined): Resolved {
  const url = new URL(found.url)
  if (url.protocol !== 'file:' || !/\.m?js$/.test(url.pathname)) return found
  if (mark !== undefined) url.searchParams.set(MARK, mark)
  return url.searchParams.has(MARK) ? { ...found, url: url.href, format: 'module' } : found
}
