/**
 * The shipper of the bench `upload`: sends records in JSON arrays over a few connections and repeats each array until
 * the service accepts the array. Messages with the parent process: receives `{rows, source, bodyBytes, connections}`
 * and sends `{bytes}` when all bodies are built. Receives `{port, headers, path}` and starts. Sends `{half: true}` when
 * half of the bodies are accepted, and the totals at the end. Uses raw sockets, because Node's HTTP client needs more
 * CPU time.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { records } from './data.mjs'

const NEWLINE = 0x0a
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const RETRY_MS = 50

const [{ rows, source, bodyBytes, connections }] = await once(process, 'message')
const bodies = makeBodies()
const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
process.send({ bytes })
const [{ port, headers, path }] = await once(process, 'message')

let next = 0
let accepted = 0
const answers = {}
const startMs = performance.now()
const startCpu = process.cpuUsage()
await Promise.all(Array.from({ length: connections }, sendBodies))
const seconds = (performance.now() - startMs) / 1000
const { user, system } = process.cpuUsage(startCpu)
process.send({ seconds, coreSeconds: (user + system) / 1e6, answers }, () => process.disconnect())

/** Returns all records as JSON arrays of at most `bodyBytes`. */
function makeBodies() {
  const made = []
  let body = Buffer.alloc(bodyBytes)
  let filled = 0
  const finish = () => {
    body[0] = 0x5b
    body[filled] = 0x5d
    made.push(body.subarray(0, filled + 1))
    body = Buffer.alloc(bodyBytes)
    filled = 0
  }
  for (const chunk of records(source, rows, false)) {
    for (let start = 0, end = 0; start < chunk.length; start = end + 1) {
      end = chunk.indexOf(NEWLINE, start)
      if (filled + end - start + 2 > bodyBytes) finish()
      // `finish` replaces the first comma with the opening bracket.
      body[filled++] = 0x2c
      filled += chunk.copy(body, filled, start, end)
    }
  }
  finish()
  return made
}

/** Sends the remaining bodies on a connection, which is reopened after each failure. */
async function sendBodies() {
  let socket
  while (next < bodies.length) {
    const body = bodies[next++]
    for (;;) {
      const { status, isLast } = await post((socket ??= await open()), body)
      answers[status] = (answers[status] ?? 0) + 1
      if (isLast) socket = void socket?.destroy()
      if (status === 200) break
      await setTimeout(RETRY_MS)
    }
    if (++accepted === bodies.length >> 1) process.send({ half: true })
  }
  socket?.end()
}

/** Returns a connection, or undefined if connecting fails. */
function open() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}

/**
 * Sends a body. Returns the status of the answer, `none` if the connection ends without an answer, `refused` if there
 * is no connection. `isLast`: the connection must not be reused, since a body sent after `Connection: close` would be
 * lost.
 */
function post(socket, body) {
  if (socket === undefined) return { status: 'refused', isLast: true }
  return new Promise((resolve) => {
    let received = ''
    socket.removeAllListeners('error').on('error', () => {})
    socket.removeAllListeners('close').once('close', () => resolve({ status: 'none', isLast: true }))
    socket.removeAllListeners('data').on('data', (chunk) => {
      received += chunk.latin1Slice()
      const headEnd = received.indexOf(END_OF_HEAD.latin1Slice())
      const length = /^content-length: (\d+)/im.exec(received)
      if (headEnd < 0 || received.length < headEnd + END_OF_HEAD.length + Number(length[1])) return
      const status = Number(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
      resolve({ status, isLast: status !== 200 || /^connection: close/im.test(received) })
    })
    const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, 'Content-Length': body.length })
    socket.cork()
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    socket.write(body)
    socket.uncork()
  })
}
