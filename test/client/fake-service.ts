import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Fake {
  url: string
  /** What was asked, in order. */
  requests: IncomingMessage[]
}

/** A service on a free port that answers as the test says, gone when the test ends. */
export async function fakeService(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Fake> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Answers with a body, as JSON unless said otherwise. */
export function reply(response: ServerResponse, body: unknown, type = 'application/json', status = 200): void {
  response.writeHead(status, { 'Content-Type': type })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
