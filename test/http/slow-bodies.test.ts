import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RecordIntake } from '../../src/http/intake/logs.js'
import type { Translate } from '../../src/http/intake/otlp.js'
import { listen } from '../../src/http/server/server.js'
import { eventually } from '../support/eventually.js'
import { bodyOf, listenTo, statusLines } from '../support/raw-http.js'
import { head } from './malformed-cases.js'
import { createTestApp, PREFIX, pass, readReply, refusal, settle, TOKEN } from './support.js'

const LIMITS = { minBytesPerS: 10, rateWindowMs: 15_000, maxBodyMs: 60_000, bodyBytes: 1_000, bodiesBytes: 1_000 }
const TOO_SLOW =
  'The body arrived too slowly, or took too long in all. Nothing of it was stored. ' +
  'Send it again, compressed or in smaller batches.'
const SLOWEST =
  'The memory for bodies is full, and this one arrived most slowly. Nothing of it was stored. ' +
  'Send it again, compressed or in smaller batches.'

function open(limits: Partial<typeof LIMITS> = LIMITS) {
  const taken: number[] = []
  const intake: RecordIntake = {
    writeFailure: () => undefined,
    prepare() {},
    async take(bytes, form) {
      if (form === 'json') taken.push(bytes.length)
      return { taken: 1, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  const translate: Translate = async (bytes) => {
    taken.push(bytes.length)
    return new Uint8Array()
  }
  const test = createTestApp({ intake, translate, limits })
  return { ...test, taken }
}

/** Sends a body in chunks. */
function post({ app }: ReturnType<typeof open>, path = '/logs', headers: Record<string, string> = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'X-API-KEY': TOKEN, ...JSON_TYPE, ...headers } }
  const reply = Promise.resolve(app.fetch(new Request(PREFIX + path, init as RequestInit)))
  return {
    reply,
    async send(bytes: number) {
      controller.enqueue(new Uint8Array(bytes).fill(32))
      await settle()
    },
    end: () => controller.close(),
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

describe.each(['/logs', '/api/logs', '/v1/logs'])('a body of %s', (path) => {
  const cut = (message: string) => {
    const code = 'request_timeout'
    const more = path === '/v1/logs' ? { message } : {}
    return { status: 408, connection: 'close', body: JSON.stringify({ error: message, code, ...more }) }
  }

  test('that arrives at the least rate is taken, however long it takes', async () => {
    const parts = open()
    const { timers } = parts.clock
    const { reply, send, end } = post(parts, path)
    for (let s = 0; s < 59; s++) {
      await send(10)
      await pass(parts.clock, 1)
    }
    end()
    expect((await reply).status).toBe(200)
    expect([parts.taken, parts.clock.timers]).toEqual([[590], timers])
  })

  test('may stand still for as long as the rate of each window is enough', async () => {
    const parts = open()
    const { reply, send, end } = post(parts, path)
    for (let i = 0; i < 4; i++) {
      await send(150)
      await pass(parts.clock, 14)
    }
    end()
    expect((await reply).status).toBe(200)
  })

  test.each([
    ['nothing at all', [0, 0], 15],
    ['a byte a second', Array(15).fill(1), 15],
    ['a little less than the least rate', [149], 15],
    ['much at first and then nothing', [500], 16],
    ['nothing more after a while at the least rate', Array(15).fill(10), 16],
  ])('is cut if there comes %s', async (_, bytesEachSecond, seconds) => {
    const parts = open()
    const { timers } = parts.clock
    const { reply, send } = post(parts, path)
    let answered = false
    void reply.then(() => void (answered = true))
    for (let s = 0; s < seconds; s++) {
      expect(answered).toBe(false)
      await send(bytesEachSecond[s] ?? 0)
      await pass(parts.clock, 1)
    }
    expect(await readReply(reply, 'connection')).toEqual(cut(TOO_SLOW))
    expect([parts.taken, parts.logged, parts.clock.timers]).toEqual([[], [], timers])
  })

  test('is cut if it takes too long in all, at any rate', async () => {
    const parts = open()
    const { reply, send } = post(parts, path)
    for (let s = 0; s < 60; s++) {
      await send(16)
      await pass(parts.clock, 1)
    }
    expect(await readReply(reply, 'connection')).toEqual(cut(TOO_SLOW))
  })

  test('makes room for faster ones if it is the slowest when their memory is full', async () => {
    const parts = open()
    const slow = post(parts, path)
    const fast = post(parts, path)
    await slow.send(300)
    await pass(parts.clock, 5)
    const faster = post(parts, path)
    await fast.send(600)
    await pass(parts.clock, 1)
    await faster.send(101)
    expect(await readReply(slow.reply, 'connection')).toEqual(cut(SLOWEST))
    fast.end()
    faster.end()
    expect([(await fast.reply).status, (await faster.reply).status, parts.taken]).toEqual([200, 200, [600, 101]])
  })

  test('is cut if it is the slowest itself and needs more memory', async () => {
    const parts = open()
    const slow = post(parts, path)
    const fast = post(parts, path)
    await slow.send(30)
    await pass(parts.clock, 5)
    await fast.send(900)
    await slow.send(100)
    expect(await readReply(slow.reply, 'connection')).toEqual(cut(SLOWEST))
    fast.end()
    expect((await fast.reply).status).toBe(200)
  })

  test('is cut if one that has come whole needs the memory to be decompressed', async () => {
    const parts = open({ ...LIMITS, bodyBytes: 700 })
    const slow = post(parts, path)
    await slow.send(300)
    const compressed = {
      method: 'POST',
      body: new Uint8Array(gzipSync('[]')),
      headers: { 'Content-Encoding': 'gzip', ...JSON_TYPE },
    }
    expect((await parts.get(path, compressed)).status).toBe(200)
    expect(await readReply(slow.reply, 'connection')).toEqual(cut(SLOWEST))
  })
})

test.each([
  ['16 KiB/s', 16 * 1024, 599, 200],
  ['16 KiB/s', 16 * 1024, 600, 408],
  ['a little less', 16 * 1024 - 1, 14, 200],
  ['a little less', 16 * 1024 - 1, 15, 408],
])('as it is set, a body that arrives at %s (%i bytes) for %i s gets %i', async (_, bytes, seconds, status) => {
  const parts = open({})
  const { reply, send, end } = post(parts)
  for (let s = 0; s < seconds; s++) {
    await send(bytes)
    await pass(parts.clock, 1)
  }
  end()
  expect((await reply).status).toBe(status)
})

test('a body that arrives alone is not cut for room that stored ones take', async () => {
  const parts = open({ ...LIMITS, bodiesBytes: 100 })
  const { reply, send } = post(parts)
  await send(101)
  expect(await readReply(reply)).toEqual({
    status: 429,
    body: refusal(
      'Too many bodies are being received. Nothing of this body was stored. Send it again shortly.',
      'too_many_bodies',
    ),
  })
})

describe('on the wire', () => {
  const chunk = `a\r\n${' '.repeat(10)}\r\n`

  async function serve() {
    const parts = open()
    const { port, close } = await listen(parts.app, { host: '127.0.0.1', port: 0, limits: { lingerMs: 150 } })
    onTestFinished(close)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const errors: Error[] = []
    socket.on('error', (error) => errors.push(error))
    return { ...parts, socket, errors }
  }

  test.each([
    ['with a length', '/logs', 'Content-Length: 900', ' '.repeat(10)],
    ['in chunks', '/logs', 'Transfer-Encoding: chunked', chunk],
    ['with a length, as OTLP', '/v1/logs', 'Content-Length: 900', ' '.repeat(10)],
    ['in chunks, as OTLP', '/v1/logs', 'Transfer-Encoding: chunked', chunk],
  ])('a client that sends %s hears 408 first, though it goes on to send, and is then closed', async (...given) => {
    const [, path, header, piece] = given
    const { socket, errors, clock, taken } = await serve()
    const heard = listenTo(socket)
    const { timers } = clock
    socket.write(
      head(`POST ${path} HTTP/1.1`, 'Host: a', `X-API-KEY: ${TOKEN}`, 'Content-Type: application/json', header),
    )
    socket.write(piece)
    await eventually(() => expect(clock.timers).toBe(timers + 1))
    const answered = once(socket, 'data')
    clock.advance(15_000)
    await answered
    for (let i = 0; i < 3; i++) {
      socket.write(piece)
      await wait(10)
    }
    const text = await heard
    expect(statusLines(text)).toEqual(['HTTP/1.1 408 Request Timeout'])
    expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(JSON.parse(bodyOf(text))).toMatchObject({ code: 'request_timeout', error: TOO_SLOW })
    expect([errors, taken]).toEqual([[], []])
  })

  test('a request behind a body that was cut is not looked at', async () => {
    const { socket, clock, taken } = await serve()
    const heard = listenTo(socket)
    const { timers } = clock
    const post = (length: number) =>
      head(
        'POST /logs HTTP/1.1',
        'Host: a',
        `X-API-KEY: ${TOKEN}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
      )
    socket.write(post(10))
    await eventually(() => expect(clock.timers).toBe(timers + 1))
    const answered = once(socket, 'data')
    clock.advance(15_000)
    await answered
    socket.write(`${' '.repeat(10)}${post(2)}[]`)
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 408 Request Timeout'])
    expect(taken).toEqual([])
  })

  test('a client that sends too much hears that before the end of its last connection', async () => {
    const { socket, errors } = await serve()
    const heard = listenTo(socket)
    const headers = ['Host: a', `X-API-KEY: ${TOKEN}`, 'Content-Type: application/json', 'Connection: close']
    socket.write(head('POST /logs HTTP/1.1', ...headers, 'Content-Length: 2000000'))
    await once(socket, 'data')
    for (let i = 0; i < 3; i++) {
      socket.write(' '.repeat(10_000))
      await wait(10)
    }
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 413 Payload Too Large'])
    expect(errors).toEqual([])
  })
})
