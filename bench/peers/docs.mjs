/** Puts the tables of the last result into docs/performance.md: `node bench/peers/docs.mjs`, after a run by itself. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { goalsTable } from './goals.mjs'
import { table } from './table.mjs'

const DOCS = new URL('../../docs/performance.md', import.meta.url)
const TABLES = { peers: table, goals: goalsTable }

export function showTables(result) {
  const shown = Object.entries(TABLES).reduce(
    (text, [name, make]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, 's'),
        (_all, before, after) => `${before}\n${make(result)}\n\n${after}`,
      ),
    readFileSync(DOCS, 'utf8'),
  )
  writeFileSync(DOCS, shown)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  showTables(JSON.parse(readFileSync(new URL('../results/peers.json', import.meta.url), 'utf8')))
}
