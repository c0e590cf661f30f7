/** Prints the results of the digest bench as a table and writes the table into docs/performance.md. */
import { readFileSync } from 'node:fs'
import { markdownTable, putTables, round } from './docs-tables.mjs'

const DIGESTS = ['logweir', 'tdigest']
const HEADS = ['values', ...DIGESTS, ...DIGESTS.map((name) => `${name}: rank error`)]

/** Returns a Markdown table, a row per distribution: times and rank errors (p50, p95, p99, p99.9) of both digests. */
export function digestTable({ cases }) {
  const distributions = [...new Set(cases.map(({ args: [, distribution] }) => distribution))]
  const rows = distributions.map((distribution) => {
    const medians = DIGESTS.map((name) => cases.find(({ args }) => args.join() === `${name},${distribution}`).medians)
    return [distribution, ...medians.map(({ msPerMillion }) => `${round(msPerMillion)} ms`), ...medians.map(errorsIn)]
  })
  return markdownTable(HEADS, rows)
}

const errorsIn = (medians) =>
  ['p50', 'p95', 'p99', 'p999'].map((key) => Number(medians[`${key}ErrorPoints`].toFixed(3))).join(', ')

/** Shows the result file at the URL `results`. */
export function showDigest(results) {
  const table = digestTable(JSON.parse(readFileSync(results, 'utf8')))
  console.log(`\n${table}`)
  putTables('performance.md', { digest: table })
}
