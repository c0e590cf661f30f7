import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import { createWrongTokens, WRONG_TOKEN_LIMITS } from '../../../src/http/access/wrong-tokens.js'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import { createFakeClock } from '../../support/clock.js'
import { eventually } from '../../support/eventually.js'
import { below, mulberry32 } from '../../support/random.js'
import { exchange, statusLines } from '../../support/raw-http.js'
import { testSeed } from '../../support/seed.js'
import { LAST, serve } from '../server/support.js'
import { createTestApp, PREFIX, pass, readReply, refusal, settle, TOKEN, UNAUTHORIZED } from '../support.js'

const { freeAMinute, waiting } = WRONG_TOKEN_LIMITS
const HERE = '192.0.2.1'
const MINUTE_MS = 60_000

const TOO_MANY = {
  status: 429,
  'Retry-After': '1',
  body: refusal(
    'Too many requests with wrong access tokens wait for their answers. ' +
      'Correct the token, and try again after the seconds in Retry-After.',
    'too_many_requests',
  ),
}
const REFUSED = { status: 401, 'Retry-After': null, body: UNAUTHORIZED }

function createGuarded() {
  const test = createTestApp({ rows: () => [], tokens: [TOKEN, { token: 'other' }, { token: 'old', expiresUs: 0 }] })
  /** Sends a request from an address. The reply has a state that can be read without waiting. */
  function send(
    token: string | undefined,
    { from = HERE, path = '/metrics', signal = new AbortController().signal } = {},
  ) {
    const headers: Record<string, string> = token === undefined ? {} : { 'X-API-KEY': token }
    const incoming = { socket: { remoteAddress: from }, headers: {} }
    const request = new Request(PREFIX + path, { headers, signal })
    const reply = readReply(test.app.fetch(request, { incoming } as never), 'Retry-After')
    const sent = { reply, isAnswered: false }
    const note = () => void (sent.isAnswered = true)
    reply.then(note, note)
    return sent
  }
  const sendMany = (count: number, ...args: Parameters<typeof send>) =>
    Array.from({ length: count }, (_, i) => send(args[0] === undefined ? undefined : `${args[0]}${i}`, args[1]))
  const answered = async (sent: readonly { isAnswered: boolean }[]) => {
    await settle()
    return sent.filter(({ isAnswered }) => isAnswered).length
  }
  const count = async (reason: string) =>
    (await test.metrics.unauthorized.get()).values.find(({ labels }) => labels.reason === reason)!.value
  return { ...test, send, sendMany, answered, count }
}

describe('wrong tokens of one address', () => {
  test('are refused at once 20 times a minute, then a second later', async () => {
    const { sendMany, answered, clock } = createGuarded()
    const free = sendMany(freeAMinute, 'a')
    expect(await answered(free)).toBe(freeAMinute)
    const slow = sendMany(3, 'b')
    expect(await answered(slow)).toBe(0)
    clock.advance(999)
    expect(await answered(slow)).toBe(0)
    clock.advance(1)
    expect(await answered(slow)).toBe(3)
    for (const { reply } of [...free, ...slow]) expect(await reply).toEqual(REFUSED)
  })

  test('wait 64 at a time; further ones are refused with 429, and others can wait again later', async () => {
    const { sendMany, answered, clock } = createGuarded()
    sendMany(freeAMinute, 'a')
    const slow = sendMany(waiting, 'b')
    const refused = sendMany(5, 'c')
    expect([await answered(slow), await answered(refused)]).toEqual([0, 5])
    for (const { reply } of refused) expect(await reply).toEqual(TOO_MANY)
    await pass(clock, 1)
    expect(await answered(slow)).toBe(waiting)
    const later = sendMany(1, 'd')
    expect(await answered(later)).toBe(0)
    await pass(clock, 1)
    expect(await later[0]!.reply).toEqual(REFUSED)
  })

  test('do not slow down those of other addresses, except that all share the 64 places', async () => {
    const { sendMany, answered } = createGuarded()
    sendMany(freeAMinute + waiting, 'a')
    const other = { from: '192.0.2.2' }
    const free = sendMany(freeAMinute, 'b', other)
    expect(await answered(free)).toBe(freeAMinute)
    for (const { reply } of free) expect(await reply).toEqual(REFUSED)
    expect(await sendMany(1, 'c', other)[0]!.reply).toEqual(TOO_MANY)
  })

  test('are forgiven after a minute without them', async () => {
    const { sendMany, answered, clock } = createGuarded()
    const first = sendMany(freeAMinute + 1, 'a')
    clock.advance(MINUTE_MS)
    expect(await answered(first)).toBe(freeAMinute + 1)
    expect(await answered(sendMany(freeAMinute, 'b'))).toBe(freeAMinute)
    expect(await answered(sendMany(1, 'c'))).toBe(0)
  })

  test.each([
    ['an IPv6 network', (i: number) => `2001:db8:1:2::${i.toString(16)}`],
    ['an IPv4 address and its mapped form', (i: number) => (i % 2 === 0 ? '192.0.2.9' : '::ffff:192.0.2.9')],
  ])('count together with those of %s', async (_, addressOf) => {
    const { send, answered } = createGuarded()
    const sent = Array.from({ length: freeAMinute + 4 }, (__, i) => send('wrong', { from: addressOf(i) }))
    expect(await answered(sent)).toBe(freeAMinute)
  })
})

describe('a right token', () => {
  test('is never slowed, whatever came before from its address', async () => {
    const { send, sendMany, answered } = createGuarded()
    sendMany(freeAMinute + waiting + 10, 'a')
    const right = [
      send(TOKEN),
      send('other'),
      send(TOKEN, { path: '/api/session' }),
      send(TOKEN, { path: '/api/endpoints' }),
    ]
    expect(await answered(right)).toBe(right.length)
    for (const { reply } of right) expect((await reply).status).toBe(200)
  })
})

describe('a token that counts as wrong is', () => {
  test.each([
    ['an unknown one', { 'X-API-KEY': 'unknown' }],
    ['an expired one', { 'X-API-KEY': 'old' }],
    ['a Bearer', { Authorization: 'Bearer unknown' }],
    ['a right one with a character more', { 'X-API-KEY': `${TOKEN}x` }],
    ['a wrong one beside a right Bearer', { 'X-API-KEY': 'unknown', Authorization: `Bearer ${TOKEN}` }],
    ['the same header twice', { 'X-API-KEY': `${TOKEN}, ${TOKEN}` }],
  ])('%s', async (_, headers) => {
    const { app, count } = createGuarded()
    await app.fetch(new Request(`${PREFIX}/metrics`, { headers: headers as Record<string, string> }))
    expect([await count('wrong'), await count('missing')]).toEqual([1, 0])
  })

  test('one at /api/session too, which would otherwise tell right tokens from wrong ones without a delay', async () => {
    const { sendMany, answered, clock, count } = createGuarded()
    const session = { path: '/api/session' }
    expect(await answered(sendMany(freeAMinute, 'a', session))).toBe(freeAMinute)
    const slow = sendMany(2, 'b', session)
    expect(await answered(slow)).toBe(0)
    await pass(clock, 1)
    expect((await slow[0]!.reply).status).toBe(200)
    expect(await count('wrong')).toBe(freeAMinute + 2)
    sendMany(waiting, 'c')
    expect(await sendMany(1, 'd', session)[0]!.reply).toEqual(TOO_MANY)
  })

  test('one in the URL where it may be, of Supabase', async () => {
    const { app, metrics } = createTestApp({ dialect: LOGFLARE_DIALECT })
    await app.fetch(new Request(`${PREFIX}/api/logs?api_key=wrong`, { method: 'POST', body: '{}' }))
    await app.fetch(new Request(`${PREFIX}/metrics?api_key=wrong`))
    const values = (await metrics.unauthorized.get()).values
    expect(values.map(({ labels, value }) => [labels.reason, value])).toEqual([
      ['missing', 1],
      ['wrong', 1],
    ])
  })
})

describe('a request without a token', () => {
  test('is counted and never delayed: it tries none', async () => {
    const { sendMany, answered, count } = createGuarded()
    sendMany(freeAMinute + 1, 'a')
    const missing = [...sendMany(200, undefined), ...sendMany(5, undefined, { path: '/nothing' })]
    expect(await answered(missing)).toBe(205)
    for (const { reply } of missing) expect(await reply).toEqual(REFUSED)
    expect([await count('missing'), await count('wrong')]).toEqual([205, freeAMinute + 1])
  })

  test('is not counted where none is needed: a probe, a preflight, the page, a session', async () => {
    const { app, send, count } = createGuarded()
    for (const path of ['/health', '/ready', '/', '/api/session'])
      expect((await send(undefined, { path }).reply).status).toBe(200)
    await app.fetch(new Request(`${PREFIX}/metrics`, { method: 'OPTIONS' }))
    expect([await count('missing'), await count('wrong')]).toEqual([0, 0])
  })
})

describe('a delay', () => {
  test('ends when the service stops, and none begins', async () => {
    const { app, sendMany, answered } = createGuarded()
    sendMany(freeAMinute, 'a')
    const slow = sendMany(10, 'b')
    app.beginStop(1_000)
    expect(await answered(slow)).toBe(10)
    expect(await answered(sendMany(100, 'c'))).toBe(100)
    for (const { reply } of slow) expect(await reply).toEqual(REFUSED)
  })

  test('ends when its client leaves, and its place is free', async () => {
    const { sendMany, answered, clock } = createGuarded()
    sendMany(freeAMinute, 'a')
    const leaving = new AbortController()
    const slow = sendMany(waiting, 'b', { signal: leaving.signal })
    expect(await answered(slow)).toBe(0)
    leaving.abort()
    expect(await answered(slow)).toBe(waiting)
    expect((await slow[0]!.reply).status).toBe(499)
    expect(await answered(sendMany(waiting, 'c'))).toBe(0)
    expect(clock.timers).toBeLessThan(waiting + 10)
  })

  test('of a client on a connection ends when the connection does', async () => {
    const { dial, metrics } = await serve({ clock: { ...createFakeClock() } })
    const wrong = (n: number) => `GET /metrics HTTP/1.1\r\nHost: a\r\nX-API-KEY: wrong${n}\r\n\r\n`
    const socket = dial()
    let heard = ''
    socket.on('data', (bytes) => void (heard += bytes))
    for (let n = 0; n <= freeAMinute; n++) socket.write(wrong(n))
    await eventually(() => expect(statusLines(heard)).toHaveLength(freeAMinute))
    const noted = { labels: { reason: 'wrong' }, value: freeAMinute + 1 }
    await eventually(async () => expect((await metrics.unauthorized.get()).values).toContainEqual(noted))
    socket.destroy()
    const statuses = async () =>
      (await metrics.requests.get()).values.map(({ labels, value }) => `${labels.status} ${value}`)
    await eventually(async () => expect(await statuses()).toContain('499 1'))
  })

  test('takes a second by the clock of the machine, and a right token none', async () => {
    const { dial } = await serve({ clock: systemClock as never, rows: () => [] })
    const request = (token: string) =>
      `GET /api/endpoints HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${token}\r\n${LAST}\r\n\r\n`
    for (let n = 0; n < freeAMinute; n++) await exchange(dial, request('wrong'))
    const startMs = performance.now()
    const slow = exchange(dial, request('wrong'))
    await wait(20)
    expect(statusLines(await exchange(dial, request(TOKEN)))).toEqual(['HTTP/1.1 200 OK'])
    expect(statusLines(await slow)).toEqual(['HTTP/1.1 401 Unauthorized'])
    expect(performance.now() - startMs).toBeGreaterThan(990)
  })
})

test('wrong tokens, and none, leave no line in the log', async () => {
  const { sendMany, clock, answered, logged } = createGuarded()
  const sent = [...sendMany(300, 'a'), ...sendMany(300, undefined), ...sendMany(300, 'b', { path: '/api/logs' })]
  await pass(clock, 2)
  expect([await answered(sent), logged]).toEqual([900, []])
})

test('addresses without end take bounded memory, and the latest ones are remembered', () => {
  const limits = { ...WRONG_TOKEN_LIMITS, networks: 100, freeAMinute: 2 }
  const { noteWrong } = createWrongTokens(createMetrics(), createFakeClock(), limits)
  const caller = () => new AbortController().signal
  const isFree = (n: number) => noteWrong(`10.0.${n >> 8}.${n & 255}`, caller) === undefined
  for (let n = 0; n < 5_000; n++) expect([isFree(n), isFree(n)]).toEqual([true, true])
  expect(isFree(4_999)).toBe(false)
  expect(isFree(0)).toBe(true)
})

test('delays are those of obvious code, at random times and addresses', () => {
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const random = mulberry32(seed)
  const clock = createFakeClock()
  const limits = { ...WRONG_TOKEN_LIMITS, freeAMinute: 4, waiting: Number.POSITIVE_INFINITY }
  const { noteWrong } = createWrongTokens(createMetrics(), clock, limits)
  const seen: { from: string; atMs: number }[] = []
  for (let i = 0; i < 3_000; i++) {
    clock.advance(below(random, 8_000))
    const [from, atMs] = [`10.0.0.${below(random, 3)}`, clock.monotonicMs()]
    const before = seen.filter((one) => one.from === from && atMs - one.atMs < MINUTE_MS).length
    const isDelayed = noteWrong(from, () => new AbortController().signal) !== undefined
    expect(isDelayed).toBe(before >= 4)
    seen.push({ from, atMs })
  }
})

test('S2: the delay knows nothing of the token: it is not given it', () => {
  const source = readFileSync(new URL('../../../src/http/access/wrong-tokens.ts', import.meta.url), 'utf8')
  expect(source).not.toMatch(/headers|digest|x-api-key|authorization/i)
})
