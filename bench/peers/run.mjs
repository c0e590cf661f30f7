/**
 * Compares logweir with DuckDB and ClickHouse: the same files and queries, each figure in fresh processes.
 * Writes the medians, least and most values to `bench/results/peers.json`, and their tables into docs/performance.md
 * and docs/performance/peers.md.
 *
 *   npm run bench:peers                                          everything, some hours
 *   npm run bench:peers -- --rows 1000000 --only query,ingest    only these
 *   npm run bench:peers -- --rows 10000000 --only query --add    keeps the other lines of the last result
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pinnedTo } from '../process.mjs'
import { BENCHES } from './benches.mjs'
import { showTables } from './docs.mjs'
import { eventsTable, fieldsTable, table } from './table.mjs'

const RESULTS = new URL('../results/peers.json', import.meta.url)
const number = (name, value) => ({ [name]: { type: 'string', default: String(value) } })

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join() },
    rows: { type: 'string' },
    cores: { type: 'string', default: '1,2' },
    add: { type: 'boolean', default: false },
    ...number('slim-rows', 20_000_000),
    ...number('full-rows', 2_000_000),
    ...number('runs', 3),
    ...number('asks', 8),
  },
})
const unknown = values.only.split(',').find((name) => !(name in BENCHES))
if (unknown !== undefined)
  throw new Error(`--only ${unknown}: not a bench; use one or more of ${Object.keys(BENCHES)}, separated by commas`)
const numbers = (text) => text.split(',').map(Number)
const options = {
  queryRows: numbers(values.rows ?? '1000000,10000000'),
  fullLineRows: numbers(values.rows ?? '1000000'),
  cores: numbers(values.cores).filter((count) => count <= cpus().length),
  slimRows: Number(values['slim-rows']),
  fullRows: Number(values['full-rows']),
  runs: Number(values.runs),
  asks: values.asks,
  nowUs: Date.now() * 1000,
  directory: mkdtempSync(join(tmpdir(), 'logweir-peers-')),
}

const previous = values.add ? JSON.parse(readFileSync(RESULTS, 'utf8')).lines : []
const measured = []
try {
  for (const name of values.only.split(',')) {
    const lines = await BENCHES[name](options)
    // Lines of earlier runs may be from another machine.
    const taken = { measured: new Date().toISOString(), cpu: cpus()[0]?.model }
    measured.push(...lines.map((line) => ({ ...line, ...taken })))
    save(measured)
  }
} finally {
  rmSync(options.directory, { recursive: true })
}
showTables(JSON.parse(readFileSync(RESULTS, 'utf8')))
for (const tableOf of [table, fieldsTable, eventsTable]) {
  const text = tableOf({ lines: measured })
  if (text.split('\n').length > 2) console.log(`\n${text}`)
}

/** Writes the lines measured so far, after the lines of the last result that no new line replaces. */
function save(lines) {
  const measuredKeys = new Set(lines.map(keyOf))
  const previousLines = previous.filter((line) => !measuredKeys.has(keyOf(line)))
  const result = { bench: 'peers', machine: machine(), versions: versions(), lines: [...previousLines, ...lines] }
  mkdirSync(new URL('.', RESULTS), { recursive: true })
  writeFileSync(RESULTS, `${JSON.stringify(result, null, 1)}\n`)
}

function keyOf({ bench, what, rows, cores, figure }) {
  return JSON.stringify([bench, what, rows, cores, figure])
}

function machine() {
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    pinned: pinnedTo(),
  }
}

function versions() {
  const lock = JSON.parse(readFileSync(fileURLToPath(new URL('package-lock.json', import.meta.url)), 'utf8'))
  const versionOf = (name) => lock.packages[`node_modules/${name}`].version
  return { DuckDB: versionOf('@duckdb/node-api'), ClickHouse: versionOf('@chdb/lib-linux-x64-gnu') }
}
