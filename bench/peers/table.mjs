/** A result as a Markdown table, and what its columns are made of. */
export const OWN = 'logweir'
const PEERS = ['DuckDB memory', 'DuckDB file', 'ClickHouse']
const HEADS = ['what', 'rows', 'cores', 'unit', OWN, ...PEERS, 'logweir is']
export const DASH = '–'

/** One row a line; the last column is logweir's median against the best one of the peers, over 1 where it is better. */
export function table({ lines }) {
  const rule = HEADS.map((_head, i) => (i === 0 ? '---' : '---:'))
  return [HEADS, rule, ...lines.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function cellsOf(line) {
  const { what, figure, rows, cores, unit, engines } = line
  const shown = [OWN, ...PEERS].map((column) => (engines[column] === undefined ? DASH : round(engines[column].median)))
  return [`${what}: ${figure}`, rows.toLocaleString('en'), cores, unit, ...shown, `${round(ratioOf(line))}×`]
}

/** The median of the best one of the peers. */
export function bestOf({ best, engines }) {
  const measured = PEERS.flatMap((column) => engines[column]?.median ?? [])
  return best === 'least' ? Math.min(...measured) : Math.max(...measured)
}

/** How many times better logweir is than the best one of the peers. */
export function ratioOf(line) {
  const own = line.engines[OWN].median
  return line.best === 'least' ? bestOf(line) / own : own / bestOf(line)
}

/** Three digits, never as 1e+3. */
export function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
