/**
 * Builds assembly/scan.ts to scan.wasm beside src/ingest/wasm-scanner.ts, for tests, and beside its compiled form in
 * dist/ingest, for the package. Run after tsc: `node scripts/build-wasm.mjs`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

const { error, stderr } = await asc.main([
  'assembly/scan.ts',
  ...['--baseDir', path('.'), '--outFile', 'src/ingest/scan.wasm'],
  ...['-O3', '--converge', '--noAssert', '--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
])
if (error) {
  process.stderr.write(stderr.toString())
  process.exit(1)
}
mkdirSync(path('dist/ingest'), { recursive: true })
copyFileSync(path('src/ingest/scan.wasm'), path('dist/ingest/scan.wasm'))
