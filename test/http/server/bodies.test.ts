import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { RecordIntake } from '../../../src/http/intake/logs.js'
import { openEngine } from '../../support/engine.js'
import { eventually } from '../../support/eventually.js'
import { createGate } from '../../support/gate.js'
import { bodyOf, exchange, listenTo, nextAt, statusLines } from '../../support/raw-http.js'
import { LLHTTP_BROKEN_BODIES } from '../llhttp-cases.js'
import { BROKEN_BODIES } from '../malformed-cases.js'
import { LOGS_ALL } from '../support.js'
import { BAD_REQUEST, get, serve } from './support.js'

/** A server with an intake that keeps the given bodies. The intake stores each body when `stores` is open. */
async function open(stores = Promise.resolve()) {
  const stored: string[] = []
  const intake: RecordIntake = {
    writeFailure: () => undefined,
    prepare() {},
    async take(bytes) {
      stored.push(Buffer.from(bytes).toString())
      await stores
      return { taken: 1, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  const served = await serve({ intake, translate: async (bytes) => bytes })
  /** Returns the numbers of answers by status. */
  const counts = async () =>
    Object.fromEntries((await served.metrics.requests.get()).values.map(({ labels, value }) => [labels.status, value]))
  return { ...served, stored, counts }
}

const RECORD = '[{"source":"edge_logs"}]'
const CHUNKS = `${RECORD.length.toString(16)}\r\n${RECORD}\r\n0\r\n\r\n`

/** Returns the text of a request with the token that sends records. */
const post = (body: string, ...headers: readonly string[]) => postTo('/api/logs', body, ...headers)

const postTo = (path: string, body: string, ...headers: readonly string[]) =>
  get(path, 'Content-Type: application/json', ...headers).replace('GET', 'POST') + body

const CHUNKED = 'Transfer-Encoding: chunked'
const lengthOf = (body: string) => `Content-Length: ${body.length}`

const glued = get(`${LOGS_ALL}?project=glued`)

describe('S3: records with the token', () => {
  test.each([
    'gurgle, chunked',
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    ', chunked',
    'gurgle\r\nTransfer-Encoding: chunked',
  ])('in the coding %j are refused with 400, and neither they nor a request behind them is read', async (coding) => {
    const { dial, stored, engine } = await open()
    const heard = await exchange(dial, post(CHUNKS, `Transfer-Encoding: ${coding}`) + glued)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(bodyOf(heard)).toBe(BAD_REQUEST)
    expect([stored, engine.runs]).toEqual([[], []])
  })

  test('in chunks are stored', async () => {
    const { dial, stored } = await open()
    const heard = await exchange(dial, post(CHUNKS, 'Transfer-Encoding: Chunked', 'Connection: close'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 200 OK'])
    expect(stored).toEqual([RECORD])
  })
})

const BROKEN = [...BROKEN_BODIES, ...LLHTTP_BROKEN_BODIES].map(([what, text]) => [what, bodyOf(text)] as const)

describe('S3: a body with the token whose chunks are broken', () => {
  test.each(BROKEN)('%s: 400, closed, nothing is stored, and the request behind it is not read', async (_, body) => {
    const { dial, stored, engine, counts } = await open()
    const heard = await exchange(dial, Buffer.from(post(body, CHUNKED) + glued, 'latin1'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(bodyOf(heard)).toBe(BAD_REQUEST)
    expect([stored, engine.runs, await counts()]).toEqual([[], [], { 400: 1 }])
  })

  test.each(BROKEN)('%s, some time after its head: the same', async (_, body) => {
    const { dial, stored, engine, counts } = await open()
    const socket = dial()
    const heard = listenTo(socket)
    const started = nextAt('http.server.request.start')
    socket.write(post('2\r\n[{\r\n', CHUNKED))
    await started
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.write(Buffer.from(body + glued, 'latin1'))
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(bodyOf(await heard)).toBe(BAD_REQUEST)
    expect([stored, engine.runs, await counts()]).toEqual([[], [], { 400: 1 }])
  })

  test('at a path of OTLP gets the error of that path', async () => {
    const { dial, counts } = await open()
    const heard = await exchange(dial, postTo('/v1/logs', 'zz\r\n', CHUNKED))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(JSON.parse(bodyOf(heard))).toMatchObject({ code: 'bad_request', message: expect.any(String) })
    expect(await counts()).toEqual({ 400: 1 })
  })

  test('of a query that runs', async () => {
    const { dial, engine, counts } = await open()
    const heard = await exchange(dial, `${get(`${LOGS_ALL}?project=a`, CHUNKED)}zz\r\n`)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect([engine.runs.length, await counts()]).toEqual([1, { 400: 1 }])
  })

  test('behind a request that is not answered yet is refused after that answer, not read', async () => {
    const gate = createGate()
    const { dial, stored, counts } = await open(gate.opened)
    const heard = exchange(dial, post(RECORD, lengthOf(RECORD)) + post('zz\r\n', CHUNKED) + glued)
    await eventually(() => expect(stored).toEqual([RECORD]))
    gate.open()
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request'])
    expect([stored, await counts()]).toEqual([[RECORD], { 200: 1, 400: 1 }])
  })

  test('of a live tail ends the connection', async () => {
    const { dial, metrics } = await serve({ engine: openEngine() })
    const socket = dial()
    const heard = listenTo(socket)
    socket.write(get('/api/tail?project=a', CHUNKED))
    await once(socket, 'data')
    socket.write(`zz\r\n${glued}`)
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK'])
    await eventually(async () => expect((await metrics.tailsOpen.get()).values[0]!.value).toBe(0))
  })

  test('and whose client sends nothing after it', async () => {
    const { dial, counts } = await open()
    const socket = dial()
    const heard = listenTo(socket)
    socket.end(post('zz\r\n', CHUNKED))
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(await counts()).toEqual({ 400: 1 })
  })
})

describe('S3: bytes behind a whole request that are none', () => {
  test.each([RECORD, `${RECORD}garbage`])('get 400 after the answer, not instead of it: %s', async (body) => {
    const gate = createGate()
    const { dial, stored } = await open(gate.opened)
    const heard = exchange(dial, `${post(body, lengthOf(RECORD))}\x01\r\n\r\n${glued}`)
    await eventually(() => expect(stored).toEqual([RECORD]))
    gate.open()
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request'])
  })

  test('do not keep the query of a client that leaves', async () => {
    const { dial, engine } = await open()
    const socket = dial()
    socket.write(`${get(`${LOGS_ALL}?project=a`)}\x01\r\n\r\n`)
    await eventually(() => expect(engine.runs.length).toBe(1))
    socket.destroy()
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
  })
})

describe('a client that ends its side of the connection', () => {
  /** A client with a request that is stored when the gate opens. The client has sent the end by then. */
  async function halfClosed(text: string, bodies = 1) {
    const gate = createGate()
    const server = await open(gate.opened)
    const socket = server.dial()
    const heard = listenTo(socket)
    socket.end(text)
    await eventually(() => expect(server.stored.length).toBe(bodies))
    // The server reads the end before the answer.
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { ...server, gate, heard, socket }
  }

  test.each([
    ['a length', post(RECORD, lengthOf(RECORD))],
    ['chunks', post(CHUNKS, CHUNKED)],
    ['HTTP/1.0', post(RECORD, lengthOf(RECORD)).replace('HTTP/1.1', 'HTTP/1.0')],
  ])('after a whole body is answered, then disconnected: %s', async (_, text) => {
    const { gate, heard, counts } = await halfClosed(text)
    gate.open()
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK'])
    expect(bodyOf(await heard)).toBe('{"message":"Logged!"}')
    expect(await counts()).toEqual({ 200: 1 })
  })

  test('after several requests gets every answer', async () => {
    const text = post(RECORD, lengthOf(RECORD))
    const { gate, heard, stored } = await halfClosed(text + text + get('/nothing'))
    gate.open()
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found'])
    expect(stored).toEqual([RECORD, RECORD])
  })

  test('after a request that is answered is disconnected at once', async () => {
    const { dial } = await open()
    const socket = dial()
    const heard = listenTo(socket)
    socket.write(post(RECORD, lengthOf(RECORD)))
    await once(socket, 'data')
    socket.end()
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK'])
  })

  test('in the middle of a body is disconnected, and nothing is stored', async () => {
    const { dial, stored, counts } = await open()
    const socket = dial()
    const heard = listenTo(socket)
    socket.end(post(RECORD.slice(1), lengthOf(RECORD)))
    expect(await heard).toBe('')
    await eventually(async () => expect(await counts()).toEqual({ 499: 1 }))
    expect(stored).toEqual([])
  })

  test('while its query runs ends the query', async () => {
    const { dial, engine } = await open()
    const socket = dial()
    socket.write(post(RECORD, lengthOf(RECORD)) + get(`${LOGS_ALL}?project=a`))
    await eventually(() => expect(engine.runs.length).toBe(1))
    socket.end()
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
  })
})
