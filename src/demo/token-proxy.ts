import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts a proxy that adds the token to each request, so that the page opens without a sign-in, as behind a proxy that
 * authenticates its users. For demos on this machine only: every client that reaches the proxy has access. But the
 * proxy answers 421 if the Host header does not name the proxy, and drops the CORS header. Returns the proxy's address.
 * The proxy does not keep the process alive while no client is connected.
 */
export async function startTokenProxy(base: string, token: string): Promise<string> {
  const { hostname } = new URL(base)
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers.host === hostOf()) forward(base, token, incoming, outgoing)
    else outgoing.writeHead(421).end()
  })
  const hostOf = () => `${hostname}:${(server.address() as AddressInfo).port}`
  server.listen(0, hostname)
  await once(server, 'listening')
  server.unref()
  return `http://${hostOf()}`
}

function forward(base: string, token: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(base)
  const { url: path, method, headers } = incoming
  const options = { hostname, port, path, method, headers: { ...headers, 'x-api-key': token } }
  const forwarded = request(options, (answer) => {
    const { 'access-control-allow-origin': _, ...answerHeaders } = answer.headers
    outgoing.writeHead(answer.statusCode!, answerHeaders)
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
  outgoing.on('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
}
