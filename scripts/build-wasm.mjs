/**
 * Builds the modules of wasm/, each to a file beside the one that makes instances of it, for tests, and beside its compiled
 * form in dist, for the package. Run after tsc: `node scripts/build-wasm.mjs`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** What the doors of a module export is what it exports. */
const MODULES = {
  'ingest/wasm/ingest.wasm': ['wasm/setup.ts', 'wasm/scan/scan.ts', 'wasm/take.ts', 'wasm/cut.ts'],
  'engine/arrow/storage/sealing/sealing.wasm': ['wasm/sealing/gather.ts', 'wasm/sealing/intern.ts'],
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
