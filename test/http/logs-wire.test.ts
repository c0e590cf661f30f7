import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/http/server/server.js'
import { eventually } from '../support/eventually.js'
import { createGate } from '../support/gate.js'
import { bodyOf, exchange, listenTo, nextAt, statusLines } from '../support/raw-http.js'
import { LLHTTP_BROKEN_BODIES } from './llhttp-cases.js'
import { BROKEN_BODIES, head } from './malformed-cases.js'
import { createTestApp, TOKEN } from './support.js'

const BODY = '[{"id":"a"}]'
const LOGGED = '{"message":"Logged!"}'
const post = (...headers: readonly string[]) =>
  head('POST /logs HTTP/1.1', 'Host: a', `X-API-KEY: ${TOKEN}`, 'Content-Type: application/json', ...headers)
const LAST = 'Connection: close'

/** A server with an intake that accepts and records everything. */
async function serve() {
  const taken: string[] = []
  const gate = { pass: Promise.resolve() }
  const intake = {
    writeFailure: () => undefined,
    prepare() {},
    async take(bytes: Uint8Array) {
      taken.push(Buffer.from(bytes).toString())
      await gate.pass
      return { taken: 1, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  const parts = createTestApp({ intake, translate: async (bytes) => bytes })
  const { port, close } = await listen(parts.app, { host: '127.0.0.1', port: 0, limits: { closeMs: 5_000 } })
  onTestFinished(close)
  const dial = () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { ...parts, taken, gate, dial, close }
}

describe('S3: a body on the wire', () => {
  test.each([
    ['of a length', post(`Content-Length: ${BODY.length}`, LAST) + BODY],
    [
      'in chunks',
      `${post('Transfer-Encoding: chunked', LAST)}5\r\n${BODY.slice(0, 5)}\r\n7;x=y\r\n${BODY.slice(5)}\r\n0\r\n\r\n`,
    ],
  ])('%s is taken whole', async (_, text) => {
    const { dial, taken } = await serve()
    const heard = await exchange(dial, text)
    expect([statusLines(heard), bodyOf(heard), taken]).toEqual([['HTTP/1.1 200 OK'], LOGGED, [BODY]])
  })

  test.each(['/logs', '/v1/logs'])('of which the type is told twice is taken: %s', async (path) => {
    const { dial, taken } = await serve()
    const text = post('Content-Type: Application/JSON; charset=utf-8', `Content-Length: ${BODY.length}`, LAST) + BODY
    expect(statusLines(await exchange(dial, text.replace('/logs', path)))).toEqual(['HTTP/1.1 200 OK'])
    expect(taken).toEqual([BODY])
  })

  test('is no request, and the one behind it is answered', async () => {
    const { dial, taken } = await serve()
    const length = `Content-Length: ${BODY.length}`
    const heard = await exchange(dial, post(length) + BODY + post(length, LAST) + BODY)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])
    expect(taken).toEqual([BODY, BODY])
  })

  test('is asked for where its sender waits', async () => {
    const { dial, taken } = await serve()
    const socket = dial()
    const heard = listenTo(socket)
    socket.write(post(`Content-Length: ${BODY.length}`, 'Expect: 100-continue', LAST))
    await once(socket, 'data')
    socket.write(BODY)
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 100 Continue', 'HTTP/1.1 200 OK'])
    expect(taken).toEqual([BODY])
  })

  test.each([
    ['of a length', post('Content-Length: 100') + BODY],
    ['in chunks', `${post('Transfer-Encoding: chunked')}c\r\n${BODY}\r\n`],
    ['in the middle of a chunk', `${post('Transfer-Encoding: chunked')}ff\r\n${BODY}`],
  ])('that is cut off is not taken, however its client leaves: %s', async (_, text) => {
    const { dial, taken, logged, metrics } = await serve()
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const begun = nextAt('http.server.request.start')
      const socket = dial()
      const heard = listenTo(socket)
      socket.write(text)
      await begun
      socket[leave]()
      expect(await heard).toBe('')
    }
    await eventually(async () =>
      expect(await metrics.requests.get()).toMatchObject({ values: [{ labels: { status: '499' }, value: 3 }] }),
    )
    expect([taken, logged]).toEqual([[], []])
  })

  test.each([
    ...BROKEN_BODIES,
    ...LLHTTP_BROKEN_BODIES,
  ])('that is broken is refused, and not taken: %s', async (_, text) => {
    const { dial, taken } = await serve()
    const broken = post('Transfer-Encoding: chunked') + text.slice(text.indexOf('\r\n\r\n') + 4)
    const heard = await exchange(dial, Buffer.from(`${broken}${post('Content-Length: 2')}[]`, 'latin1'))
    expect([statusLines(heard), taken]).toEqual([['HTTP/1.1 400 Bad Request'], []])
  })

  test('that is too long is refused before it has come, and its connection ends', async () => {
    const { dial } = await serve()
    const heard = await exchange(dial, post('Content-Length: 99999999'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 413 Payload Too Large'])
  })

  test('that has come when the server closes is answered', async () => {
    const { dial, close, gate, taken } = await serve()
    const { opened, open } = createGate()
    gate.pass = opened
    const heard = exchange(dial, post(`Content-Length: ${BODY.length}`) + BODY)
    await eventually(() => expect(taken).toEqual([BODY]))
    const closed = close()
    open()
    expect(bodyOf(await heard)).toBe(LOGGED)
    await closed
  })
})
