import { afterEach, describe, expect, test } from 'vitest'
import type {
  createTranslator as CreateTranslator,
  TRANSLATOR_LIMITS as Limits,
  Translator,
} from '../../src/otlp/translator.js'
import { asJson, asProtobuf, messageOf, put } from './encode.js'

// The thread runs built code: run `npm run build` before the tests.
const {
  createTranslator,
  TRANSLATOR_LIMITS,
}: { createTranslator: typeof CreateTranslator; TRANSLATOR_LIMITS: typeof Limits } = await import(
  new URL('../../dist/otlp/translator.js', import.meta.url).href
)

let open: Translator[] = []
afterEach(async () => {
  await Promise.all(open.map((translator) => translator.close()))
  open = []
})

function start(limits: Partial<typeof Limits> = {}) {
  const translator = createTranslator({ ...TRANSLATOR_LIMITS, ...limits })
  open.push(translator)
  const ask = async (bytes: Uint8Array, encoding: 'json' | 'protobuf') =>
    Buffer.from(await translator.translate(bytes, encoding)).toString()
  return { ...translator, ask }
}

const request = (body: string) => [{ scopes: [{ records: [{ body }] }] }]
const line = (body: string) => `{"event_message":"${body}","metadata":{}}\n`

describe('the translating thread', () => {
  test('names the source by the attribute of the setting, in both encodings', async () => {
    const sent = (resource: [string, string | number][]) => [{ resource, scopes: [{ records: [{ body: 'b' }] }] }]
    const byService = createTranslator(TRANSLATOR_LIMITS, 'service.name')
    open.push(byService)
    const read = async ({ translate }: Translator, resource: [string, string | number][]) => {
      const json = Buffer.from(await translate(asJson(sent(resource)), 'json')).toString()
      expect(Buffer.from(await translate(asProtobuf(sent(resource)), 'protobuf')).toString()).toBe(json)
      return JSON.parse(json)
    }
    expect(await read(byService, [['service.name', 'My Shop']])).toMatchObject({
      source: 'My Shop',
      metadata: { resource: { service: { name: 'My Shop' } } },
    })
    expect(
      await read(byService, [
        ['service.name', 'a'],
        ['logweir.source', 'b'],
      ]),
    ).toMatchObject({ source: 'b' })
    expect(await read(byService, [['service.name', '']])).not.toHaveProperty('source')
    expect(await read(byService, [['service.name', 7]])).not.toHaveProperty('source')
    expect(await read(start(), [['service.name', 'a']])).not.toHaveProperty('source')
  })

  test('answers each request with its own lines', async () => {
    const { ask } = start()
    const bodies = [...Array(10).keys()].map((i) => `body ${i}`)
    const asked = bodies.map((body, i) =>
      i % 2 === 0 ? ask(asJson(request(body)), 'json') : ask(asProtobuf(request(body)), 'protobuf'),
    )
    expect(await Promise.all(asked)).toEqual(bodies.map(line))
  })

  test('says what is wrong with a request, and goes on', async () => {
    const { ask } = start({ records: 1 })
    const two = [...request('a'), ...request('b')]
    await expect(ask(Buffer.from('x'), 'json')).rejects.toMatchObject({ code: 'invalid_body' })
    await expect(ask(asProtobuf(two), 'protobuf')).rejects.toMatchObject({ code: 'body_too_large' })
    expect(await ask(asProtobuf(request('c')), 'protobuf')).toBe(line('c'))
  })

  test('dies of a request that takes all its memory: that one is refused, the next gets a new one', async () => {
    const { ask } = start({ heapBytes: 16 * 1024 * 1024 })
    const values = Buffer.alloc(2_000_000, Uint8Array.of(0x0a, 0))
    const record = messageOf((writer) => void put(writer, 5, (body) => put(body, 6, (list) => list.raw(values))))
    const bomb = messageOf(
      (writer) =>
        void put(writer, 1, (resource) => put(resource, 2, (scope) => put(scope, 2, (one) => one.raw(record)))),
    )
    const [refused, next] = await Promise.allSettled([ask(bomb, 'protobuf'), ask(asJson(request('next')), 'json')])
    expect(refused).toMatchObject({
      reason: {
        code: 'body_too_large',
        message: 'Reading the body takes too much memory. Nothing of it was taken. Send smaller batches.',
      },
    })
    expect(next).toEqual({ status: 'fulfilled', value: line('next') })
  })

  test('leaves the bytes of a request as they are', async () => {
    const { ask } = start()
    const bytes = asJson(request('a'))
    await ask(bytes, 'json')
    expect(bytes).toEqual(asJson(request('a')))
  })

  test('translates nothing once it is closed', async () => {
    const { ask, close } = start()
    const asked = Promise.allSettled([ask(asJson(request('a')), 'json'), ask(asJson(request('b')), 'json')])
    // The thread has received the first request, but has not started the work.
    await new Promise((resolve) => setImmediate(resolve))
    await close()
    const reason = new Error('The service is stopping and translates no more requests.')
    expect(await asked).toEqual(Array(2).fill({ status: 'rejected', reason }))
    await expect(ask(asJson(request('c')), 'json')).rejects.toThrow('The service is stopping')
  })
})
