/** Shared by both builds of the program: the modules that Node loads by their addresses, and how addresses are kept. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the absolute path of a path in this repository. */
export const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const SRC = pathOf('src')

/** The scripts of threads. */
export const THREADS = [
  'engine/store/sealing/worker',
  'ingest/body/worker',
  'ingest/stream/worker',
  'lines/execute/thread',
  'otlp/worker',
]

/** Optional packages with compiled code, which are never bundled. */
export const NATIVE = [/^re2$/, /^zstd-napi(\/|$)/]

/** A plugin that replaces `import.meta.url` by the result of `addressOf` for the path of the module in dist. */
export const addressModules = (addressOf) => ({
  name: 'address-modules',
  transform(code, id) {
    if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return undefined
    return code.replaceAll('import.meta.url', addressOf(relative(SRC, id).replace(/\.ts$/, '.js')))
  },
})
