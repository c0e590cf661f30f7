/**
 * Compares the rows of logweir lines with those of DuckDB, for queries that both read in the same meaning, over one
 * file of generated lines. Prints a line for each query, and exits with 1 if one differs.
 *
 *   node bench/peers/lines-check.mjs 1000000    lines
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { write } from '../data.mjs'

const ROOT = new URL('../..', import.meta.url).pathname
const COUNT = Number(process.argv[2] ?? 1_000_000)

/** `lines` is the table of both. */
const QUERIES = [
  'select count(*) as n from lines',
  'select level, count(*) as n from lines group by level',
  'select level, status, count(*) as n, sum(ms) as s, min(ms) as a, max(ms) as b from lines group by level, status',
  'select host, avg(ms) as ms from lines group by host',
  'select req.method as m, count(*) as n from lines group by req.method having count(*) > 1000',
  'select req.path as p, max(ms) as ms from lines where status >= 500 group by req.path order by ms desc, p limit 7',
  'select distinct host, level from lines',
  'select count(distinct req.path) as n, count(req.path) as m from lines',
  "select count(*) as n from lines where req.path like '/api/%/7' or level in ('error', 'fatal')",
  'select count(*) as n from lines where user is null',
  'select coalesce(user, host) as who, count(*) as n from lines group by 1 order by n desc, who limit 20',
  "select case when status >= 500 then 'bad' when status >= 400 then " +
    "'odd' else 'good' end as c, count(*) as n from lines group by 1",
  'select seq, ms from lines where ms > 999 order by seq limit 50',
  'select seq from lines where not (status = 200) and host <> level order by seq desc limit 10 offset 5',
  'select status - 1 as s, sum(ms * 2) as d from lines where seq < 5000 group by 1',
  'select upper(level) as l, length(req.path) as n, count(*) as c from lines group by 1, 2',
  'select level, n from (select level, count(*) as n from lines group by level) as x where n > 10',
  'with slow as (select host, ms from lines where ms > 900) select host, count(*) as n from slow group by host',
  'select level as k, count(*) as n from lines group by level union ' +
    'all select host as k, count(*) as n from lines group by host',
  'select count(*) as n from lines where host in (select host from lines where seq < 3)',
  "select max(seq) as m from lines where user is not null and req.method = 'POST' and ms between 10 and 20",
]

function* lines() {
  let state = 7
  const below = (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const LEVELS = ['debug', 'info', 'info', 'info', 'warn', 'error', 'fatal']
  const METHODS = ['GET', 'GET', 'POST', 'PUT', 'DELETE']
  for (let seq = 0; seq < COUNT; ) {
    let chunk = ''
    for (let i = 0; i < 1_000 && seq < COUNT; i++, seq++) {
      chunk += `${JSON.stringify({
        seq,
        time: 1_796_000_000_000 + seq,
        level: LEVELS[below(7)],
        host: `web-${below(12)}`,
        ...(below(3) === 0 && { user: `u${below(500)}` }),
        status: [200, 200, 200, 201, 404, 500, 503][below(7)],
        ms: below(1_001),
        req: {
          method: METHODS[below(5)],
          path: `/api/v${below(3)}/${below(40)}`,
          headers: { 'x-id': `${below(1e9)}` },
        },
      })}\n`
    }
    yield chunk
  }
}

const sorted = (rows) =>
  rows
    .map((row) => JSON.stringify(Object.entries(row).sort()))
    .sort()
    .join('\n')

const file = join(tmpdir(), `logweir-bench-lines-check-${COUNT}.ndjson`)
if (!existsSync(file)) await write(file, [lines()])
const connection = await (await DuckDBInstance.create(':memory:')).connect()
let differences = 0
for (const sql of QUERIES) {
  const args = [`${ROOT}dist/cli.js`, 'lines', sql, file]
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  const own = output.split('\n').filter((line) => line !== '')
  const reader = await connection.runAndReadAll(sql.replaceAll(/\blines\b/g, `read_ndjson('${file}')`))
  // DuckDB writes 64-bit integers as texts.
  const numbers = (_, value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value)
  const theirs = JSON.parse(JSON.stringify(reader.getRowObjectsJson()), numbers)
  const isSame = sorted(own.map((line) => JSON.parse(line))) === sorted(theirs)
  if (!isSame) differences++
  console.log(`${isSame ? 'same' : 'DIFFERENT'}  ${theirs.length} rows  ${sql}`)
}
process.exitCode = differences === 0 ? 0 : 1
