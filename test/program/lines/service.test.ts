import { expect, it } from 'vitest'
import { parsedRows } from '../../lines/parsed-rows.js'
import { sampleLines } from '../../lines/sample.js'
import { testSeed } from '../../support/seed.js'
import { run, serve, start, TOKEN, until } from '../support/program.js'
import { startScript } from '../support/shell.js'

const ROWS = 700
const QUERIES = [
  'select level, count(*) as n, sum(ms) as s, avg(status) as a from lines group by level order by level',
  'select seq, timestamp, path, user.name from lines where status >= 400 order by seq',
  "select timestamp_trunc(timestamp, hour) as h, countif(msg like '%e%') as n from lines group by h order by h",
  'select e.k, sum(e.v) as v from lines cross join unnest(items) as e group by e.k order by e.k',
  'select count(distinct user.id) as n, max(`a.b`) as m, approx_quantiles(seq, 4)[offset(2)] > 0 as q from lines',
]

it('lines have the rows of a service that was sent the lines, and its rows are lines', async () => {
  const service = await serve(['--sql', '--sources', 'app', '--source', 'app'])
  const lines = sampleLines(ROWS, testSeed()).map((line) => `{"project":"a",${line.slice(1)}`)
  service.child.stdin!.write(`${lines.join('\n')}\n`)
  await until(
    () => service.metric('logweir_rows{source="app"}'),
    (rows) => rows === ROWS,
  )
  const environment = { LOGWEIR_TOKEN: TOKEN }
  const query = ['query', '--url', service.url, '--project', 'a', '--format', 'ndjson', '--sql']
  for (const sql of QUERIES) {
    const stored = await run([...query, sql.replaceAll('lines', 'app')], { environment })
    expect([sql, stored.code, stored.stderr]).toEqual([sql, 0, ''])
    const program = start(['lines', sql], { stdin: 'pipe' })
    let printed = ''
    program.child.stdout!.on('data', (piece) => {
      printed += piece
    })
    program.child.stdin!.end(lines.join('\n'))
    expect(await program.exit).toBe(0)
    expect(parsedRows(printed)).toEqual(parsedRows(stored.stdout.toString()))
  }
  const flags = `--url ${service.url} --project a --format ndjson`
  const sql = 'select seq, timestamp, level from app where seq < 900 limit 1000'
  const again = 'select count(*) as n, sum(seq) as s, count(timestamp) as t from lines'
  const script = startScript(`logweir query ${flags} --sql '${sql}' | logweir lines '${again}'`, environment)
  await script.ended
  expect(script.stderr()).toBe('')
  expect(script.stdout()).toBe(`{"n":${ROWS},"s":${(ROWS * (ROWS - 1)) / 2},"t":${ROWS}}\n`)
})
