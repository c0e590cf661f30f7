/**
 * Logs `rows` rows for each project with pino and the transport pino-logflare, and ends when all are sent.
 *
 *   node pino.mjs '{"apiBaseUrl":"http://127.0.0.1:4000","apiKey":"…",
 *     "sourceToken":"edge_logs","projects":["a"],"rows":100}'
 */
import { once } from 'node:events'
import pino from 'pino'

const { projects, rows, ...options } = JSON.parse(process.argv[2])
// So long that the timeout never sends a batch: records logged during such a request would be lost.
const transport = pino.transport({ target: 'pino-logflare', options: { batchTimeout: 600_000, ...options } })
const logger = pino(transport)
for (const project of projects) {
  const child = logger.child({ project })
  for (let row = 0; row < rows; row++) child.warn({ row, nested: { list: [1.5, null], text: 'a"\n€' } }, `row ${row}`)
}
// The thread of the transport does not keep the process alive.
const alive = setInterval(() => {}, 1_000)
transport.end()
await once(transport, 'close')
clearInterval(alive)
