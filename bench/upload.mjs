/**
 * Measures ingest over HTTP: JSON arrays of 1 MB over a few connections. The client is a separate process on the same
 * cores as the service. With `restart` the service is stopped and restarted when half of the bodies are accepted. The
 * client repeats each body that was not answered with 200.
 *
 *   node bench/upload.mjs 1000000 memory | disk | restart
 *
 * Throws if a row is lost or duplicated.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CORE, cpuSeconds, startNode } from './process.mjs'
import { metric, startService, TOKEN } from './service.mjs'

/** A full record of this source has 1.4 KB. */
const SOURCE = 'function_edge_logs'
const BODY_BYTES = 1_000_000
const CONNECTIONS = 4

const rows = Number(process.argv[2] ?? 1_000_000)
const mode = process.argv[3] ?? 'memory'
const dataDir = mode === 'memory' ? undefined : mkdtempSync(join(tmpdir(), 'logweir-bench-data-'))
const args = dataDir === undefined ? ['--in-memory'] : ['--data-dir', dataDir]

const shipper = new URL('ship.mjs', import.meta.url).pathname
const client = startNode([shipper], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }, CORE)
const messageWith = (name) =>
  new Promise((resolve) => client.on('message', (message) => name in message && resolve(message)))
const [made, half, shipped] = ['bytes', 'half', 'seconds'].map(messageWith)
client.send({ rows, source: SOURCE, bodyBytes: BODY_BYTES, connections: CONNECTIONS })
const { bytes } = await made
let service = await startService('ignore', args)
const port = new URL(service.url).port
const path = `/api/logs?source=${SOURCE}`
const headers = { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' }
const idleMb = service.residentMb()
client.send({ port, path, headers })
await half
if (mode === 'restart') {
  await service.stop()
  service = await startService('ignore', [...args, '--port', port])
}
const { seconds, coreSeconds: clientCoreSeconds, answers } = await shipped
const visible = await metric(service, 'logweir_rows')
console.log(
  JSON.stringify({
    rows: visible,
    seconds,
    mbPerSecond: bytes / 1e6 / seconds,
    rowsPerSecond: visible / seconds,
    recordBytes: bytes / rows,
    serviceCoreSeconds: cpuSeconds(service.pid),
    clientCoreSeconds,
    idleMb,
    residentMb: service.residentMb(),
    peakMb: service.peakMb(),
    answers,
  }),
)
await service.stop()
if (dataDir !== undefined) rmSync(dataDir, { recursive: true })
if (visible !== rows) throw new Error(`${rows} rows were sent, but ${visible} are visible`)
