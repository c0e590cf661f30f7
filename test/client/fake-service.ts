import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A fake of the service. */
export interface Fake {
  url: string
  /** The requests so far, in order. */
  requests: IncomingMessage[]
}

/** Starts a service on a free port that answers as the test specifies. The service is closed when the test ends. */
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

/** Sends an answer with a body, by default as JSON with status 200. */
export function reply(response: ServerResponse, body: unknown, type = 'application/json', status = 200): void {
  response.writeHead(status, { 'Content-Type': type })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Answers a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Returns an answer that sends the text of a stream of events, and ends the stream if the test specifies so. */
export const eventStream =
  (text: string, { ends = false } = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
    response.write(`retry: 1\n: hello\n\n${text}`)
    if (ends) response.end()
  }

/** Returns an answer that refuses a request with an error. */
export const refusal =
  (status: number, code: string): Answer =>
  (_, response) =>
    reply(response, { error: 'Not now.', code }, undefined, status)

/** Starts a service that gives the answers in order, and repeats the last answer. */
export function inTurn(...answers: Answer[]): Promise<Fake> {
  let asked = 0
  return fakeService((request, response) => answers[Math.min(asked++, answers.length - 1)]!(request, response))
}
