import { get as httpGet, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Metrics } from '../../src/base/metrics.js'
import { type Body, bodyBytes, codedForm } from '../../src/http/reply/encoding.js'
import { listen } from '../../src/http/server/server.js'
import type { Row } from '../../src/plan/answer.js'
import { eventually } from '../support/eventually.js'
import { API_COUNTS, countedTexts, createTestApp, LOGS_ALL, STATS, settle, TOKEN } from './support.js'

/** How often a body was compressed synchronously, and in the thread pool. */
const compressions = vi.hoisted(() => ({ atOnce: 0, inPool: 0 }))
vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>()
  const counted = <Args extends unknown[], Result>(how: keyof typeof compressions, call: (...args: Args) => Result) => {
    return (...args: Args) => {
      compressions[how] += 1
      return call(...args)
    }
  }
  return {
    ...zlib,
    gzipSync: counted('atOnce', zlib.gzipSync),
    brotliCompressSync: counted('atOnce', zlib.brotliCompressSync),
    gzip: counted('inPool', zlib.gzip as (...args: unknown[]) => void),
    brotliCompress: counted('inPool', zlib.brotliCompress as (...args: unknown[]) => void),
  }
})
beforeEach(() => void Object.assign(compressions, { atOnce: 0, inPool: 0 }))

/** Returns rows for an answer of exactly `bytes` bytes. */
const rowsOf = (bytes: number) => () => [{ text: 'x'.repeat(bytes - '{"result":[{"text":""}]}'.length) }]
const bodyOf = (rows: readonly Row[]) => JSON.stringify({ result: rows })
const LARGE = 5_000

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync }

async function answerTo(reply: Promise<Response>) {
  const { status, headers, ...response } = await reply.then(async (given) => ({
    status: given.status,
    headers: Object.fromEntries(given.headers),
    bytes: Buffer.from(await given.arrayBuffer()),
  }))
  const coding = headers['content-encoding']
  const decode = response.bytes.length > 0 ? DECODERS[coding ?? ''] : undefined
  const text = (decode?.(response.bytes) ?? response.bytes).toString()
  return { status, headers, coding, bytes: response.bytes, text }
}

const asking = (coding: string, init?: RequestInit): RequestInit => ({
  headers: { 'Accept-Encoding': coding },
  ...init,
})

describe('what Accept-Encoding asks for', () => {
  test.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['BR;q=0.2', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.5', 'br'],
    ['br;q=0.5, gzip;q=0.4, *;q=0.1', 'br'],
    ['br, *', 'br'],
    ['identity;q=0.5, br;q=0.5', 'br'],
    ['identity;q=0, br;q=0.1', 'br'],
    ['br;q=0.4, gzip;q=0.5', 'gzip'],
    ['br;q=0.5, *', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate, gzip;q=0.1', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; q=1.000 , br', 'br'],
    ['*', 'gzip'],
    ['*;q=0.1', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0.5, gzip;q=0.6', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0, *', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['', undefined],
    ['identity', undefined],
    ['br;q=0', undefined],
    ['identity, br;q=0.9', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;Q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['*;q=0', undefined],
    ['identity;q=1, gzip;q=0.9', undefined],
    ['gzip;q=0.5, *;q=0.8', undefined],
    ['identity, *;q=0.5', undefined],
    // No coding is acceptable: RFC 9110 leaves the choice to the server, and a response is better than none.
    ['identity;q=0', undefined],
    ['identity;q=0, gzip;q=0', undefined],
    ['gzipped', undefined],
    [';;,,q=1', undefined],
  ])('%s: %s', async (header, coding) => {
    const { get } = createTestApp({ rows: rowsOf(LARGE) })
    for (const path of [LOGS_ALL, API_COUNTS, API_COUNTS]) {
      const answer = await answerTo(get(`${path}?project=a`, asking(header)))
      expect([path, answer.coding, answer.text]).toEqual([path, coding, bodyOf(rowsOf(LARGE)())])
      expect(answer.headers['content-length']).toBe(`${answer.bytes.length}`)
      expect(answer.headers.vary).toBe('Accept, Accept-Encoding')
    }
  })

  test('nothing: the answer is sent as it is', async () => {
    const { get } = createTestApp({ rows: rowsOf(LARGE) })
    const answer = await answerTo(get(`${LOGS_ALL}?project=a`))
    expect([answer.coding, answer.headers.vary]).toEqual([undefined, 'Accept, Accept-Encoding'])
  })
})

describe('which answers are compressed', () => {
  test.each(['/metrics', '/api/endpoints'])('%s', async (path) => {
    // Two services, because the metrics of one service would count the first request.
    const plain = await answerTo(createTestApp().get(path))
    const { coding, text, bytes, headers } = await answerTo(createTestApp().get(path, asking('gzip')))
    expect([coding, text]).toEqual(['gzip', plain.text])
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(plain.headers.vary).toBe('Accept-Encoding')
    expect(headers).toEqual({ ...plain.headers, 'content-encoding': 'gzip', 'content-length': `${bytes.length}` })
  })

  test.each([
    [1023, undefined],
    [1024, 'gzip'],
  ])('of %i bytes: %s', async (bytes, coding) => {
    const { get } = createTestApp({ rows: rowsOf(bytes) })
    for (const path of [LOGS_ALL, STATS, STATS]) {
      const answer = await answerTo(get(`${path}?project=a`, asking('gzip')))
      expect([path, answer.coding, answer.headers.vary]).toEqual([path, coding, 'Accept, Accept-Encoding'])
    }
  })

  test.each([
    'gzip, identity;q=0',
    'gzip, *;q=0',
  ])('small ones too where no compression is refused: %s', async (header) => {
    const { get } = createTestApp({ rows: () => [] })
    const { coding, text } = await answerTo(get(`${LOGS_ALL}?project=a`, asking(header)))
    expect([coding, text]).toEqual(['gzip', '{"result":[]}'])
  })

  test('not errors, health and the like', async () => {
    const { get } = createTestApp()
    for (const path of ['/ready', '/health', '/nothing', LOGS_ALL, `${API_COUNTS}?project=(`]) {
      const { coding, headers } = await answerTo(get(path, asking('gzip, identity;q=0')))
      expect([path, coding, headers.vary]).toEqual([path, undefined, undefined])
    }
  })

  test('a failure is told as it is', async () => {
    const { get, engine } = createTestApp()
    const reply = get(`${LOGS_ALL}?project=a`, asking('gzip'))
    await settle()
    engine.runs[0]!.fail(new Error('unforeseen'))
    expect(await answerTo(reply)).toMatchObject({ status: 500, coding: undefined })
  })

  test.each([LOGS_ALL, API_COUNTS, '/metrics', '/api/endpoints'])('HEAD %s has the headers of GET', async (path) => {
    const { get } = createTestApp({ rows: rowsOf(LARGE) })
    const url = path.includes('query') ? `${path}?project=a` : path
    for (const coding of ['gzip', 'br', 'identity']) {
      await get(url, asking(coding))
      const whole = await answerTo(get(url, asking(coding)))
      const head = await answerTo(get(url, { method: 'HEAD', ...asking(coding) }))
      expect(head.bytes.length).toBe(0)
      // The metrics count the requests in between.
      const volatile = path === '/metrics' ? { 'content-length': expect.any(String) } : {}
      expect(head.headers).toEqual({ ...whole.headers, ...volatile })
    }
  })
})

describe.each(['gzip', 'br'] as const)('an answer that is kept, as %s', (asked) => {
  const path = `${API_COUNTS}?project=a`
  const bytesOf = async ({ cacheBytes }: Metrics) => (await cacheBytes.get()).values[0]!.value

  /** Returns the bytes that the cache counts for the uncompressed answer of the rows. */
  async function heldBy(rows: () => Row[]): Promise<number> {
    const { get, metrics } = createTestApp({ rows })
    await get(path)
    return bytesOf(metrics)
  }

  test('is compressed once, however many ask', async () => {
    const { get } = createTestApp({ rows: rowsOf(LARGE) })
    await Promise.all(Array.from({ length: 5 }, () => get(path, asking(asked))))
    for (let i = 0; i < 5; i++) expect((await answerTo(get(path, asking(asked)))).coding).toBe(asked)
    expect(compressions).toEqual({ atOnce: 1, inPool: 0 })
  })

  test('is compressed only when somebody asks for it', async () => {
    const { get } = createTestApp({ rows: rowsOf(LARGE) })
    await get(path)
    await get(path)
    expect(compressions).toEqual({ atOnce: 0, inPool: 0 })
  })

  test('above 64 KiB is compressed once too, and off the event loop', async () => {
    const bytes = 64 * 1024 + 1
    const { get } = createTestApp({ rows: rowsOf(bytes) })
    await get(path)
    const answers = await Promise.all(Array.from({ length: 5 }, () => answerTo(get(path, asking(asked)))))
    expect(answers.map(({ coding, text }) => [coding, text.length])).toEqual(Array(5).fill([asked, bytes]))
    expect(answers.map(({ headers }) => headers['cache-status'])).toEqual(Array(5).fill('logweir; hit; ttl=900'))
    expect(compressions).toEqual({ atOnce: 0, inPool: 1 })
  })

  test('counts its compressed form to its size', async () => {
    const { get, metrics } = createTestApp({ rows: rowsOf(LARGE) })
    const held = () => bytesOf(metrics)
    await get(path)
    const plain = await held()
    const { bytes } = await answerTo(get(path, asking(asked)))
    expect(await held()).toBe(plain + bytes.length)
    await get(path, asking(asked))
    expect(await held()).toBe(plain + bytes.length)
    await get(path, { headers: { 'Cache-Control': 'no-cache' } })
    expect(await held()).toBe(plain)
  })

  test.each([LARGE, 100_000])('takes no more memory for it than is counted (%i bytes)', async (bytes) => {
    const body: Body = { plain: Buffer.alloc(bytes, 'x') }
    const form = await codedForm(body, asked)
    expect(form.buffer.byteLength).toBe(form.byteLength)
    expect(bodyBytes(body)).toBe(bytes + form.byteLength)
  })

  test('makes room for its compressed form, and stays itself', async () => {
    const rows = () => [{ noise: Array.from({ length: 400 }, (_, i) => (i * 7919) % 997).join(' ') }]
    const other = `${API_COUNTS}?project=b`
    const { get, metrics } = createTestApp({ rows, limits: { cacheBytes: 2 * (await heldBy(rows)) } })
    const kept = async () => (await metrics.cacheEntries.get()).values[0]!.value
    await get(path)
    await get(other)
    expect(await kept()).toBe(2)
    await get(other, asking(asked))
    expect(await kept()).toBe(1)
    expect((await answerTo(get(other))).headers['cache-status']).toMatch(/hit/)
  })

  test('is kept without its compressed form where both are too large for an entry', async () => {
    const limits = { cacheEntryBytes: await heldBy(rowsOf(LARGE)) }
    const { get, metrics } = createTestApp({ rows: rowsOf(LARGE), limits })
    await get(path)
    const before = await bytesOf(metrics)
    for (let times = 1; times <= 3; times++) {
      const { coding, headers, text } = await answerTo(get(path, asking(asked)))
      expect([coding, headers['cache-status'], text.length]).toEqual([asked, 'logweir; hit; ttl=900', LARGE])
      expect(compressions.atOnce).toBe(times)
    }
    expect(await bytesOf(metrics)).toBe(before)
  })

  test('keeps its age', async () => {
    const { get, clock } = createTestApp({ rows: rowsOf(LARGE) })
    await get(path, asking(asked))
    clock.advance(7_000)
    expect((await answerTo(get(path, asking(asked)))).headers).toMatchObject({
      age: '7',
      'cache-status': 'logweir; hit; ttl=893',
      'content-encoding': asked,
    })
  })
})

describe.each(['gzip', 'br'])('an answer that is streamed, as %s', (asked) => {
  const limits = { bufferedBytes: 10_000 }
  const path = `${LOGS_ALL}?project=a`
  const expected = bodyOf(Array.from({ length: 300 }, (_, i) => ({ i, text: 'é€😀'.repeat(100) })))

  const countedRows = (count: number, failAt?: number) => countedTexts(count, 'é€😀'.repeat(100), failAt)

  test('is compressed as it goes, without a length', async () => {
    const { rows, state } = countedRows(300)
    const { get } = createTestApp({ rows, limits })
    const { coding, headers, text } = await answerTo(get(path, asking(asked)))
    expect([coding, headers['content-length'], headers.vary]).toEqual([asked, undefined, 'Accept, Accept-Encoding'])
    expect(text).toBe(expected)
    expect(state).toEqual({ read: 300, released: true })
  })

  test('by HEAD has the same headers, and its rows are let go of', async () => {
    const { rows, state } = countedRows(300)
    const { get } = createTestApp({ rows, limits })
    const head = await answerTo(get(path, { method: 'HEAD', ...asking(asked) }))
    const whole = await answerTo(createTestApp({ rows: countedRows(300).rows, limits }).get(path, asking(asked)))
    expect(head.headers).toEqual(whole.headers)
    expect(state.released).toBe(true)
    expect(state.read).toBeLessThan(50)
  })

  test.each([0, 1])('lets go of the rows when its receiver lets go of it (%i read)', async (reads) => {
    // Incompressible, so that the compressor's buffers fill soon.
    const state = { read: 0, released: false }
    async function* rows(): AsyncGenerator<Row> {
      try {
        for (;;) {
          state.read += 1
          yield { noise: Array.from({ length: 500 }, () => Math.random().toString(36)).join('') }
        }
      } finally {
        state.released = true
      }
    }
    const { get, logged } = createTestApp({ rows, limits })
    const reader = (await get(path, asking(asked))).body!.getReader()
    for (let i = 0; i < reads; i++) await reader.read()
    // Time enough for hundreds of rows.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(state.read).toBeLessThan(50)
    await reader.cancel()
    await eventually(() => expect(state.released).toBe(true))
    expect(logged).toEqual([])
  })

  test('breaks where a row fails, and the log says why', async () => {
    const { rows, state } = countedRows(300, 100)
    const { get, logged } = createTestApp({ rows, limits })
    const response = await get(path, asking(asked))
    await expect(response.arrayBuffer()).rejects.toThrow('The service failed with an internal error.')
    expect(logged).toEqual(['internal error: Error: a block is damaged'])
    expect(state.released).toBe(true)
  })

  test('arrives whole over a connection; one that breaks never ends as if it were whole', async () => {
    for (const failAt of [undefined, 100]) {
      const { app, logged } = createTestApp({ rows: countedRows(300, failAt).rows, limits })
      const listening = await listen(app, { host: '127.0.0.1', port: 0 })
      const headers = { 'X-API-KEY': TOKEN, 'Accept-Encoding': asked }
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        httpGet(listening.url + path, { headers }, resolve).on('error', reject)
      }).then(buffer)
      if (failAt === undefined) expect(DECODERS[asked]!(await answer).toString()).toBe(expected)
      else await expect(answer).rejects.toThrow()
      expect(logged).toEqual(failAt === undefined ? [] : ['internal error: Error: a block is damaged'])
      await listening.close()
    }
  })
})

test.each([
  'gzip',
  'br',
  'identity',
])('S6: a client that leaves a streamed answer is no failure (%s)', async (coding) => {
  const state = { released: false }
  async function* rows(): AsyncGenerator<Row> {
    try {
      for (let i = 0; ; i++) {
        if (i > 20) await new Promise((resolve) => setTimeout(resolve, 5))
        yield { i, noise: Array.from({ length: 500 }, () => Math.random().toString(36)).join('') }
      }
    } finally {
      state.released = true
    }
  }
  const { app, logged } = createTestApp({ rows, limits: { bufferedBytes: 10_000 } })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const headers = { 'X-API-KEY': TOKEN, 'Accept-Encoding': coding }
  await new Promise<void>((resolve) => {
    const request = httpGet(`${listening.url}${LOGS_ALL}?project=a`, { headers }, (response) => {
      response.once('data', () => request.destroy())
      response.on('error', () => {})
      response.on('close', resolve)
    })
  })
  await eventually(() => expect(state.released).toBe(true))
  expect(logged).toEqual([])
  await listening.close()
})
