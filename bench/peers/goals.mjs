/** The goals for logweir, in a table with the measured figures. */
import { markdownTable, round } from '../docs-tables.mjs'
import { bestOf, DASH, OWN, ratioOf } from './table.mjs'

const query = (what, figure, goal) => ({ bench: 'query', what, rows: 10_000_000, cores: 1, figure, goal })
const fields = (what, figure, goal) => ({ ...query(what, figure, goal), bench: 'fields', rows: 1_000_000 })
/** A rate on 1 core and on 2 cores. */
const ingest = (source, where, goal) =>
  [1, 2].map((cores) => ({
    bench: 'ingest',
    what: `full ${source}, ${where}`,
    rows: 1_000_000,
    cores,
    figure: 'rate',
    goal,
  }))
/** Rates that are multiples of the rates of other engines in the same run. */
const IN_MEMORY = { 'DuckDB memory': 1.1 }
const ON_DISK = { ClickHouse: 1.4, 'DuckDB file': 2 }
const memory = (what, rows, goal) => ({ bench: 'memory', what, rows, cores: 1, figure: 'resident', goal })

export const GOALS = [
  query('logs.all, newest 100, top', 'later', 0.3),
  query('functions.invocation-stats 7day, top', 'first', 10),
  query('functions.invocation-stats 7day, top', 'later', 0.5),
  query('functions.invocation-stats 7day, small', 'first', 0.5),
  query('usage.api-counts daily, top', 'first', 30),
  query('usage.api-counts daily, top', 'later', 1),
  query('usage.api-counts daily, pattern, top', 'first', 60),
  query('usage.api-counts daily, pattern, top', 'later', 1),
  query('functions.invocation-stats 1hr, top', 'later', 0.5),
  query('usage.api-counts minutely, top', 'later', 0.5),
  fields('status classes by hour, one day, top', 'first', 2),
  fields('status classes by hour, one day, top', 'later', 0.5),
  fields('newest 100 with status >= 500 and method POST, top', 'later', 3),
  fields('count by method, path, status, 7 days, top 100, top', 'first', 25),
  fields('count by request.cf.country, 7 days, top', 'first', 350),
  fields('count by request.cf.country, 7 days, top', 'later', 10),
  fields('newest 100 whose message matches a rare pattern, 7 days, top', 'first', 60),
  ...['edge_logs', 'function_edge_logs'].flatMap((source) => [
    ...ingest(source, 'in memory', IN_MEMORY),
    ...ingest(source, 'on disk', ON_DISK),
  ]),
  memory('slim function_edge_logs', 20_000_000, 1_200),
  memory('full rows of both sources, on disk', 2_000_000, 300),
]

const HEADS = ['what', 'rows', 'cores', 'unit', 'goal', OWN, 'best of the others', `${OWN} is`]

/** Returns a table with a row per goal. Cells are dashes if the result has no line for the goal. */
export function goalsTable({ lines }) {
  const rows = GOALS.map(({ goal, ...wanted }) => {
    const line = lines.find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value))
    const { what, figure, rows, cores } = wanted
    const head = [`${what}: ${figure}`, rows.toLocaleString('en'), cores]
    if (line === undefined) return [...head, '', goalOf(goal), DASH, DASH, DASH]
    const own = round(line.engines[OWN].median)
    return [...head, line.unit, goalOf(goal, line.engines), own, round(bestOf(line)), `${round(ratioOf(line))}×`]
  })
  return markdownTable(HEADS, rows)
}

/** A goal that is a multiple of missing rates is unknown. */
function goalOf(goal, engines) {
  if (typeof goal === 'number') return goal
  if (engines === undefined) return DASH
  return round(Math.max(...Object.entries(goal).map(([engine, times]) => times * engines[engine].median)))
}
