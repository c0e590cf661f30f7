import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { listenTo, statusLines } from '../../support/raw-http.js'
import { type Served, serve } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'

const SOCKETS = 500
const TEXT = getText('/health')
const HEADERS_MS = 5_000
/** The promise is one check per second. The server checks more often, so that the server can reach all clients. */
const CHECK_MS = 1_000
/** The delay until a client with SOCKETS sockets, perhaps on the core of the server, has read the answer. */
const HEARD_MS = 250

/** Sends a byte each second until the connection is closed. Returns the connection's lifetime and the status lines. */
async function drip(socket: Socket) {
  const hearing = listenTo(socket)
  const startMs = performance.now()
  let sent = 0
  const send = () => socket.writable && socket.write(TEXT[sent++]!)
  send()
  const timer = setInterval(send, 1_000)
  const heard = await hearing
  clearInterval(timer)
  return { livedMs: performance.now() - startMs, told: statusLines(heard) }
}

/** Repeats /health. The returned function stops and returns the milliseconds of each answer, ascending. */
function probe(service: Served): () => Promise<number[]> {
  const times: number[] = []
  let isStopped = false
  const probing = (async () => {
    while (!isStopped) {
      const startMs = performance.now()
      const { status } = await service.get('/health')
      times.push(performance.now() - startMs)
      expect(status).toBe(200)
      await wait(2)
    }
  })()
  return async () => {
    isStopped = true
    await probing
    return times.sort((a, b) => a - b)
  }
}

it(`S5: ${SOCKETS} clients that send a byte a second are closed in time, and others do not notice`, async () => {
  const service = await serve()
  service.child.stdin!.end('{"source":"edge_logs","project":"legal"}\n')
  await service.waitForStderr(/1 rows accepted/)
  const sockets = Array.from({ length: SOCKETS }, dialer(service))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // The server has accepted all clients when the server answers a later client.
  await service.get('/health')
  const stopProbe = probe(service)
  const drips = sockets.map(drip)
  await wait(2_500)
  expect((await service.rows('logs.all?project=legal')).length).toBe(1)
  const ends = await Promise.all(drips)
  const livedMs = ends.map((end) => end.livedMs).sort((a, b) => a - b)
  const healthMs = await stopProbe()
  const p99 = healthMs[Math.floor(healthMs.length * 0.99)]!
  console.log(
    `S5 closed after ${Math.round(livedMs[0]!)} to ${Math.round(livedMs.at(-1)!)} ms, ` +
      `/health p99 ${p99.toFixed(1)} ms of ${healthMs.length}`,
  )
  expect(ends.map(({ told }) => told)).toEqual(Array(SOCKETS).fill(['HTTP/1.1 408 Request Timeout']))
  expect(livedMs[0]).toBeGreaterThan(HEADERS_MS - CHECK_MS)
  expect(livedMs.at(-1)).toBeLessThanOrEqual(HEADERS_MS + CHECK_MS + HEARD_MS)
  expect(healthMs.length).toBeGreaterThan(100)
  expect(p99).toBeLessThanOrEqual(100)
})
