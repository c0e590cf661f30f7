/**
 * Builds the modules of assembly, each to a file beside the one that makes instances of it, for tests, and beside its compiled
 * form in dist, for the package. Run after tsc: `node scripts/build-wasm.mjs`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** What the doors of a module export is what it exports. */
const MODULES = {
  'ingest/ingest.wasm': ['assembly/layout.ts', 'assembly/scan/scan.ts', 'assembly/take.ts', 'assembly/cut.ts'],
  'engine/arrow/storage/sealing/sealing.wasm': ['assembly/sealing/gather.ts', 'assembly/sealing/intern.ts'],
}

for (const [file, doors] of Object.entries(MODULES)) {
  const { error, stderr } = await asc.main([
    ...doors,
    ...['--baseDir', path('.'), '--outFile', `src/${file}`],
    ...['-O3', '--converge', '--noAssert', '--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
  ])
  if (error) {
    process.stderr.write(stderr.toString())
    process.exit(1)
  }
  mkdirSync(dirname(path(`dist/${file}`)), { recursive: true })
  copyFileSync(path(`src/${file}`), path(`dist/${file}`))
}
