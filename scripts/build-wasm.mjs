/**
 * Builds assembly to ingest.wasm beside src/ingest/module.ts, for tests, and beside its compiled form in dist/ingest, for
 * the package. Run after tsc: `node scripts/build-wasm.mjs`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** What these files export is what the module exports. */
const DOORS = ['assembly/layout.ts', 'assembly/scan/scan.ts', 'assembly/take.ts', 'assembly/cut.ts']

const { error, stderr } = await asc.main([
  ...DOORS,
  ...['--baseDir', path('.'), '--outFile', 'src/ingest/ingest.wasm'],
  ...['-O3', '--converge', '--noAssert', '--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
])
if (error) {
  process.stderr.write(stderr.toString())
  process.exit(1)
}
mkdirSync(path('dist/ingest'), { recursive: true })
copyFileSync(path('src/ingest/ingest.wasm'), path('dist/ingest/ingest.wasm'))
