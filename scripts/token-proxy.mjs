import { once } from 'node:events'
import { createServer, request } from 'node:http'

/**
 * Stands before a service and puts the token to what comes, so that its page opens without a sign-in: what a proxy with a
 * sign-in of its own would do. For demos on this machine: whoever reaches it is let in, but pages of other hosts are not.
 * Gives the address.
 */
export async function startTokenProxy(base, token) {
  const { hostname, port } = new URL(base)
  const server = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming
    if (headers.host !== `${hostname}:${server.address().port}`) return void outgoing.writeHead(421).end()
    const options = { hostname, port, path, method, headers: { ...headers, 'x-api-key': token } }
    const asked = request(options, (answer) => {
      const { 'access-control-allow-origin': _, ...own } = answer.headers
      outgoing.writeHead(answer.statusCode, own)
      answer.pipe(outgoing)
    })
    asked.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    outgoing.on('close', () => asked.destroy())
    incoming.pipe(asked)
  })
  server.listen(0, hostname)
  await once(server, 'listening')
  server.unref()
  return `http://${hostname}:${server.address().port}`
}
