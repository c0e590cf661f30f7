import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** An alert of a webhook, as far as the tests read it. */
interface HeardAlert {
  status: 'firing' | 'resolved'
  labels: Record<string, string>
  values: Record<string, unknown>
  startsAt: string
  endsAt: string
}

/** A request that a receiver has read whole. */
export interface Heard {
  key: string
  authorization: string | undefined
  url: string
  alerts: HeardAlert[]
  /** The status that the receiver answered with. Undefined: there was no answer. */
  status: number | undefined
}

/** How a receiver answers the request of a number, from 0: with a status, never, or by closing the connection. */
type Answering = (number: number) => number | 'close' | 'hang'

export interface Receiver {
  url: string
  heard: Heard[]
}

/** Starts a webhook on loopback that ends with the test. */
export async function startReceiver(answering: Answering = () => 200): Promise<Receiver> {
  const heard: Heard[] = []
  const server = createServer((request, response) => void answer(request, response, heard, answering))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret-path`, heard }
}

async function answer(request: IncomingMessage, response: ServerResponse, heard: Heard[], answering: Answering) {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  const answered = answering(heard.length)
  heard.push({
    key: request.headers['idempotency-key'] as string,
    authorization: request.headers.authorization,
    url: request.url!,
    alerts: JSON.parse(body).alerts,
    status: typeof answered === 'number' ? answered : undefined,
  })
  if (answered === 'close') request.socket.destroy()
  else if (answered !== 'hang') response.writeHead(answered).end()
}

/** Returns the alerts of requests, without requests that repeat a key, as `status path` each, in order. */
export function withoutRepeats(heard: readonly Heard[], label: string): string[] {
  const keys = new Set<string>()
  return heard.flatMap(({ key, alerts }) => {
    if (keys.has(key)) return []
    keys.add(key)
    return alerts.map(({ status, labels }) => `${status} ${labels[label]}`)
  })
}
