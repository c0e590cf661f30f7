/**
 * Builds the page into dist/page: its modules, and the published files and licences of the libraries that they import.
 * Without a bundler: the page is small, and users can read the code that runs.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const COPIES = {
  'src/page/index.html': 'index.html',
  'src/page/style.css': 'style.css',
  'src/page/icon.svg': 'icon.svg',
  'node_modules/uplot/dist/uPlot.esm.js': 'uplot.js',
  'node_modules/uplot/dist/uPlot.min.css': 'uplot.css',
  'node_modules/uplot/LICENSE': 'uplot.LICENSE',
  'node_modules/eventsource-parser/dist/index.js': 'eventsource-parser.js',
  'node_modules/eventsource-parser/LICENSE': 'eventsource-parser.LICENSE',
}

execFileSync(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('src/page/tsconfig.json')], {
  stdio: 'inherit',
})
mkdirSync(pathOf('dist/page'), { recursive: true })
for (const [from, to] of Object.entries(COPIES)) copyFileSync(pathOf(from), pathOf(`dist/page/${to}`))
