/** The bench of bluesky's events: loads them once into each engine, then asks each query in processes of its own. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { events } from '../bluesky/events.mjs'
import { EVENT_CALLS, EVENTS } from '../bluesky/queries.mjs'
import { write } from '../data.mjs'
import { compareAnswers } from './compare.mjs'
import { figures } from './figures.mjs'
import { runAlternating, runEngineIn } from './run-engine.mjs'

const ENGINES = [
  { column: 'logweir', program: 'logweir', store: 'disk' },
  { column: 'DuckDB file', program: 'duckdb', store: 'disk' },
  { column: 'ClickHouse JSON', program: 'clickhouse-json', store: 'disk' },
  { column: 'ClickHouse sorted', program: 'clickhouse-sorted', store: 'disk' },
]
const REFERENCE = 'DuckDB file'
/** The first, and three more. */
const ASKS = 4

/**
 * Returns the lines of each number of events and cores: three of loading, two of each query. Throws if answers differ.
 */
export async function bluesky(options) {
  const lines = []
  for (const rows of options.fullLineRows) {
    const file = join(options.directory, `events-${rows}.ndjson`)
    await write(file, [events(rows, { endUs: options.nowUs })])
    for (const cores of options.cores) {
      const line = { bench: 'bluesky', rows, cores, best: 'least' }
      lines.push(...(await linesOf({ ...options, asks: ASKS }, line, file)))
    }
    rmSync(file)
  }
  return lines
}

async function linesOf(options, line, file) {
  const directoryOf = ({ column }) => join(options.directory, `events in ${column}`)
  const run = (runs, task) =>
    runAlternating(ENGINES, runs, (engine) => runEngineIn(directoryOf(engine), options, engine, task, line.cores))
  for (const engine of ENGINES) mkdirSync(directoryOf(engine))
  try {
    const loads = await run(1, { name: 'loadEvents', files: { [EVENTS]: file }, rows: line.rows })
    const lines = loadLines(loads, line)
    for (const { name } of EVENT_CALLS) {
      const asks = await run(options.runs, { name: 'askEvents', files: {}, rows: line.rows, ask: name })
      lines.push(...askLines(asks, { ...line, what: name, unit: 'ms' }))
    }
    return lines
  } finally {
    for (const engine of ENGINES) rmSync(directoryOf(engine), { recursive: true })
  }
}

function loadLines(loads, line) {
  const of = (what, figure, unit, figureOf) => ({ ...line, what, figure, unit, engines: figures(loads, figureOf) })
  return [
    of('loading', 'until visible', 's', ({ loadSeconds }) => loadSeconds),
    of('loading', 'CPU until merged', 's', ({ cpuSeconds }) => cpuSeconds),
    of('on disk', 'merged', 'MB', ({ diskMb }) => diskMb),
  ]
}

function askLines(asks, line) {
  const rounds = asks.get(REFERENCE).map((_ask, round) => new Map([...asks].map(([name, all]) => [name, [all[round]]])))
  for (const answersOf of rounds) compareAnswers(answersOf, REFERENCE)
  return [
    { ...line, figure: 'first', engines: figures(asks, ({ firstMs }) => firstMs) },
    { ...line, figure: 'hot', engines: figures(asks, ({ laterMs }) => Math.min(...laterMs)) },
  ]
}
