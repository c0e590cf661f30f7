import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonFormat } from '../../../src/http/formats/json.js'
import { encodeAll } from '../../../src/http/reply/chunks.js'
import type { Row } from '../../../src/plan/answer.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { countedTexts, createTestApp, LOGS_ALL, settle } from '../support.js'

const decode = (body: Uint8Array) => Buffer.from(body).toString()

async function* asRows(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}

describe('rows as JSON', () => {
  test('equal what JSON.stringify makes of them', async () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.constant(null), fc.integer())
    const row = fc.dictionary(fc.string({ unit: 'binary' }), value)
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        expect(decode(await encodeAll(asRows(rows), jsonFormat.encoder([])))).toBe(JSON.stringify({ result: rows }))
      }),
    )
  })

  test('keep raw JSON to the letter', async () => {
    const text = '{"a" : 1.0,"b":12345678901234567890, "c":[1e5]}'
    const rows: Row[] = [{ m: new RawJson(text), n: 1 }, { m: new RawJson('[]') }]
    expect(decode(await encodeAll(asRows(rows), jsonFormat.encoder([])))).toBe(
      `{"result":[{"m":${text},"n":1},{"m":[]}]}`,
    )
  })
})

/** Rows of `bytes` each. */
const countedRows = (count: number, bytes: number, failAt?: number) => countedTexts(count, 'x'.repeat(bytes), failAt)

const bufferedBytes = 10_000
const ask = (rows: () => AsyncGenerator<Row>, init?: RequestInit) => {
  const parts = createTestApp({ rows, limits: { bufferedBytes } })
  return { ...parts, reply: parts.get(`${LOGS_ALL}?project=a`, init) }
}
const whole = (count: number, bytes: number) =>
  JSON.stringify({ result: Array.from({ length: count }, (_, i) => ({ i, text: 'x'.repeat(bytes) })) })

describe('a long answer', () => {
  test('is streamed whole, without a length', async () => {
    const { rows, state } = countedRows(100, 1_000)
    const response = await ask(rows).reply
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.headers.get('cache-status')).toBe('logweir; fwd=bypass')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe(whole(100, 1_000))
    expect(state).toEqual({ read: 100, released: true })
  })

  test.each([0, 1, 2])('is held up to the limit and streamed beyond it (%i bytes over)', async (over) => {
    const bytes = bufferedBytes - JSON.stringify({ result: [{ i: 0, text: '' }] }).length + over
    const { rows } = countedRows(1, bytes)
    const response = await ask(rows).reply
    expect(response.headers.get('content-length')).toBe(over === 0 ? `${bufferedBytes}` : null)
    expect(await response.text()).toBe(whole(1, bytes))
  })

  test('is read no faster than its receiver takes it', async () => {
    const { rows, state } = countedRows(100, 1_000)
    const response = await ask(rows).reply
    await settle()
    const before = state.read
    expect(before).toBeLessThanOrEqual(bufferedBytes / 1_000 + 1)
    const reader = response.body!.getReader()
    for (let taken = 0; taken < 20; taken++) {
      await reader.read()
      await settle()
      expect(state.read - before).toBe(taken)
    }
  })

  test('lets go of the rows when its receiver lets go of it', async () => {
    const { rows, state } = countedRows(100, 1_000)
    const response = await ask(rows).reply
    await response.body!.cancel()
    await settle()
    expect(state.released).toBe(true)
    expect(state.read).toBeLessThan(20)
  })

  test('frees its place in the gate before it is taken', async () => {
    const { rows } = countedRows(100, 1_000)
    const { reply, get, metrics } = ask(rows)
    const slow = [await reply, ...(await Promise.all(Array.from({ length: 20 }, () => get(`${LOGS_ALL}?project=a`))))]
    expect(slow.map(({ status }) => status)).toEqual(Array(21).fill(200))
    expect((await metrics.queriesRunning.get()).values[0]!.value).toBe(0)
  })

  test('by HEAD reads no more than decides its headers', async () => {
    const { rows, state } = countedRows(100, 1_000)
    const response = await ask(rows, { method: 'HEAD' }).reply
    const get = await ask(countedRows(100, 1_000).rows).reply
    expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries(get.headers))
    expect(await response.text()).toBe('')
    expect(state.released).toBe(true)
    expect(state.read).toBeLessThan(20)
  })
})

describe('an answer that fails on its way', () => {
  test('is a plain refusal where none of it is sent', async () => {
    const { rows, state } = countedRows(100, 1_000, 5)
    const { reply, logged } = ask(rows)
    const response = await reply
    expect([response.status, await response.text()]).toEqual([
      500,
      '{"error":"The service failed with an internal error. Try again; if it persists, see the log of the service.",' +
        '"code":"internal"}',
    ])
    expect(logged).toEqual(['internal error: Error: a block is damaged'])
    expect(state.released).toBe(true)
  })

  test('breaks where a part of it is sent, and the log says why', async () => {
    const { rows } = countedRows(100, 1_000, 50)
    const { reply, logged } = ask(rows)
    const response = await reply
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('The service failed with an internal error.')
    expect(logged).toEqual(['internal error: Error: a block is damaged'])
  })
})

test('rows are not read once the client has left', async () => {
  const leaves = new AbortController()
  let read = 0
  async function* endless(): AsyncGenerator<Row> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      read += 1
      yield { read }
    }
  }
  const { reply } = ask(endless, { signal: leaves.signal })
  await settle()
  leaves.abort()
  expect((await reply).status).toBe(499)
  await settle()
  const seen = read
  await settle()
  expect(read).toBe(seen)
})
