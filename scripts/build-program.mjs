/**
 * Puts what the program runs into few files: of each module that Node loads by its address the bundle takes the place of what
 * tsc has made of it, and what several of them need goes to dist/chunks. Node takes a millisecond for each file that it
 * loads, and the program has 500 of them, libraries included, many of which it loads in each of its threads. The other modules stay
 * in dist as tsc makes them: benches and tests load these. Run after tsc: `node scripts/build-program.mjs`.
 *
 * Libraries with native parts stay where they are; the licences of those in the bundle go to dist/chunks/LICENSES.txt.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const SRC = pathOf('src')

/** The program, what it runs before all else, what users' modules import, and what Node is given as the script of a thread or of a hook. */
const LOADED_BY_ADDRESS = [
  'cli',
  'base/ignored-signals',
  'endpoint',
  'engine/arrow/storage/sealing/worker',
  'ingest/body/worker',
  'ingest/stream/worker',
  'otlp/worker',
  'user-endpoints/hook',
]
const NATIVE = [/^@node-rs\/crc32$/, /^re2$/, /^zstd-napi(\/|$)/]
const CHUNKS = 'chunks'

/** A module finds what lies beside it by its address, which in a bundle is that of another file. */
const ownAddresses = {
  name: 'own-addresses',
  transform(code, id) {
    if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return undefined
    const module = relative(SRC, id).replace(/\.ts$/, '.js')
    return code.replaceAll('import.meta.url', `__addressOf(${JSON.stringify(module)})`)
  },
  renderChunk(code, { fileName }) {
    return code.replaceAll(/__addressOf\("([^"]+)"\)/g, (_, module) => {
      const there = posix.relative(posix.dirname(fileName), module)
      return `new URL(${JSON.stringify(`./${there}`)}, import.meta.url).href`
    })
  },
}

rmSync(pathOf(`dist/${CHUNKS}`), { recursive: true, force: true })
const { output } = await build({
  input: Object.fromEntries(LOADED_BY_ADDRESS.map((name) => [name, `${SRC}/${name}.ts`])),
  platform: 'node',
  external: NATIVE,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [ownAddresses],
  output: {
    dir: pathOf('dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  },
})
writeFileSync(pathOf(`dist/${CHUNKS}/LICENSES.txt`), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))

/** Name, version and licence of each package that some of these modules are of. */
function licencesOf(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
  return [...folders].sort().map(licenceOf).join('\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`== ${name} ${version}, ${license} ==`, ...texts, ''].join('\n\n')
}
