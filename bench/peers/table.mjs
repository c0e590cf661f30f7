/** Writes the results of bench:peers as a Markdown table, and computes the figures in the cells. */
import { markdownTable, round } from '../docs-tables.mjs'

export const OWN = 'logweir'
const PEERS = ['DuckDB memory', 'DuckDB file', 'ClickHouse']
/** By the bench with a table of its own: the peers in the table. */
const PEERS_OF = {
  fields: ['DuckDB memory', 'DuckDB file', 'ClickHouse JSON', 'ClickHouse String'],
  bluesky: ['DuckDB file', 'ClickHouse JSON', 'ClickHouse sorted'],
}
export const DASH = '–'

/**
 * Returns a table with a row per line of a result, without the lines about fields and events. The last column is the
 * ratio to the best peer, over 1 if logweir is better.
 */
export function table({ lines }) {
  return tableOf(
    PEERS,
    lines.filter(({ bench }) => !(bench in PEERS_OF)),
  )
}

/** Returns the same table of the lines about fields, with a column for each form of metadata. */
export const fieldsTable = (result) => tableOfBench('fields', result)

/** Returns the same table of the lines about events, with a column for each form of ClickHouse's table. */
export const eventsTable = (result) => tableOfBench('bluesky', result)

function tableOfBench(name, { lines }) {
  return tableOf(
    PEERS_OF[name],
    lines.filter(({ bench }) => bench === name),
  )
}

function tableOf(peers, lines) {
  const heads = ['what', 'rows', 'cores', 'unit', OWN, ...peers, 'logweir is']
  return markdownTable(
    heads,
    lines.map((line) => cellsOf(line, peers)),
  )
}

function cellsOf(line, peers) {
  const { what, figure, rows, cores, unit, engines } = line
  const shown = [OWN, ...peers].map((column) => (engines[column] === undefined ? DASH : round(engines[column].median)))
  return [`${what}: ${figure}`, rows.toLocaleString('en'), cores, unit, ...shown, `${round(ratioOf(line))}×`]
}

/** Returns the median of the best peer. */
export function bestOf({ best, engines }) {
  const measured = Object.entries(engines).flatMap(([column, { median }]) => (column === OWN ? [] : median))
  return best === 'least' ? Math.min(...measured) : Math.max(...measured)
}

/** Returns how many times better logweir is than the best peer. */
export function ratioOf(line) {
  const { median } = line.engines[OWN]
  return line.best === 'least' ? bestOf(line) / median : median / bestOf(line)
}
