/** The benches: each runs engines and returns the lines of the result. */
import { rmSync, statSync } from 'node:fs'
import { compareAnswers } from './compare.mjs'
import { bluesky } from './events.mjs'
import { figures } from './figures.mjs'
import { fileFor } from './files.mjs'
import { runAlternating, runEngine } from './run-engine.mjs'

const IN_PROCESS = [
  { column: 'logweir', program: 'logweir', store: 'memory' },
  { column: 'DuckDB memory', program: 'duckdb', store: 'memory' },
  { column: 'DuckDB file', program: 'duckdb', store: 'disk' },
  { column: 'ClickHouse', program: 'clickhouse', store: 'disk' },
]
/** The engines of questions about fields: logweir on disk, ClickHouse in two forms. */
const WITH_FIELDS = [
  { column: 'logweir', program: 'logweir', store: 'disk' },
  IN_PROCESS[1],
  IN_PROCESS[2],
  { column: 'ClickHouse JSON', program: 'clickhouse-json', store: 'disk' },
  { column: 'ClickHouse String', program: 'clickhouse', store: 'disk' },
]
/** Engines by the place of the rows: each engine is compared only with engines that give the same durability. */
const STORES = {
  'in memory': [{ column: 'logweir', program: 'logweir-service', store: 'memory' }, IN_PROCESS[1]],
  'on disk': [{ column: 'logweir', program: 'logweir-service', store: 'disk' }, IN_PROCESS[2], IN_PROCESS[3]],
}
/** The engine that returns exact percentiles and their bounds. */
const REFERENCE = 'DuckDB memory'
const SOURCES = ['edge_logs', 'function_edge_logs']

export const BENCHES = { query, fields, ingest, memory, bluesky }

/** Asks the stored queries over slim rows of both sources. */
async function query(options) {
  const lines = []
  for (const rows of options.queryRows) {
    for (const source of SOURCES) {
      const task = { name: 'query', files: { [source]: await fileFor(options, source, rows, true) }, rows }
      lines.push(...(await asked(options, IN_PROCESS, 'answers', task)))
      rmSync(task.files[source])
    }
  }
  return lines
}

/** Asks questions about fields of the metadata, over full edge records. */
async function fields(options) {
  const lines = []
  for (const rows of options.fullLineRows) {
    const task = { name: 'fields', files: { edge_logs: await fileFor(options, 'edge_logs', rows, false) }, rows }
    lines.push(...(await asked(options, WITH_FIELDS, 'fieldAnswers', task)))
    rmSync(task.files.edge_logs)
  }
  return lines
}

/** Compares the answers of all engines, which the task `answersName` returns, then measures. Returns the lines. */
async function asked(options, engines, answersName, task) {
  const answersOf = await runAlternating(engines, 1, (engine) =>
    runEngine(options, engine, { ...task, name: answersName }, 1),
  )
  compareAnswers(new Map([...answersOf].map(([column, [answers]]) => [column, answers])), REFERENCE)
  const lines = []
  for (const cores of options.cores) {
    const resultsOf = await runAlternating(engines, options.runs, (engine) => runEngine(options, engine, task, cores))
    lines.push(...queryLines(resultsOf, answersOf.get(REFERENCE)[0], task, cores))
  }
  return lines
}

/** Returns two lines per query: the first run in a process, and the later runs. Throws if a row count differs. */
function queryLines(resultsOf, expected, { name, rows }, cores) {
  return expected.flatMap(({ question, size, rows: answer }, i) => {
    for (const [column, results] of resultsOf) {
      if (results.every(({ queries }) => queries[i].answered === answer.length)) continue
      throw new Error(`${question} (${size}): ${column} did not return ${answer.length} rows in each process`)
    }
    const line = { bench: name, what: `${question}, ${size}`, rows, cores, unit: 'ms', best: 'least' }
    return [
      { ...line, figure: 'first', engines: figures(resultsOf, ({ queries }) => queries[i].firstMs) },
      { ...line, figure: 'later', engines: figures(resultsOf, ({ queries }) => queries[i].laterMs) },
    ]
  })
}

/** Returns two lines per file, core count and storage: MB/s, and the peak memory. */
async function ingest(options) {
  const lines = []
  for (const rows of options.fullLineRows) {
    for (const source of SOURCES) {
      const path = await fileFor(options, source, rows, false)
      const megabytes = statSync(path).size / 1e6
      const task = { name: 'ingest', files: { [source]: path }, rows }
      for (const cores of options.cores) {
        for (const [where, engines] of Object.entries(STORES)) {
          const resultsOf = await runAlternating(engines, options.runs, (engine) =>
            runEngine(options, engine, task, cores),
          )
          const line = { bench: 'ingest', what: `full ${source}, ${where}`, rows, cores }
          const rate = figures(resultsOf, ({ seconds }) => megabytes / seconds)
          lines.push({ ...line, figure: 'rate', unit: 'MB/s', best: 'most', engines: rate })
          const peak = figures(resultsOf, ({ peakMb }) => peakMb)
          lines.push({ ...line, figure: 'peak memory', unit: 'MB', best: 'least', engines: peak })
        }
      }
      rmSync(path)
    }
  }
  return lines
}

/** Returns two lines of resident memory: slim rows in memory and on disk, and full rows on disk. */
async function memory(options) {
  const slim = { function_edge_logs: await fileFor(options, 'function_edge_logs', options.slimRows, true) }
  const all = [STORES['in memory'], STORES['on disk'].slice(1)].flat()
  const slimLine = await resident(options, all, slim, options.slimRows, 'slim function_edge_logs')
  rmSync(slim.function_edge_logs)

  const half = options.fullRows / 2
  const full = Object.fromEntries(
    await Promise.all(SOURCES.map(async (s) => [s, await fileFor(options, s, half, false)])),
  )
  const fullLine = await resident(options, STORES['on disk'], full, half, 'full rows of both sources, on disk')
  for (const path of Object.values(full)) rmSync(path)
  return [slimLine, fullLine]
}

async function resident(options, engines, files, rows, what) {
  const task = { name: 'memory', files, rows }
  const resultsOf = await runAlternating(engines, options.runs, (engine) => runEngine(options, engine, task, 1))
  const total = rows * Object.keys(files).length
  const values = figures(resultsOf, ({ residentMb }) => residentMb)
  return {
    bench: 'memory',
    what,
    rows: total,
    cores: 1,
    figure: 'resident',
    unit: 'MB',
    best: 'least',
    engines: values,
  }
}
