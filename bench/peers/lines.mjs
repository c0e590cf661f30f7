/**
 * SQL over a file of NDJSON without a service: logweir lines next to jq, DuckDB and ClickHouse (in process), whole
 * processes in turn, the file in the page cache. Prints a line of JSON for each question and engine: the median of
 * wall seconds, and MB of the file a second. Throws if two answers differ.
 *
 *   node bench/peers/lines.mjs 200000 3    full edge records (1.9 KB each), and rounds
 */
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readOnce, records, write } from '../data.mjs'
import { median } from '../process.mjs'

const ROOT = new URL('../..', import.meta.url).pathname
const { values, positionals } = parseArgs({ allowPositionals: true, options: { child: { type: 'string' } } })

/** The same questions in the words of each engine. Each answer is lines of JSON. */
const QUESTIONS = {
  'two fields': {
    logweir: `select metadata.request.method as m, metadata.response.status_code as s, count(*) as n
      from lines group by m, s`,
    duckdb: (file) => `select metadata.request.method as m, metadata.response.status_code as s, count(*) as n
      from read_ndjson('${file}') group by all`,
    clickhouse: (file) => `select JSONExtractString(json, 'metadata', 'request', 'method') as m,
      JSONExtractInt(json, 'metadata', 'response', 'status_code') as s, toUInt32(count()) as n
      from file('${file}', 'JSONAsString', 'json String') group by m, s`,
    jq: `reduce inputs as $l ({}; .[[$l.metadata.request.method, $l.metadata.response.status_code] | tojson] += 1)
      | to_entries[] | (.key | fromjson) as [$m, $s] | {m: $m, s: $s, n: .value}`,
  },
  'a text': {
    logweir: `select count(*) as n from lines where event_message like '%/auth/v1/token%'`,
    duckdb: (file) => `select count(*) as n from read_ndjson('${file}') where event_message like '%/auth/v1/token%'`,
    clickhouse: (file) => `select toUInt32(count()) as n from file('${file}', 'JSONAsString', 'json String')
      where JSONExtractString(json, 'event_message') like '%/auth/v1/token%'`,
    jq: `{n: (reduce inputs as $l (0; if $l.event_message | contains("/auth/v1/token") then . + 1 else . end))}`,
  },
}

const ENGINES = {
  logweir: ({ logweir }, file) => [process.execPath, [`${ROOT}dist/cli.js`, 'lines', logweir, file]],
  duckdb: ({ duckdb }, file) => [process.execPath, [import.meta.filename, '--child', 'duckdb', duckdb(file)]],
  clickhouse: ({ clickhouse }, file) => [process.execPath, [import.meta.filename, '--child', 'chdb', clickhouse(file)]],
  jq: ({ jq }, file) => ['jq', ['-cn', jq, file]],
}

/** An object in place of a list of a single object, as some shippers send: DuckDB would see two types. */
const plain = (_, value) =>
  Array.isArray(value) && value.length === 1 && typeof value[0] === 'object' ? value[0] : value

function* plainRecords(rows) {
  for (const chunk of records('edge_logs', rows, false)) {
    const lines = String(chunk)
      .split('\n')
      .filter((line) => line !== '')
    yield lines.map((line) => `${JSON.stringify(JSON.parse(line, plain))}\n`).join('')
  }
}

/** Runs a process. Returns its output, and the seconds that it took. */
async function run([command, args]) {
  const startMs = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return { output, seconds: (performance.now() - startMs) / 1000 }
}

/** The answer in an order of its own. */
const sorted = (output) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.stringify(Object.entries(JSON.parse(line)).sort()))
    .sort()
    .join('\n')

async function compare(rows, rounds) {
  const file = join(tmpdir(), `logweir-bench-lines-${rows}.ndjson`)
  if (!existsSync(file)) await write(file, [plainRecords(rows)])
  await readOnce(file)
  const mb = statSync(file).size / 1e6
  for (const [question, texts] of Object.entries(QUESTIONS)) {
    const seconds = Object.fromEntries(Object.keys(ENGINES).map((name) => [name, []]))
    const answers = new Set()
    for (let round = 0; round < rounds; round++) {
      for (const [name, commandOf] of Object.entries(ENGINES)) {
        const result = await run(commandOf(texts, file))
        seconds[name].push(result.seconds)
        answers.add(sorted(result.output))
      }
    }
    if (answers.size !== 1) throw new Error(`The answers to "${question}" differ: ${[...answers].join('\n\n')}`)
    for (const [engine, all] of Object.entries(seconds)) {
      const s = median(all)
      console.log(JSON.stringify({ question, engine, seconds: Number(s.toFixed(2)), mbPerSecond: Math.round(mb / s) }))
    }
  }
}

async function askDuckdb(sql) {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await connection.runAndReadAll(sql)
  for (const row of reader.getRowObjectsJson())
    console.log(JSON.stringify(row, (key, value) => (key === 'n' || key === 's' ? Number(value) : value)))
}

async function askClickhouse(sql) {
  const { query } = await import('chdb')
  process.stdout.write(query(sql, 'JSONEachRow'))
}

const [first, second] = positionals
if (values.child === 'duckdb') await askDuckdb(first)
else if (values.child === 'chdb') await askClickhouse(first)
else await compare(Number(first ?? 200_000), Number(second ?? 3))
