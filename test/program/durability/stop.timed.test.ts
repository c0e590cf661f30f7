import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { allNumbers, feed, highestShown, PROJECT, watchHighest } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { HEAD_END, headOf, isWhole, openSocket, readAll } from '../support/sockets.js'

const STOP_MS = 5_000
const ROWS_PER_SECOND = 10_000
const [UNREAD, UNFINISHED, IDLE, SILENT] = [4, 46, 20, 5]
/**
 * A connection that the system has accepted and the server has not is reset when the server closes. This may happen to
 * a single client that connects at that moment, however the server closes.
 */
const MOMENT_MS = 100
const LARGE = 'largeprojectabcdefgh'
const LARGE_ROWS = 100
/**
 * Makes an answer larger than the buffers of sockets, so that the answer is incomplete until a client reads the answer.
 */
const LARGE_MESSAGE = 'x'.repeat(80_000)

const logsOf = (project: string) => `/api/endpoints/query/logs.all?project=${project}&project_tier=ENTERPRISE`
const many = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make))

async function writeLargeRows(service: Served): Promise<void> {
  const line = `{"source":"edge_logs","project":"${LARGE}","event_message":"${LARGE_MESSAGE}"}\n`
  for (let row = 0; row < LARGE_ROWS; row++) service.child.stdin!.write(line)
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === LARGE_ROWS,
  )
}

/** Sends a query, and stops reading after the start of the answer. */
async function unread({ url }: Served): Promise<Socket> {
  const socket = await openSocket(url)
  socket.write(headOf(logsOf(LARGE)) + HEAD_END)
  await once(socket, 'readable')
  return socket
}

async function unfinished({ url }: Served): Promise<Socket> {
  const socket = await openSocket(url)
  socket.write(headOf(logsOf(PROJECT)))
  return socket
}

/** Opens a connection that got an answer and is kept alive. */
async function idle({ url }: Served): Promise<Socket> {
  const socket = await openSocket(url)
  socket.write(headOf('/health') + HEAD_END)
  await once(socket, 'readable')
  return socket
}

/** Opens a new connection and sends a query. Returns the status of the answer, `refused`, or `cut`. */
function newcomer(url: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    socket.on('connect', () => socket.write(headOf('/health') + HEAD_END))
    socket.on('data', (bytes) => void (answer += bytes))
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : `cut: ${code}`),
    )
    socket.on('close', () => resolve(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'cut'))
    setTimeout(() => socket.end(), 1000)
  })
}

/** Opens new connections. The returned function stops and returns the time and the result of each connection. */
function sendNewcomers(url: string) {
  const sent: Promise<{ atMs: number; fate: string }>[] = []
  const timer = setInterval(() => {
    const atMs = performance.now()
    sent.push(newcomer(url).then((fate) => ({ atMs, fate })))
  }, 2)
  return () => {
    clearInterval(timer)
    return Promise.all(sent)
  }
}

/** Returns the number of rows after the next start. Expects no gap among the rows. */
async function keptRows(args: readonly string[], startUs: number): Promise<number> {
  const numbers = await allNumbers(await serve(args), startUs)
  expect(numbers).toEqual([...Array(numbers.length).keys()])
  return numbers.length
}

describe('X1: SIGTERM while rows stream in and 50 queries are in flight', () => {
  it('answers them all, turns newcomers away, keeps what was read, and ends with 0 within 5 s', async () => {
    const args = ['--data-dir', temporaryFolder()]
    const startUs = Date.now() * 1000 - 3600e6
    const service = await serve(args)
    await writeLargeRows(service)
    const stopFeed = feed(service, 0, startUs, ROWS_PER_SECOND)
    await wait(500)
    const inFlight = [
      ...(await many(UNREAD, () => unread(service))),
      ...(await many(UNFINISHED, () => unfinished(service))),
    ]
    const unasked = [...(await many(IDLE, () => idle(service))), ...(await many(SILENT, () => openSocket(service.url)))]
    const stopNewcomers = sendNewcomers(service.url)
    await wait(100)
    await service.get('/health')

    const startMs = performance.now()
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    for (const socket of inFlight.slice(UNREAD)) socket.write(HEAD_END)
    const answers = await Promise.all(inFlight.map(readAll))
    for (const socket of unasked) socket.resume()
    expect(await service.exit).toBe(0)
    const tookMs = performance.now() - startMs
    stopFeed()
    const newcomers = await stopNewcomers()
    const cut = newcomers.filter(({ fate }) => fate.startsWith('cut'))
    console.log(`X1 stopped after ${tookMs} ms; ${cut.length} of ${newcomers.length} newcomers cut`)
    expect(tookMs).toBeLessThan(STOP_MS)
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200 ') && isWhole(answer))).toHaveLength(50)
    expect(answers.slice(0, UNREAD).every((answer) => answer.length > LARGE_ROWS * LARGE_MESSAGE.length)).toBe(true)
    const closedMs = Math.min(...newcomers.filter(({ fate }) => fate === 'refused').map(({ atMs }) => atMs))
    expect(cut.filter(({ atMs }) => atMs < startMs - MOMENT_MS || atMs > closedMs + MOMENT_MS)).toEqual([])
    const others = newcomers.filter((newcomer) => !cut.includes(newcomer)).map(({ fate }) => fate)
    expect(others.filter((fate) => !['200', '503', 'refused'].includes(fate))).toEqual([])
    expect(others).toContain('refused')

    const [, taken] = /standard input ended: (\d+) rows accepted, 0 rejected\n/.exec(service.stderrText())!
    expect(await keptRows(args, startUs)).toBe(Number(taken) - LARGE_ROWS)
  })
})

describe('X2: a second SIGTERM', () => {
  it('while rows stream in ends it at once, and loses no row that was shown', async () => {
    const args = ['--data-dir', temporaryFolder()]
    const startUs = Date.now() * 1000 - 3600e6
    const service = await serve(args)
    const stopFeed = feed(service, 0, startUs, ROWS_PER_SECOND)
    const stopWatch = watchHighest(service)
    // A request without an end keeps the service from stopping by itself.
    await unfinished(service)
    await until(
      () => highestShown(service),
      (highest) => highest > 1000,
    )
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    const secondMs = performance.now()
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(1)
    expect(performance.now() - secondMs).toBeLessThan(1_000)
    stopFeed()
    expect(await keptRows(args, startUs)).toBeGreaterThan(await stopWatch())
  })
})
