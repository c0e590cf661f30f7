/**
 * Bundles the program. For each module that Node loads by its address, the bundle replaces the output of tsc. Shared
 * code is written to dist/chunks. Reason: Node needs a millisecond per file, and the program has 500 files, libraries
 * included, many of which each thread loads. The other modules remain in dist as tsc writes them, for benches and
 * tests. Run after tsc: `node scripts/build-program.mjs`.
 *
 * The `.sql` files that the program reads are copied. Libraries with native parts are not bundled. The licences of the
 * bundled libraries are written to dist/chunks/LICENSES.txt.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { licencesOf } from './licences.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const SRC = pathOf('src')

/** The program, the module to import first, the module that users import, and the scripts of threads and hooks. */
const LOADED_BY_ADDRESS = [
  'cli',
  'base/process/ignored-signals',
  'endpoint',
  'engine/store/sealing/worker',
  'ingest/body/worker',
  'ingest/stream/worker',
  'otlp/worker',
  'user-endpoints/hook',
]
const NATIVE = [/^re2$/, /^zstd-napi(\/|$)/]
const CHUNKS = 'chunks'
const STUDIO_QUERIES = 'supabase/endpoints'

/** Replaces `import.meta.url` with the module's address in dist: a bundle would have the address of the chunk. */
const keepModuleAddresses = {
  name: 'keep-module-addresses',
  transform(code, id) {
    if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return undefined
    const module = relative(SRC, id).replace(/\.ts$/, '.js')
    return code.replaceAll('import.meta.url', `__addressOf(${JSON.stringify(module)})`)
  },
  renderChunk(code, { fileName }) {
    return code.replaceAll(/__addressOf\("([^"]+)"\)/g, (_, module) => {
      const target = posix.relative(posix.dirname(fileName), module)
      return `new URL(${JSON.stringify(`./${target}`)}, import.meta.url).href`
    })
  },
}

rmSync(pathOf(`dist/${CHUNKS}`), { recursive: true, force: true })
const { output } = await build({
  input: Object.fromEntries(LOADED_BY_ADDRESS.map((name) => [name, `${SRC}/${name}.ts`])),
  platform: 'node',
  external: NATIVE,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [keepModuleAddresses],
  output: {
    dir: pathOf('dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  },
})
writeFileSync(pathOf(`dist/${CHUNKS}/LICENSES.txt`), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))

rmSync(pathOf(`dist/${STUDIO_QUERIES}`), { recursive: true, force: true })
cpSync(pathOf(`src/${STUDIO_QUERIES}`), pathOf(`dist/${STUDIO_QUERIES}`), { recursive: true })
