import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { startTokenProxy } from '../../src/demo/token-proxy.js'
import { type Fake, fakeService } from '../client/fake-service.js'

/** A service that sends back the body of a request, and lets every page read it. */
const echo = (): Promise<Fake> =>
  fakeService((incoming, response) => {
    response.writeHead(201, { 'Access-Control-Allow-Origin': '*', 'X-Other': 'kept' })
    incoming.pipe(response)
  })

/** Sends a request with any Host header, which `fetch` does not allow. */
async function send(url: string, headers: IncomingHttpHeaders, body = '') {
  const sent = request(url, { method: 'POST', headers, agent: false })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const pieces = await answer.setEncoding('utf8').toArray()
  return { status: answer.statusCode, headers: answer.headers, body: pieces.join('') }
}

it('forwards requests with the token, and answers without the CORS header', async () => {
  const service = await echo()
  const proxy = await startTokenProxy(service.url, 'secret')
  const answer = await send(`${proxy}/a?b=c`, { 'x-api-key': 'another' }, 'text')
  expect(answer).toMatchObject({ status: 201, body: 'text', headers: { 'x-other': 'kept' } })
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  const [{ method, url, headers }] = service.requests as [IncomingMessage]
  expect([method, url, headers['x-api-key']]).toEqual(['POST', '/a?b=c', 'secret'])
})

it('refuses a Host header of another name, as of a page elsewhere whose name leads here', async () => {
  const service = await echo()
  const proxy = await startTokenProxy(service.url, 'secret')
  const { port } = new URL(proxy)
  for (const host of [`localhost:${port}`, `elsewhere.example:${port}`, '127.0.0.1']) {
    expect(await send(proxy, { host })).toMatchObject({ status: 421, body: '' })
  }
  expect(service.requests).toEqual([])
})

it('answers 502 if there is no service', async () => {
  const proxy = await startTokenProxy('http://127.0.0.1:9', 'secret')
  expect(await send(proxy, {})).toMatchObject({ status: 502, body: '' })
})
