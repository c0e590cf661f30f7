/** The three benches: what is run for each, and the lines that come of it. */
import { rmSync, statSync } from 'node:fs'
import { median } from '../process.mjs'
import { compareAnswers } from './compare.mjs'
import { fileFor } from './files.mjs'
import { inTurns, runEngine } from './turns.mjs'

const IN_PROCESS = [
  { column: 'logweir', program: 'logweir', store: 'memory' },
  { column: 'DuckDB memory', program: 'duckdb', store: 'memory' },
  { column: 'DuckDB file', program: 'duckdb', store: 'disk' },
  { column: 'ClickHouse', program: 'clickhouse', store: 'disk' },
]
/** What keeps rows where: engines are compared with those that promise the same. */
const STORES = {
  'in memory': [{ column: 'logweir', program: 'logweir-service', store: 'memory' }, IN_PROCESS[1]],
  'on disk': [{ column: 'logweir', program: 'logweir-service', store: 'disk' }, IN_PROCESS[2], IN_PROCESS[3]],
}
/** It gives exact percentiles and their bounds. */
const REFERENCE = 'DuckDB memory'
const SOURCES = ['edge_logs', 'function_edge_logs']

export const BENCHES = { query, ingest, memory }

/** Answers are compared before any time is taken. */
async function query(options) {
  const lines = []
  for (const rows of options.queryRows) {
    for (const source of SOURCES) {
      const path = await fileFor(options, source, rows, true)
      const task = { name: 'query', files: { [source]: path }, rows }
      const answersOf = await inTurns(IN_PROCESS, 1, (engine) =>
        runEngine(options, engine, { ...task, name: 'answers' }, 1),
      )
      compareAnswers(new Map([...answersOf].map(([column, [answers]]) => [column, answers])), REFERENCE)
      for (const cores of options.cores) {
        const resultsOf = await inTurns(IN_PROCESS, options.runs, (engine) => runEngine(options, engine, task, cores))
        lines.push(...queryLines(resultsOf, answersOf.get(REFERENCE)[0], rows, cores))
      }
      rmSync(path)
    }
  }
  return lines
}

/** Two lines a question: the first run of a process, and the later ones. */
function queryLines(resultsOf, expected, rows, cores) {
  return expected.flatMap(({ question, size, rows: answer }, i) => {
    for (const [column, results] of resultsOf) {
      if (results.every(({ queries }) => queries[i].answered === answer.length)) continue
      throw new Error(`${question} (${size}): ${column} did not give ${answer.length} rows each time`)
    }
    const line = { bench: 'query', what: `${question}, ${size}`, rows, cores, unit: 'ms', best: 'least' }
    return [
      { ...line, figure: 'first', engines: figures(resultsOf, ({ queries }) => queries[i].firstMs) },
      { ...line, figure: 'later', engines: figures(resultsOf, ({ queries }) => queries[i].laterMs) },
    ]
  })
}

/** Two lines a file: how fast, and the most memory that it took. */
async function ingest(options) {
  const lines = []
  for (const rows of options.ingestRows) {
    for (const source of SOURCES) {
      const path = await fileFor(options, source, rows, false)
      const megabytes = statSync(path).size / 1e6
      const task = { name: 'ingest', files: { [source]: path }, rows }
      for (const cores of options.cores) {
        for (const [where, engines] of Object.entries(STORES)) {
          const resultsOf = await inTurns(engines, options.runs, (engine) => runEngine(options, engine, task, cores))
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

/** What stays resident, of slim rows wherever they are kept and of full rows on disk. */
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
  const resultsOf = await inTurns(engines, options.runs, (engine) => runEngine(options, engine, task, 1))
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

/** By column: the median, and every value; where a process gives many, they stay together. */
function figures(resultsOf, figureOf) {
  return Object.fromEntries(
    [...resultsOf].map(([column, results]) => {
      const values = results.map(figureOf)
      return [column, { median: median(values.flat()), values }]
    }),
  )
}
