/** The results as a Markdown table. Alone it puts that of the last run into the docs: `node bench/peers/table.mjs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OWN = 'logweir'
const PEERS = ['DuckDB memory', 'DuckDB file', 'ClickHouse']
const HEADS = ['what', 'rows', 'cores', 'unit', OWN, ...PEERS, 'logweir is']
const DASH = '–'

/** One row a line; the last column is logweir's median against the best one of the peers, over 1 where it is better. */
export function table({ lines }) {
  const rule = HEADS.map((_head, i) => (i === 0 ? '---' : '---:'))
  return [HEADS, rule, ...lines.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function cellsOf({ what, figure, rows, cores, unit, best, engines }) {
  const medianOf = (column) => engines[column]?.median
  const shown = [OWN, ...PEERS].map((column) => (medianOf(column) === undefined ? DASH : round(medianOf(column))))
  const ratio = `${round(ratioOf(medianOf(OWN), PEERS.map(medianOf), best))}×`
  return [`${what}: ${figure}`, rows.toLocaleString('en'), cores, unit, ...shown, ratio]
}

function ratioOf(own, peers, best) {
  const measured = peers.filter((value) => value !== undefined)
  return best === 'least' ? Math.min(...measured) / own : own / Math.max(...measured)
}

/** Three digits, never as 1e+3. */
function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en')
}

const DOCS = new URL('../../docs/performance.md', import.meta.url)
const PLACE = /(<!-- peers -->\n).*(<!-- \/peers -->)/s

/** Puts the table of a result into docs/performance.md. */
export function showTable(result) {
  const shown = readFileSync(DOCS, 'utf8').replace(
    PLACE,
    (_all, before, after) => `${before}\n${table(result)}\n\n${after}`,
  )
  writeFileSync(DOCS, shown)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  showTable(JSON.parse(readFileSync(new URL('../results/peers.json', import.meta.url), 'utf8')))
}
