/** Writes the results of bench:peers as a Markdown table, and computes the figures in its cells. */
import { markdownTable, round } from '../docs-tables.mjs'

export const OWN = 'logweir'
const PEERS = ['DuckDB memory', 'DuckDB file', 'ClickHouse']
const HEADS = ['what', 'rows', 'cores', 'unit', OWN, ...PEERS, 'logweir is']
export const DASH = '–'

/**
 * Returns a table with one row per line of a result. The last column is the ratio to the best peer, over 1 if logweir
 * is better.
 */
export function table({ lines }) {
  return markdownTable(HEADS, lines.map(cellsOf))
}

function cellsOf(line) {
  const { what, figure, rows, cores, unit, engines } = line
  const shown = [OWN, ...PEERS].map((column) => (engines[column] === undefined ? DASH : round(engines[column].median)))
  return [`${what}: ${figure}`, rows.toLocaleString('en'), cores, unit, ...shown, `${round(ratioOf(line))}×`]
}

/** Returns the median of the best peer. */
export function bestOf({ best, engines }) {
  const measured = PEERS.flatMap((column) => engines[column]?.median ?? [])
  return best === 'least' ? Math.min(...measured) : Math.max(...measured)
}

/** Returns how many times better logweir is than the best peer. */
export function ratioOf(line) {
  const { median } = line.engines[OWN]
  return line.best === 'least' ? bestOf(line) / median : median / bestOf(line)
}
