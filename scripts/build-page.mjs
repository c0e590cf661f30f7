/**
 * Bundles the page into dist/page: the modules with the imported libraries, in files that the page loads at once and
 * files that the page loads later. The licences of the libraries are written to dist/page/LICENSES.txt.
 */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { licencesOf } from './licences.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const CHART_STYLES = pathOf('node_modules/uplot/dist/uPlot.min.css')

// The service serves every file of this folder: files of renamed modules must not stay.
rmSync(pathOf('dist/page'), { recursive: true, force: true })
const { output } = await build({
  input: pathOf('src/page/main.ts'),
  platform: 'browser',
  tsconfig: pathOf('src/page/tsconfig.json'),
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  output: {
    dir: pathOf('dist/page'),
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // Without the group, each module that two files share is a separate file.
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  },
})
cpSync(pathOf('src/page/styles'), pathOf('dist/page/styles'), { recursive: true })
copyFileSync(CHART_STYLES, pathOf('dist/page/styles/uplot.css'))
copyFileSync(pathOf('src/page/icon.svg'), pathOf('dist/page/icon.svg'))
writeFileSync(pathOf('dist/page/LICENSES.txt'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))

// The page names the files that main.js imports, so that a browser requests the files at once.
const MAIN = '    <script type="module" src="page/main.js"></script>\n'
const links = output
  .find(({ fileName }) => fileName === 'main.js')
  .imports.map((path) => `    <link rel="modulepreload" href="page/${path}" />\n`)
const html = readFileSync(pathOf('src/page/index.html'), 'utf8')
if (!html.includes(MAIN)) throw new Error(`src/page/index.html has no line ${MAIN}`)
writeFileSync(pathOf('dist/page/index.html'), html.replace(MAIN, `${links.join('')}${MAIN}`))
