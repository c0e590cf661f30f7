import { expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import type { TestRule } from '../../../src/http/query/rule-tests.js'
import { createTestApp, NOT_FOUND, PREFIX, pass, readReply, refusal, settle, TOKEN } from '../support.js'

const PATH = '/api/alerting/test'
const ASKED = { rule: '-- alert: every 30s', last: '7d' }
const json = (body: object | string = ASKED) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** An app with tests of rules that end when the test says so. */
function open() {
  const tests: { asked: object; signal: AbortSignal; finish(answer: object): void }[] = []
  const testRule: TestRule = (asked, { signal, memory }) =>
    new Promise((resolve, reject) => {
      memory.add(1_000)
      signal.addEventListener('abort', () => reject(signal.reason))
      tests.push({ asked, signal, finish: resolve })
    })
  return { tests, ...createTestApp({ testRule, tokens: [TOKEN, { token: 'bound', projects: new Set(['a']) }] }) }
}

it('passes rule and time on, and answers with JSON', async () => {
  const { get, tests } = open()
  const reply = readReply(get(PATH, json()), 'content-type', 'cache-control')
  await settle()
  expect(tests[0]!.asked).toEqual(ASKED)
  tests[0]!.finish({ result: [], steps: 3 })
  expect(await reply).toEqual({
    status: 200,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    body: '{"result":[],"steps":3}',
  })
})

it('runs one test at a time, and counts its memory until its end', async () => {
  const { get, tests, metrics } = open()
  const bytes = async () => (await metrics.queryBytes.get()).values[0]!.value
  const first = get(PATH, json())
  await settle()
  expect(await bytes()).toBe(1_000)
  expect(await readReply(get(PATH, json()), 'retry-after')).toEqual({
    status: 503,
    'retry-after': '2',
    body: refusal('Another test of a rule is running. Try again shortly.', 'overloaded'),
  })
  tests[0]!.finish({})
  await first
  expect(await bytes()).toBe(0)
  const next = get(PATH, json())
  await settle()
  tests[1]!.finish({})
  expect((await next).status).toBe(200)
})

it('ends a test after 50 seconds, and when its caller leaves', async () => {
  const { app, get, tests, clock } = open()
  const slow = get(PATH, json())
  await settle()
  await pass(clock, 50)
  expect(await readReply(slow)).toMatchObject({ status: 503, body: expect.stringContaining('longer than 50 s') })
  const caller = new AbortController()
  const init = { ...json(), signal: caller.signal }
  const left = app.fetch(new Request(PREFIX + PATH, { ...init, headers: { ...init.headers, 'X-API-KEY': TOKEN } }))
  await settle()
  caller.abort()
  expect((await left).status).toBe(499)
  expect(tests[1]!.signal.reason).toBeInstanceOf(LogweirError)
  const next = get(PATH, json())
  await settle()
  tests[2]!.finish({})
  expect((await next).status).toBe(200)
})

it('refuses tokens that are bound to projects, and other methods', async () => {
  const { get, tests } = open()
  const init = json()
  const bound = await readReply(get(PATH, { ...init, headers: { ...init.headers, 'X-API-KEY': 'bound' } }))
  expect(bound).toMatchObject({ status: 403, body: expect.stringContaining('"code":"forbidden"') })
  expect(await readReply(get(PATH), 'allow')).toMatchObject({ status: 405, allow: 'POST, OPTIONS' })
  expect(tests).toEqual([])
})

it('says that a service without SQL tests no rules', async () => {
  const { get } = createTestApp()
  const { status, body } = await readReply(get(PATH, json()))
  expect([status, body]).toEqual([404, expect.stringContaining('Start it with --sql')])
  expect((await readReply(get('/api/alerting/tests', json()))).body).toBe(NOT_FOUND)
})

it.each([
  ['{"rule":"a"}', 'missing_parameter', 'The parameter "last" is missing'],
  ['{"rule":"","last":"7d"}', 'missing_parameter', 'The parameter "rule" is missing'],
  ['{"rule":"a","last":"7d","from":"x"}', 'invalid_parameter', 'There is no parameter "from" here.'],
  ['{"rule":"a","rule":"b","last":"7d"}', 'duplicate_parameter', 'The parameter "rule" is given twice.'],
  ['{"rule":["a"],"last":"7d"}', 'invalid_parameter', 'The parameter "rule" is a list.'],
  ['[]', 'invalid_body', 'The body is a list in JSON.'],
])('refuses the body %s', async (body, code, message) => {
  const { get } = open()
  const reply = await readReply(get(PATH, json(body)))
  expect(reply.status).toBe(400)
  expect(JSON.parse(reply.body)).toEqual({ code, error: expect.stringContaining(message) })
})
