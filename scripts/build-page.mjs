/**
 * Builds the page into dist/page: its modules, and the published files and licences of the libraries that they import.
 * Without a bundler: the page is small, and users can read the code that runs.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const COPIES = {
  'src/page/index.html': 'index.html',
  'src/page/icon.svg': 'icon.svg',
  'node_modules/uplot/dist/uPlot.esm.js': 'vendor/uplot.js',
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
