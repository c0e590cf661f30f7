/**
 * Demonstrates the built program: pipes in records of all nine sources over the last 7 days, queries each endpoint for
 * the project with the most records, and prints a link to the page. Serves until Ctrl-C.
 *
 *   --port N   the first port to try, 4000 by default (0: any). If the port is in use, the next free port
 *   --rows N   number of records, 200000 by default
 *   --once     stop after the queries have been answered
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { projectRef, TOP_RANK } from '../dist/generate/values/projects.js'
import { startTokenProxy } from './token-proxy.mjs'

const SEED = 1
const HOST = '127.0.0.1'
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

/** Returns the options of the command line, the port as a number. Throws if an option is invalid. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4000' },
      rows: { type: 'string', default: '200000' },
      once: { type: 'boolean', default: false },
    },
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new Error(`--port: "${values.port}" is not a port such as 4000`)
  return { ...values, port }
}

let options
try {
  options = readOptions()
} catch (error) {
  console.error(`demo: ${error.message}`)
  process.exit(1)
}

const token = randomBytes(16).toString('base64url')
const project = projectRef(SEED, TOP_RANK)

/** Returns the first free port, starting at `port`. */
async function freePort(port) {
  const probe = createServer()
  const listened = await new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, HOST, () => resolve(true))
  })
  if (!listened) return freePort(port + 1)
  const free = probe.address().port
  probe.close()
  await once(probe, 'close')
  return free
}

/** The environment without settings of logweir: the settings of another service could break the demo. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LOGWEIR_')))

function startServer(port) {
  return spawn(process.execPath, [CLI, 'serve', '--in-memory', '--sql', '--host', HOST, '--port', String(port)], {
    stdio: ['pipe', 'inherit', 'pipe'],
    // In a separate process group: Ctrl-C reaches the server only through this script, not also from the terminal.
    detached: true,
    env: { ...ENVIRONMENT, LOGWEIR_ACCESS_TOKENS: token },
  })
}

/** Pipes generated records into the server's standard input, then ends the input. Rejects if the generator fails. */
function feed(server) {
  const args = ['generate', '--rows', options.rows, '--seed', String(SEED), '--span', '7d']
  const generator = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: ENVIRONMENT })
  // If the server stops early, the exit is reported elsewhere. Without a reader the generator would wait forever.
  server.stdin.on('error', () => generator.kill())
  server.once('exit', () => generator.kill())
  // Ends the input only if the generator succeeds, so that a failure does not look like a service without rows.
  generator.stdout.pipe(server.stdin, { end: false })
  return new Promise((_, reject) => {
    generator.once('close', (code) => {
      if (code > 0) reject(new Error('the records cannot be generated'))
      else server.stdin.end()
    })
  })
}

/** Prints the log of the server. Resolves when the server has read all input, and rejects if the server stops. */
function waitForInput(server) {
  return new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the server stopped with code ${code}`)))
    createInterface({ input: server.stderr }).on('line', (line) => {
      console.log(line)
      if (line.includes('standard input ended')) resolve()
    })
  })
}

const QUERIES = [
  `logs.all?project=${project}&project_tier=PRO`,
  `functions.invocation-stats?project=${project}&interval=7day`,
  `usage.api-counts?project=${project}&interval=daily`,
]

async function runQuery(base, query) {
  const url = `${base}/api/endpoints/query/${query}`
  const response = await fetch(url, { headers: { 'X-API-KEY': token } })
  const { result } = await response.json()
  if (!response.ok || result.length === 0) throw new Error(`${url} answered ${response.status} without a row`)
  console.log(`\n# ${result.length} rows, the first: ${JSON.stringify(result[0]).slice(0, 160)}`)
  console.log(`curl -H 'X-API-KEY: ${token}' '${url}'`)
}

const port = await freePort(options.port)
const base = `http://${HOST}:${port}`
const server = startServer(port)
let stopping = false
function stop() {
  if (!stopping) server.kill('SIGTERM')
  stopping = true
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
try {
  await Promise.race([feed(server), waitForInput(server)])
  server.removeAllListeners('exit')
  const page = await startTokenProxy(base, token)
  console.log(`\nURL    ${base}\nToken  ${token}`)
  console.log(`Page   ${page}/#project=${project}&range=7day (signed in, for as long as the demo runs)`)
  for (const query of QUERIES) await runQuery(base, query)
  if (options.once) stop()
  else console.log('\nServing until Ctrl-C.')
  if (server.exitCode === null) await once(server, 'exit')
  process.exitCode = server.exitCode ?? 1
} catch (error) {
  if (!stopping) console.error(`demo: ${error.message}`)
  process.exitCode = stopping ? 0 : 1
  stop()
}
