/**
 * Compiles the WebAssembly modules of wasm/ (see wasm/README.md). Writes each module next to the source file that
 * instantiates the module, for tests, and next to the compiled file in dist, for the package. Run after tsc: `node
 * scripts/build-wasm.mjs`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** The entry points of each module. The module has the exports of all entry points. */
const MODULES = {
  'ingest/wasm/ingest.wasm': [
    ...['wasm/setup.ts', 'wasm/scan/scan.ts', 'wasm/mask/triggers.ts', 'wasm/append.ts', 'wasm/split.ts'],
  ],
  'engine/execute/fields/extract.wasm': ['wasm/extract/extract.ts'],
  'engine/store/path-columns/intern.wasm': ['wasm/extract/extract.ts', 'wasm/extract/intern.ts'],
  'engine/execute/columns/numbers.wasm': ['wasm/numbers/counting.ts', 'wasm/numbers/sorting.ts'],
  'engine/execute/matching/search.wasm': ['wasm/search/search.ts'],
  'engine/store/sealing/sealing.wasm': ['wasm/sealing/gather.ts', 'wasm/sealing/intern.ts'],
}

for (const [file, entryPoints] of Object.entries(MODULES)) {
  const { error, stderr } = await asc.main([
    ...entryPoints,
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
