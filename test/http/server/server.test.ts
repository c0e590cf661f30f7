import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { listen } from '../../../src/http/server/server.js'
import type { Row } from '../../../src/plan/answer.js'
import { eventually } from '../../support/eventually.js'
import { bodyOf, exchange, listenTo, nextAt, statusLines } from '../../support/raw-http.js'
import { LLHTTP_BROKEN_BODIES, LLHTTP_REFUSED } from '../llhttp-cases.js'
import { BROKEN_BODIES, REFUSED, SERVED } from '../malformed-cases.js'
import { API_COUNTS, LOGS_ALL, refusal, TOKEN } from '../support.js'
import { BAD_REQUEST, get, LAST, serve } from './support.js'

const TOO_LARGE = refusal('The request line and headers are over 64 KiB. Send a shorter request.', 'headers_too_large')
const TIMEOUT = refusal('The request did not arrive in time. Send it again, faster.', 'request_timeout')

describe('a connection', () => {
  test('serves requests one after the other', async () => {
    const { dial } = await serve({ rows: () => [{ n: 1 }] })
    const socket = dial()
    const heard = listenTo(socket)
    for (const path of ['/health', `${LOGS_ALL}?project=a`]) {
      socket.write(get(path))
      await once(socket, 'data')
    }
    socket.write(get('/nothing', LAST))
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found'])
  })

  test('answers pipelined requests in their order', async () => {
    const { dial, engine } = await serve()
    const heard = exchange(dial, get(`${LOGS_ALL}?project=a`) + get('/health') + get('/nothing', LAST))
    await eventually(() => expect(engine.runs.length).toBe(1))
    engine.runs[0]!.finish([{ n: 1 }])
    const text = await heard
    expect(statusLines(text)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found'])
    expect(text.indexOf('{"result":[{"n":1}]}')).toBeLessThan(text.indexOf('{"status":"ok"}'))
  })

  test('gets the headers of GET for HEAD, and nothing else', async () => {
    const { dial } = await serve({ rows: () => [{ n: 1 }] })
    const path = `${API_COUNTS}?project=a`
    const headersOf = (heard: string) =>
      heard
        .slice(0, heard.indexOf('\r\n\r\n'))
        .toLowerCase()
        .split('\r\n')
        .filter((line) => !line.startsWith('date:'))
        .sort()
    await exchange(dial, get(path, LAST))
    const whole = await exchange(dial, get(path, LAST))
    const head = await exchange(dial, get(path, LAST).replace('GET', 'HEAD'))
    expect(headersOf(head)).toEqual(headersOf(whole))
    expect(headersOf(head)).toContain('content-length: 20')
    expect(bodyOf(head)).toBe('')
  })

  test('is closed when it is idle', async () => {
    const { dial } = await serve({ server: { keepAliveMs: 50 } })
    expect(statusLines(await exchange(dial, get('/health')))).toEqual(['HTTP/1.1 200 OK'])
  })

  test('is kept for a while and says so, for clients that use it again', async () => {
    const { dial } = await serve()
    const socket = dial()
    socket.write(get('/health'))
    const [heard] = await once(socket, 'data')
    expect(String(heard)).toContain('\r\nKeep-Alive: timeout=95\r\n')
  })
})

describe('over the limit of connections', () => {
  /** A connection that has got a response, and the text that the connection receives until the end. */
  async function answered(dial: () => Socket) {
    const socket = dial()
    const heard = listenTo(socket)
    socket.write(get('/health'))
    await once(socket, 'data')
    return { socket, heard }
  }

  test('the one that has been idle longest is closed for a new one', async () => {
    const { dial } = await serve({ server: { connections: 3 } })
    const first = await answered(dial)
    const second = await answered(dial)
    const third = await answered(dial)
    first.socket.write(get('/health'))
    await once(first.socket, 'data')
    expect(statusLines(await exchange(dial, get('/health', LAST)))).toEqual(['HTTP/1.1 200 OK'])
    expect(statusLines(await second.heard)).toEqual(['HTTP/1.1 200 OK'])
    for (const { socket, heard } of [first, third]) {
      socket.write(get('/nothing', LAST))
      expect(statusLines(await heard).at(-1)).toBe('HTTP/1.1 404 Not Found')
    }
  })

  test('one whose body came after its answer is idle, too', async () => {
    const { dial } = await serve({ server: { connections: 1, lingerMs: 50 } })
    const socket = dial()
    const heard = listenTo(socket)
    socket.write(get('/health', 'Content-Length: 4'))
    await once(socket, 'data')
    socket.write('body')
    await eventually(async () => expect(statusLines(await exchange(dial, get('/health', LAST))).length).toBe(1))
    expect(statusLines(await heard)).toEqual(['HTTP/1.1 200 OK'])
  })

  test('one that has an answer under way, a request half sent or nothing sent yet is not idle', async () => {
    const { dial, engine } = await serve({ server: { connections: 3 } })
    const half = await answered(dial)
    const waiting = exchange(dial, get(`${LOGS_ALL}?project=a`))
    await eventually(() => expect(engine.runs.length).toBe(1))
    const accepted = nextAt('net.server.socket')
    const silent = dial()
    const silentHeard = listenTo(silent)
    await accepted
    half.socket.write(get('/nothing', LAST).slice(0, 20))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await exchange(dial, get('/health'))).toBe('')
    half.socket.write(get('/nothing', LAST).slice(20))
    silent.write(get('/nothing', LAST))
    expect(statusLines(await half.heard).at(-1)).toBe('HTTP/1.1 404 Not Found')
    expect(statusLines(await silentHeard)).toEqual(['HTTP/1.1 404 Not Found'])
    engine.runs[0]!.finish([{ n: 1 }])
    // The connection stays until the test ends.
    void waiting
  })
})

describe('the request line and the headers', () => {
  const limit = 64 * 1024
  const padded = (bytes: number, text: string) => text.replace('%', 'x'.repeat(bytes - text.length + 1))

  test.each([
    ['URL', get('/health?%', LAST)],
    ['header', get('/health', 'X: %', LAST)],
    ['parameter of a query', get(`${LOGS_ALL}?project=%`, LAST)],
  ])('are served up to 64 KiB and refused above: a long %s', async (_, text) => {
    const { dial } = await serve({ rows: () => [] })
    expect(statusLines(await exchange(dial, padded(limit, text)))).toEqual(['HTTP/1.1 200 OK'])
    for (const bytes of [limit + 1, limit + 100, 2 * limit, 20 * limit]) {
      const heard = await exchange(dial, padded(bytes, text))
      expect(statusLines(heard)).toEqual(['HTTP/1.1 431 Request Header Fields Too Large'])
      expect(heard.toLowerCase()).toContain('\r\naccess-control-allow-origin: *\r\n')
      expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
      expect(bodyOf(heard)).toBe(TOO_LARGE)
    }
  })

  test('may be very many', async () => {
    const { dial } = await serve()
    const many = Array.from({ length: 8_000 }, (_, i) => `x${i % 10}: ${i % 10}`)
    const text = `GET /nothing HTTP/1.1\r\nHost: a\r\n${many.join('\r\n')}\r\nX-API-KEY: ${TOKEN}\r\n${LAST}\r\n\r\n`
    expect(text.length).toBeLessThan(limit)
    expect(statusLines(await exchange(dial, text))).toEqual(['HTTP/1.1 404 Not Found'])
  })
})

describe('S3: what is not a request that can be answered', () => {
  const glued = get(`${LOGS_ALL}?project=glued`)

  test.each([
    ...REFUSED,
    ...LLHTTP_REFUSED,
  ])('%s: 400, closed, and the request glued behind it is not answered', async (_, text) => {
    const { dial, engine } = await serve()
    const heard = await exchange(dial, Buffer.from(text + glued, 'latin1'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(heard.toLowerCase()).toContain('\r\naccess-control-allow-origin: *\r\n')
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(bodyOf(heard)).toBe(BAD_REQUEST)
    expect(engine.runs).toEqual([])
  })

  test.each([
    ...BROKEN_BODIES,
    ...LLHTTP_BROKEN_BODIES,
  ])('%s: the connection ends after the answer to its head', async (_, text) => {
    const { dial, engine } = await serve()
    const heard = await exchange(dial, Buffer.from(text + glued, 'latin1'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 401 Unauthorized'])
    expect(engine.runs).toEqual([])
  })

  test('a query whose body has no end is not run', async () => {
    const { dial, engine } = await serve({ rows: () => [] })
    const heard = await exchange(dial, get(`${LOGS_ALL}?project=a`, 'Transfer-Encoding: gurgle') + glued)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(engine.runs).toEqual([])
  })

  test.each(SERVED)('but %s is served', async (_, text) => {
    const { dial } = await serve()
    const heard = await exchange(dial, text)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 200 OK'])
    expect(bodyOf(heard)).toBe('{"status":"ok"}')
  })

  test('a request behind one that ends the connection is not looked at', async () => {
    const { dial, engine } = await serve()
    expect(statusLines(await exchange(dial, get('/health', LAST) + glued))).toEqual(['HTTP/1.1 200 OK'])
    expect(engine.runs).toEqual([])
  })

  test('S5: headers that do not arrive in time are refused', async () => {
    const { dial } = await serve({ server: { headersMs: 50, checkMs: 20 } })
    const heard = await exchange(dial, get('/health').slice(0, 30))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 408 Request Timeout'])
    expect(bodyOf(heard)).toBe(TIMEOUT)
  })

  test('S5: a body that nobody reads and that does not arrive soon after the answer ends the connection', async () => {
    const { dial } = await serve({ server: { lingerMs: 100, keepAliveMs: 60_000 } })
    for (const text of [
      get('/health', 'Content-Length: 9'),
      get('/health', 'Content-Length: 9').replace('GET', 'POST'),
    ]) {
      expect(statusLines(await exchange(dial, `${text}half`)).length).toBe(1)
    }
  })

  test('an answer that is half sent is not mixed with a refusal', async () => {
    const { dial } = await serve({ rows: () => bigRows(200), limits: { bufferedBytes: 1_000 } })
    const socket = dial()
    socket.write(get(`${LOGS_ALL}?project=a`))
    await once(socket, 'readable')
    socket.write('garbage\r\n\r\n')
    expect(statusLines(await listenTo(socket))).toEqual(['HTTP/1.1 200 OK'])
  })
})

const MIB = 1024 * 1024

function* bigRows(count: number, state = { read: 0 }): Generator<Row> {
  for (let i = 0; i < count; i++) {
    state.read += 1
    yield { text: 'x'.repeat(MIB) }
  }
}

/** Sends a request by Node's own client. The body of the response is not read yet. */
async function ask(port: number, path: string): Promise<IncomingMessage> {
  const asked = httpRequest({ port, host: '127.0.0.1', path, headers: { 'X-API-KEY': TOKEN }, agent: false })
  asked.on('error', () => {})
  asked.end()
  const [response] = await once(asked, 'response')
  return response
}

describe('O4: a client that leaves', () => {
  test.each([LOGS_ALL, API_COUNTS])('stops its query: %s', async (path) => {
    const { dial, engine, logged } = await serve()
    const socket = dial()
    socket.write(get(`${path}?project=a`))
    await eventually(() => expect(engine.runs.length).toBe(1))
    expect(engine.runs[0]!.signal.aborted).toBe(false)
    socket.destroy()
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
    expect(logged).toEqual([])
  })

  test('in the middle of an answer stops the reading of rows', async () => {
    const state = { read: 0 }
    const { port, engine, logged } = await serve({ rows: () => bigRows(500, state) })
    const response = await ask(port, `${LOGS_ALL}?project=a`)
    response.on('error', () => {})
    await once(response, 'data')
    response.destroy()
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
    const { read } = state
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(state.read).toBe(read)
    expect(read).toBeLessThan(100)
    expect(logged).toEqual([])
  })
})

describe('O5: a long answer', () => {
  test('waits for a reader that takes nothing, and arrives whole when it does', async () => {
    const state = { read: 0 }
    const { port } = await serve({ rows: () => bigRows(100, state) })
    const response = await ask(port, `${LOGS_ALL}?project=a`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(state.read).toBeLessThan(30)
    let bytes = 0
    for await (const chunk of response) bytes += chunk.length
    expect(state.read).toBe(100)
    expect(bytes).toBe('{"result":[]}'.length + 100 * (MIB + '{"text":""}'.length) + 99)
    expect(response.headers['content-length']).toBeUndefined()
  })

  test('is cut when its reader takes nothing for long', async () => {
    const { port, engine, logged } = await serve({ rows: () => bigRows(100), server: { stalledMs: 100 } })
    const response = await ask(port, `${LOGS_ALL}?project=a`)
    response.on('error', () => {})
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
    expect(logged).toEqual([])
  })

  test('S6: that fails in the middle is cut, not ended, and tells nothing of why', async () => {
    async function* failing(): AsyncGenerator<Row> {
      yield* bigRows(5)
      throw new Error('secret')
    }
    const printed = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info'), vi.spyOn(console, 'log')]
    const { dial, logged } = await serve({ rows: failing })
    const heard = await exchange(dial, get(`${LOGS_ALL}?project=a`))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 200 OK'])
    expect(heard).not.toMatch(/secret|\r\n0\r\n\r\n$|\]\}/)
    expect(logged).toEqual(['internal error: Error: secret'])
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

describe('close', () => {
  test('ends idle connections at once', async () => {
    const { dial, close } = await serve({ server: { keepAliveMs: 60_000, closeMs: 60_000 } })
    const idle = [dial(), dial()]
    const heard = idle.map(listenTo)
    idle[0]!.write(get('/health'))
    await once(idle[0]!, 'data')
    await close()
    expect((await Promise.all(heard)).map(statusLines)).toEqual([['HTTP/1.1 200 OK'], []])
  })

  test('lets running answers finish, then ends their connections', async () => {
    const { dial, close, engine } = await serve({ server: { keepAliveMs: 60_000, closeMs: 60_000 } })
    const heard = exchange(dial, get(`${LOGS_ALL}?project=a`))
    await eventually(() => expect(engine.runs.length).toBe(1))
    const closed = close()
    engine.runs[0]!.finish([{ n: 1 }])
    expect(bodyOf(await heard)).toBe('{"result":[{"n":1}]}')
    await closed
  })

  test('answers a request that was on its way, and ends its connection', async () => {
    const { dial, close } = await serve({ server: { keepAliveMs: 60_000, closeMs: 60_000 } })
    const accepted = nextAt('net.server.socket')
    const socket = dial()
    const heard = listenTo(socket)
    await accepted
    const closed = close()
    socket.write(get('/health'))
    const text = await heard
    expect(statusLines(text)).toEqual(['HTTP/1.1 200 OK'])
    expect(text).toContain('\r\nConnection: close\r\n')
    await closed
  })

  test('lets an answer that is half sent finish', async () => {
    const { port, close } = await serve({ rows: () => bigRows(100), server: { keepAliveMs: 60_000, closeMs: 60_000 } })
    const response = await ask(port, `${LOGS_ALL}?project=a`)
    const closed = close()
    let bytes = 0
    for await (const chunk of response) bytes += chunk.length
    expect(bytes).toBeGreaterThan(100 * MIB)
    await closed
  })

  test('answers connections that the system has accepted, and the server not yet', async () => {
    const { dial, close } = await serve({ server: { keepAliveMs: 60_000, closeMs: 60_000 } })
    const heard = Array.from({ length: 20 }, () => exchange(dial, get('/health')))
    // The connections are made in this tick of the event loop, which accepts no connection before the end of the tick.
    await new Promise((resolve) => process.nextTick(resolve))
    await close()
    expect((await Promise.all(heard)).map(statusLines)).toEqual(Array(20).fill(['HTTP/1.1 200 OK']))
  })

  test('cuts what takes too long', async () => {
    const { dial, close, engine } = await serve({ server: { closeMs: 50 } })
    const heard = exchange(dial, get(`${LOGS_ALL}?project=a`))
    await eventually(() => expect(engine.runs.length).toBe(1))
    await close()
    expect(await heard).toBe('')
    await eventually(() => expect(engine.runs[0]!.signal.aborted).toBe(true))
  })
})

test('an address that is taken is named', async () => {
  const { port, app } = await serve()
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'cannot_listen',
    message:
      `Cannot listen on 127.0.0.1 port ${port}: another program listens there. ` +
      'Stop it, or choose another port with --port.',
  })
})
