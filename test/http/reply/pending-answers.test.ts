import { describe, expect, test } from 'vitest'
import { createPendingAnswers } from '../../../src/http/reply/pending-answers.js'
import { createTestApp, LOGS_ALL, pass, readReply, refusal, settle, TOKEN } from '../support.js'

const STOPPING = {
  status: 503,
  'Retry-After': '2',
  body: refusal('The service is shutting down. Try again when it is back.', 'stopping'),
}

describe('answers that are not ready', () => {
  test('are passed on as they are', async () => {
    const { track } = createPendingAnswers()
    expect(await track(Promise.resolve(1))).toBe(1)
    await expect(track(Promise.reject(new Error('its own')))).rejects.toThrow('its own')
  })

  test('are refused, those of later requests too, and only once', async () => {
    const { track, refuseAll } = createPendingAnswers()
    let resolve = (_: number) => {}
    const pending = [track(new Promise<number>(() => {})), track(new Promise<number>((done) => (resolve = done)))]
    const ready = track(Promise.resolve(2))
    await ready
    refuseAll()
    resolve(3)
    pending.push(track(Promise.resolve(4)))
    for (const answer of pending) await expect(answer).rejects.toMatchObject({ code: 'stopping' })
    expect(await ready).toBe(2)
  })
})

test('requests that have not arrived yet are refused before the others', async () => {
  const { track, refuseReceiving, refuseAll } = createPendingAnswers()
  let isReceiving = true
  const never = () => new Promise<number>(() => {})
  const [cut, arrived] = [track(never(), () => true), track(never(), () => isReceiving)]
  const outcomes: string[] = []
  cut.catch(() => outcomes.push('cut'))
  arrived.catch(() => outcomes.push('arrived'))
  isReceiving = false
  refuseReceiving()
  await settle()
  expect(outcomes).toEqual(['cut'])
  expect(await track(Promise.resolve(1), () => true)).toBe(1)
  refuseAll()
  await settle()
  expect(outcomes).toEqual(['cut', 'arrived'])
})

describe('X1: a stop', () => {
  test('refuses queries and bodies that still wait after the grace period, not before', async () => {
    const { app, get, clock, engine } = createTestApp({
      intake: { take: () => new Promise(() => {}), writeFailure: () => undefined, prepare() {} },
    })
    const body = new Request('http://localhost/api/logs', {
      method: 'POST',
      headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' },
      body: '{}',
    })
    const waiting = [get(`${LOGS_ALL}?project=a`), Promise.resolve(app.fetch(body))]
    const early = get(`${LOGS_ALL}?project=b`)
    await settle()
    app.beginStop(2_000)
    await pass(clock, 1)
    engine.runs[1]!.finish([])
    expect((await early).status).toBe(200)
    await pass(clock, 1)
    for (const answer of waiting) expect(await readReply(answer, 'Retry-After')).toEqual(STOPPING)
    expect((await readReply(get('/health'))).status).toBe(200)
    expect(await readReply(get(`${LOGS_ALL}?project=c`), 'Retry-After')).toEqual(STOPPING)
  })
})
