/** Writes the tables of the last result into docs. Runs after a bench, or alone: `node bench/peers/docs.mjs`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { putTables } from '../docs-tables.mjs'
import { goalsTable } from './goals.mjs'
import { eventsTable, fieldsTable, table } from './table.mjs'

/** Writes the goals into docs/performance.md and all figures into docs/performance/peers.md. */
export function showTables(result) {
  putTables('performance.md', { goals: goalsTable(result) })
  const tables = { peers: table(result), fields: fieldsTable(result), bluesky: eventsTable(result) }
  putTables('performance/peers.md', tables)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  showTables(JSON.parse(readFileSync(new URL('../results/peers.json', import.meta.url), 'utf8')))
}
