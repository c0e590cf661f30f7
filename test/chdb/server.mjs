/**
 * Serves an embedded ClickHouse over HTTP on a free loopback port, with the part of a server's interface that the tests
 * use: POST / with a statement as body, or in `?query=` with data as body (perhaps gzipped), and GET /ping. Stores the
 * tables in the directory of the argument. Prints `{"port": …}` when the server listens. Ends with standard input, so
 * that the server never outlives the parent process.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Session } from 'chdb'

/** Parameters of the URL that are not settings of a query. */
const NO_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'session_id',
  'session_timeout',
  'wait_end_of_query',
  'buffer_size',
  'compress',
  'decompress',
  'enable_http_compression',
])

/** An insert followed by data: the text before the place of `FROM INFILE`, and the text after that place. */
const INSERT_OF_DATA = /^(\s*INSERT\s+INTO\s+.*?)(\s+(?:SETTINGS\s.*?\s)?FORMAT\s+\w+)\s*;?\s*$/is

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('usage: server.mjs <directory for the tables>')
const DATA = join(directory, 'insert.data')
const session = new Session(join(directory, 'tables'))
let database = 'default'
let last = Promise.resolve()

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const name = (text) => `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

/** Runs a statement. Returns the answer as bytes. */
async function run(sql, format = 'TabSeparated') {
  try {
    return (await session.queryAsync(sql, { format })).bytes()
  } catch (error) {
    // Discards the written part of the failed answer, which would otherwise precede the next answer.
    await session.queryAsync('SELECT 1', { format: 'Null' })
    throw error
  }
}

async function use(wanted) {
  if (wanted === database) return
  await run(`USE ${name(wanted)}`)
  database = wanted
}

/** The settings of the session that requests have changed, with their values. */
const changed = new Map()

/** Applies the settings of a request to the session and resets earlier settings, in a single statement. */
async function set(settings) {
  const wanted = new Map(settings)
  const others = [...changed.keys()].filter((setting) => !wanted.has(setting)).map((setting) => `${setting} = DEFAULT`)
  const values = settings.filter(([setting, value]) => changed.get(setting) !== value)
  const changes = [...others, ...values.map(([setting, value]) => `${setting} = ${quote(value)}`)]
  if (changes.length === 0) return
  const names = [...changed.keys(), ...wanted.keys()]
  changed.clear()
  try {
    await run(`SET ${changes.join(', ')}`)
  } catch (error) {
    for (const setting of names) await run(`SET ${setting} = DEFAULT`).catch(() => {})
    throw error
  }
  for (const [setting, value] of wanted) changed.set(setting, value)
}

/** Returns the statement of a request. Writes the data of an insert to a file. */
function statementOf(query, body) {
  if (query === null) return body.toString()
  const insert = INSERT_OF_DATA.exec(query)
  if (insert === null) return `${query}\n${body}`
  writeFileSync(DATA, body)
  return `${insert[1]} FROM INFILE ${quote(DATA)}${insert[2]}`
}

async function answer(parameters, body) {
  const settings = [...parameters].filter(([parameter]) => !NO_SETTINGS.has(parameter))
  if (settings.some(([setting]) => !/^\w+$/.test(setting))) throw new Error('Code: 115. DB::Exception: Unknown setting')
  await use(parameters.get('database') ?? 'default')
  const sql = statementOf(parameters.get('query'), body)
  await set(settings)
  return run(sql, parameters.get('default_format') ?? undefined)
}

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** Reports an error as a server does: a header repeats the code at the start of the text. */
function fail(response, error) {
  const text = /Code: \d+\. DB::[\s\S]*/.exec(error.message)?.[0] ?? `Code: 1002. DB::Exception: ${error.message}`
  response.writeHead(500, {
    'content-type': 'text/plain; charset=UTF-8',
    'x-clickhouse-exception-code': /\d+/.exec(text)[0],
  })
  response.end(`${text}\n`)
}

async function serve(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  if (pathname !== '/') return response.writeHead(404).end()
  try {
    const body = await bodyOf(request)
    const turn = last.then(() => answer(searchParams, body))
    last = turn.catch(() => {})
    response.end(await turn)
  } catch (error) {
    fail(response, error)
  }
}

function end() {
  session.close()
  rmSync(directory, { recursive: true, force: true })
  process.exit()
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: server.address().port }))
})
process.stdin.on('end', end).on('error', end).resume()
