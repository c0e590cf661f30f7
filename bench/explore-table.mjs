/** Writes the results of the explore bench as a table into docs/performance.md. */
import { readFileSync } from 'node:fs'
import { markdownTable, putTables, round } from './docs-tables.mjs'

const LINES = [
  ['rows after another range', 'firstRowsMs'],
  ['its histogram', 'firstHistogramMs'],
  ['its fields', 'firstFieldsMs'],
  ['rows after a filter on a declared field', 'filterRowsMs'],
  ['its histogram', 'filterHistogramMs'],
  ['rows after a search in all messages', 'searchRowsMs'],
  ['longest time between two frames while 10,000 rows are scrolled through', 'scrollFrameMs'],
]

/** Returns a Markdown table: the median, and the least and the highest of the processes. */
export function exploreTable({ cases: [{ medians, least, most }] }) {
  const rows = LINES.map(([what, name]) => [
    what,
    `${round(medians[name])} ms`,
    `${round(least[name])} to ${round(most[name])} ms`,
  ])
  return markdownTable(['from the input to the frame that shows it', 'median', 'three processes'], rows)
}

/** Shows the result file at the URL `results`. */
export function showExplore(results) {
  const table = exploreTable(JSON.parse(readFileSync(results, 'utf8')))
  console.log(`\n${table}`)
  putTables('performance.md', { explore: table })
}
