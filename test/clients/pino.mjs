/**
 * Logs over pino and its transport pino-logflare, for each project as many rows as are asked for, and ends when all are
 * sent.
 *
 *   node pino.mjs '{"apiBaseUrl":"http://127.0.0.1:4000","apiKey":"…","sourceToken":"edge_logs","projects":["a"],"rows":100}'
 */
import { once } from 'node:events'
import pino from 'pino'

const { projects, rows, ...options } = JSON.parse(process.argv[2])
// So late a timeout never sends a batch by itself: what is logged while one is under way would be lost.
const transport = pino.transport({ target: 'pino-logflare', options: { batchTimeout: 600_000, ...options } })
const logger = pino(transport)
for (const project of projects) {
  const child = logger.child({ project })
  for (let row = 0; row < rows; row++) child.warn({ row, nested: { list: [1.5, null], text: 'a"\n€' } }, `row ${row}`)
}
// The transport's thread keeps no process alive.
const alive = setInterval(() => {}, 1_000)
transport.end()
await once(transport, 'close')
clearInterval(alive)
