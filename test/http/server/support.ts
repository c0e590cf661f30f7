import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen, type ServerLimits } from '../../../src/http/server/server.js'
import { createTestApp, refusal, TOKEN } from '../support.js'

type TestOptions = Parameters<typeof createTestApp>[0] & { server?: Partial<ServerLimits> }

/** A server over a test app, until the test ends. `dial` opens a connection to the server. */
export async function serve({ server, ...parts }: TestOptions = {}) {
  const test = createTestApp(parts)
  const listening = await listen(test.app, { host: '127.0.0.1', port: 0, limits: server })
  const sockets: ReturnType<typeof connect>[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await listening.close()
  })
  const dial = () => {
    const socket = connect(listening.port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    return socket
  }
  return { ...test, ...listening, dial }
}

/** Returns the text of a request with the token. */
export const get = (path: string, ...headers: readonly string[]) =>
  `GET ${path} HTTP/1.1\r\n${['Host: a', `X-API-KEY: ${TOKEN}`, ...headers].join('\r\n')}\r\n\r\n`

/** The header of the last request of a connection. */
export const LAST = 'Connection: close'

export const BAD_REQUEST = refusal('This is not a well-formed HTTP request. Correct the request.', 'bad_request')
