/** Prints the results of the digest bench as a table, and puts the table into docs/performance.md. */
import { readFileSync } from 'node:fs'
import { markdownTable, putTables, round } from './docs-tables.mjs'

const DIGESTS = ['logweir', 'tdigest']
const HEADS = ['values', ...DIGESTS, ...DIGESTS.map((name) => `${name}: rank error`)]

/** One row for each distribution: the times of both digests, and their rank errors at p50, p95, p99 and p99.9. */
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

/** `results` is the URL of the result file. */
export function showDigest(results) {
  const table = digestTable(JSON.parse(readFileSync(results, 'utf8')))
  console.log(`\n${table}`)
  putTables('performance.md', { digest: table })
}
