import { once } from 'node:events'
import { createServer, request } from 'node:http'

/**
 * Starts a proxy that adds the token to each request, so that the page opens without a sign-in, as behind a proxy that
 * authenticates its users. For demos on this machine only: every client that reaches the proxy has access. But the
 * proxy answers 421 if the Host header does not name the proxy, and drops the CORS header. Returns the proxy's address.
 */
export async function startTokenProxy(base, token) {
  const { hostname, port } = new URL(base)
  const server = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming
    if (headers.host !== `${hostname}:${server.address().port}`) return void outgoing.writeHead(421).end()
    const options = { hostname, port, path, method, headers: { ...headers, 'x-api-key': token } }
    const forwarded = request(options, (answer) => {
      const { 'access-control-allow-origin': _, ...answerHeaders } = answer.headers
      outgoing.writeHead(answer.statusCode, answerHeaders)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  server.listen(0, hostname)
  await once(server, 'listening')
  server.unref()
  return `http://${hostname}:${server.address().port}`
}
