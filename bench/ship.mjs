/**
 * A shipper of the bench `upload`: sends records in JSON arrays over a few connections, each array again until it is
 * taken. It talks to its parent: `{rows, source, bodyBytes, connections}` in, `{bytes}` out once all bodies are made;
 * `{port, headers, path}` in, which starts it; `{half: true}` out when half of them are taken, and at the end what came
 * of all. It writes and reads sockets itself: Node's HTTP client takes a share of a core that is not the service's.
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
let taken = 0
const answers = {}
const startMs = performance.now()
const startCpu = process.cpuUsage()
await Promise.all(Array.from({ length: connections }, shipOnAndOn))
const seconds = (performance.now() - startMs) / 1000
const { user, system } = process.cpuUsage(startCpu)
process.send({ seconds, coreSeconds: (user + system) / 1e6, answers }, () => process.disconnect())

/** All records, as JSON arrays of at most `bodyBytes`. */
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
      // A comma, which at the start of an array becomes its bracket.
      body[filled++] = 0x2c
      filled += chunk.copy(body, filled, start, end)
    }
  }
  finish()
  return made
}

async function shipOnAndOn() {
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
    if (++taken === bodies.length >> 1) process.send({ half: true })
  }
  socket?.end()
}

/** A connection; undefined where there is none to be had. */
function open() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}

/**
 * The status of the answer, `none` where the connection ends before one, `refused` where there is no connection; and
 * whether the connection takes no more: a body that is sent behind `Connection: close` is lost on the way.
 */
function post(socket, body) {
  if (socket === undefined) return { status: 'refused', isLast: true }
  return new Promise((resolve) => {
    let heard = ''
    socket.removeAllListeners('error').on('error', () => {})
    socket.removeAllListeners('close').once('close', () => resolve({ status: 'none', isLast: true }))
    socket.removeAllListeners('data').on('data', (chunk) => {
      heard += chunk.latin1Slice()
      const head = heard.indexOf(END_OF_HEAD.latin1Slice())
      const length = /^content-length: (\d+)/im.exec(heard)
      if (head < 0 || heard.length < head + END_OF_HEAD.length + Number(length[1])) return
      const status = Number(heard.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
      resolve({ status, isLast: status !== 200 || /^connection: close/im.test(heard) })
    })
    const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, 'Content-Length': body.length })
    socket.cork()
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    socket.write(body)
    socket.uncork()
  })
}
