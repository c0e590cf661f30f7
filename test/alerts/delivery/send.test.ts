import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSender } from '../../../src/alerts/delivery/send.js'

/** Starts a receiver on loopback, and returns its address. */
async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`
}

function senderFor(timeoutMs?: number) {
  const sender = createSender(timeoutMs)
  onTestFinished(() => sender.close())
  return (url: string, headers = {}) => sender.send({ url, headers, body: '{"a":"é"}' })
}

describe('a request to a receiver', () => {
  it('has the path, the headers and the body', async () => {
    const got: unknown[] = []
    const url = await receiver(async (request, response) => {
      const chunks = await request.toArray()
      got.push(request.method, request.url, request.headers['x-a'], Buffer.concat(chunks).toString())
      response.end('ok')
    })
    expect(await senderFor()(url, { 'X-A': 'b' })).toEqual({ word: 'delivered', status: 200 })
    expect(got).toEqual(['POST', '/hook?a=b', 'b', '{"a":"é"}'])
  })

  it('returns other answers as they are', async () => {
    const url = await receiver((_, response) => response.writeHead(429, { 'Retry-After': '7' }).end())
    expect(await senderFor()(url)).toEqual({ word: 'status', status: 429, retryAfter: '7' })
  })

  it('does not follow a redirect', async () => {
    let followed = 0
    const target = await receiver((_, response) => response.end(String(++followed)))
    const url = await receiver((_, response) => response.writeHead(307, { Location: target }).end())
    expect(await senderFor()(url)).toEqual({ word: 'status', status: 307 })
    expect(followed).toBe(0)
  })

  it('uses no proxy of the environment', async () => {
    let asked = 0
    const proxy = await receiver((_, response) => response.end(String(++asked)))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy)
    vi.stubEnv('NO_PROXY', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const url = await receiver((_, response) => response.end())
    expect(await senderFor()(url)).toMatchObject({ word: 'delivered' })
    expect(asked).toBe(0)
  })

  it('reads at most 64 KiB of an answer', async () => {
    let written = 0
    const chunk = Buffer.alloc(64 * 1024)
    const url = await receiver((_, response) => {
      const writeMore = () => {
        while (written < 64 * 1024 * 1024 && response.write(chunk)) written += chunk.length
      }
      response.on('drain', writeMore)
      response.on('error', () => {})
      writeMore()
    })
    expect(await senderFor()(url)).toEqual({ word: 'delivered', status: 200 })
    // The buffers of the sockets hold some MiB at most.
    expect(written).toBeLessThan(32 * 1024 * 1024)
  })

  it('counts an answer that ends early by its status', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('abc')
      setTimeout(() => response.destroy(), 20)
    })
    expect(await senderFor()(url)).toEqual({ word: 'delivered', status: 200 })
  })

  it('ends with a word: refused, timeout, tls, unreachable', async () => {
    const silent = await receiver(() => {})
    expect(await senderFor(200)(silent)).toEqual({ word: 'timeout' })
    const closing = await receiver((request) => void request.socket.destroy())
    expect(await senderFor()(closing)).toEqual({ word: 'unreachable' })
    const plain = await receiver((_, response) => response.end())
    expect(await senderFor()(plain.replace('http:', 'https:'))).toEqual({ word: 'tls' })
    const free = createTcpServer()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    expect(await senderFor()(`http://127.0.0.1:${port}/`)).toEqual({ word: 'refused' })
    expect(await senderFor()('http://no-such-host.invalid/')).toEqual({ word: 'unreachable' })
  })

  it('bounds an answer that never ends', async () => {
    const url = await receiver((_, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    expect(await senderFor(300)(url)).toEqual({ word: 'delivered', status: 200 })
  })
})
