/** The goals for logweir on one core of a server of 2026, in a table with the measured figures. */
import { markdownTable, round } from '../docs-tables.mjs'
import { bestOf, DASH, OWN, ratioOf } from './table.mjs'

const query = (what, figure, goal) => ({ bench: 'query', what, rows: 10_000_000, cores: 1, figure, goal })
const fields = (what, figure, goal) => ({ ...query(what, figure, goal), bench: 'fields', rows: 1_000_000 })
const ingest = (where, cores, goal) => ({
  bench: 'ingest',
  what: `full edge_logs, ${where}`,
  rows: 1_000_000,
  cores,
  figure: 'rate',
  goal,
})
const memory = (what, rows, goal) => ({ bench: 'memory', what, rows, cores: 1, figure: 'resident', goal })

export const GOALS = [
  query('logs.all, newest 100, top', 'later', 0.3),
  query('functions.invocation-stats 7day, top', 'first', 5),
  query('functions.invocation-stats 7day, top', 'later', 0.5),
  query('functions.invocation-stats 7day, small', 'first', 0.3),
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
  ingest('in memory', 1, 450),
  ingest('in memory', 2, 750),
  ingest('on disk', 1, 360),
  ingest('on disk', 2, 600),
  memory('slim function_edge_logs', 20_000_000, 1_200),
  memory('full rows of both sources, on disk', 2_000_000, 250),
]

const HEADS = ['what', 'rows', 'cores', 'unit', 'goal', OWN, 'best of the others', `${OWN} is`]

/** Returns a table with one row per goal; dashes if the result has no line for it. */
export function goalsTable({ lines }) {
  const rows = GOALS.map(({ goal, ...wanted }) => {
    const line = lines.find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value))
    const { what, figure, rows, cores } = wanted
    const head = [`${what}: ${figure}`, rows.toLocaleString('en'), cores]
    if (line === undefined) return [...head, '', goal, DASH, DASH, DASH]
    return [...head, line.unit, goal, round(line.engines[OWN].median), round(bestOf(line)), `${round(ratioOf(line))}×`]
  })
  return markdownTable(HEADS, rows)
}
