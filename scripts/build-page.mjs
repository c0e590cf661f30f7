/**
 * Builds the page into dist/page: its modules, and the published files and licences of the libraries that they import.
 * Its own modules are not bundled: the page is small, and users can read the code that runs. The page names all modules
 * that it imports when it is opened, so that a browser requests them at once, and not level by level. The chart
 * library is minified. CodeMirror, which consists of many packages, is bundled into one file.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { licencesOf } from './licences.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const COPIES = {
  'src/page/icon.svg': 'icon.svg',
  'node_modules/uplot/dist/uPlot.min.css': 'vendor/uplot.css',
  'node_modules/uplot/LICENSE': 'vendor/uplot.LICENSE',
  'node_modules/eventsource-parser/dist/index.js': 'vendor/eventsource-parser.js',
  'node_modules/eventsource-parser/LICENSE': 'vendor/eventsource-parser.LICENSE',
}

// The service serves every file of this folder, also one whose module was renamed.
rmSync(pathOf('dist/page'), { recursive: true, force: true })
execFileSync(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('src/page/tsconfig.json')], {
  stdio: 'inherit',
})
mkdirSync(pathOf('dist/page/vendor'), { recursive: true })
cpSync(pathOf('src/page/styles'), pathOf('dist/page/styles'), { recursive: true })
for (const [from, to] of Object.entries(COPIES)) copyFileSync(pathOf(from), pathOf(`dist/page/${to}`))

const MINIFIED = { format: 'esm', minify: true }
await build({
  input: pathOf('node_modules/uplot/dist/uPlot.esm.js'),
  output: { file: pathOf('dist/page/vendor/uplot.js'), ...MINIFIED },
})
await bundleCodeMirror()

/** Writes one module with what src/page/vendor/codemirror.d.ts names, and the licences of all packages in it. */
async function bundleCodeMirror() {
  const entry = pathOf('src/page/vendor/codemirror.d.ts')
  const readAsModule = {
    name: 'read-declarations-as-module',
    load: (id) => (id === entry ? { code: readFileSync(entry, 'utf8'), moduleType: 'ts' } : undefined),
  }
  const { output } = await build({
    input: entry,
    platform: 'browser',
    plugins: [readAsModule],
    output: { file: pathOf('dist/page/vendor/codemirror.js'), ...MINIFIED },
  })
  const licences = licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds))
  writeFileSync(pathOf('dist/page/vendor/codemirror.LICENSE'), licences)
}

const STATIC_IMPORT = /\b(?:from|import) *['"](\.[^'"]+)['"]/g

/** Adds the modules that a module imports, directly or through others, as paths below dist/page. */
function addImports(module, found) {
  for (const [, name] of readFileSync(pathOf(`dist/page/${module}`), 'utf8').matchAll(STATIC_IMPORT)) {
    const imported = posix.join(posix.dirname(module), name)
    if (found.has(imported)) continue
    found.add(imported)
    addImports(imported, found)
  }
  return found
}

const MAIN = '    <script type="module" src="page/main.js"></script>\n'
const modules = [...addImports('main.js', new Set())]
const links = modules.map((path) => `    <link rel="modulepreload" href="page/${path}" />\n`)
const html = readFileSync(pathOf('src/page/index.html'), 'utf8')
if (!html.includes(MAIN)) throw new Error(`src/page/index.html has no line ${MAIN}`)
writeFileSync(pathOf('dist/page/index.html'), html.replace(MAIN, `${links.join('')}${MAIN}`))
