/** How a single executable loads modules of users: its own code may import no files, and its builder is no file. */
import { constants, runInThisContext } from 'node:vm'
import * as builder from '../endpoint.js'

/** Imports a module by its URL as code outside of the executable would. */
export const importFromOutside: (url: string) => Promise<Readonly<Record<string, unknown>>> = runInThisContext(
  '(url) => import(url)',
  { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
)

const EXPORTS = Symbol.for('logweir.endpoint')

interface Loaded {
  format: string
  source?: string
  shortCircuit?: boolean
}

/** Returns a hook that gives the module at the URL the exports of the program's own builder. */
export function builderHook(url: string) {
  Object.defineProperty(globalThis, EXPORTS, { value: builder })
  const names = Object.keys(builder).join(', ')
  const source = `export const { ${names} } = globalThis[Symbol.for('${EXPORTS.description}')]`
  return <Context>(asked: string, context: Context, next: (url: string, context: Context) => Loaded): Loaded =>
    asked === url ? { format: 'module', source, shortCircuit: true } : next(asked, context)
}
