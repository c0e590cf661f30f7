/**
 * Generates load on a service: each connection repeats the same request as soon as the answer is complete. Prints the
 * number of answers, and requests per second and latencies after the warm-up. Uses raw sockets: for each request Node's
 * HTTP client needs more CPU time than the service.
 *
 *   node bench/load.mjs '{"port":4000,"path":"/health","headers":{},"connections":16,"warmMs":1000,"runMs":10000}'
 */
import { connect } from 'node:net'

const { port, path, headers, connections, warmMs, runMs } = JSON.parse(process.argv[2])
const head = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
const request = `GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const startMs = performance.now() + warmMs
const endMs = startMs + runMs
const waitsMs = []
let answered = 0

await Promise.all(Array.from({ length: connections }, repeatRequest))
waitsMs.sort((a, b) => a - b)
const percentile = (share) => waitsMs[Math.min(waitsMs.length - 1, Math.ceil(share * waitsMs.length) - 1)]
console.log(
  JSON.stringify({
    answered,
    requestsPerSecond: waitsMs.length / (runMs / 1000),
    medianMs: percentile(0.5),
    p99Ms: percentile(0.99),
    worstMs: waitsMs.at(-1),
  }),
)

/** Repeats the request on a connection until `endMs`. Requests sent during the warm-up are not counted. */
function repeatRequest() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    let sentMs = 0
    let missing = 0
    const send = () => {
      sentMs = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the service closed the connection')))
    socket.on('data', (chunk) => {
      missing = missing === 0 ? answerBytes(chunk) - chunk.length : missing - chunk.length
      if (missing > 0) return
      answered++
      const nowMs = performance.now()
      if (sentMs >= startMs && nowMs < endMs) waitsMs.push(nowMs - sentMs)
      if (nowMs < endMs) return send()
      socket.removeAllListeners('close').end()
      resolve()
    })
  })
}

/**
 * Returns the length of an answer in bytes, head and body. The head must be within the first chunk, as the service
 * sends heads. Throws if the status is not 200 or the length is missing.
 */
function answerBytes(chunk) {
  const headBytes = chunk.indexOf(END_OF_HEAD) + END_OF_HEAD.length
  const head = chunk.latin1Slice(0, headBytes)
  const length = /^content-length: (\d+)/im.exec(head)
  if (!head.startsWith('HTTP/1.1 200') || length === null) throw new Error(`not a whole answer: ${head}`)
  return headBytes + Number(length[1])
}
