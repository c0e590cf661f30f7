import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { TOKEN } from './program.js'

/**
 * Clients at the level of sockets: each client is a connection, and the test decides when the client writes and reads.
 */

/** Opens a connection that does not read yet. The connection is closed when the test ends. */
export async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** The head of a request without the empty line at the end, and that line. */
export const headOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${TOKEN}\r\n`
export const HEAD_END = '\r\n'

/** Returns everything that is received until the other side ends or resets the connection. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of socket) chunks.push(chunk as Buffer)
  } catch {}
  return Buffer.concat(chunks).toString()
}

/** Returns whether an HTTP/1.1 response is complete, by the length or the last chunk. */
export function isWhole(answer: string): boolean {
  const [head, ...rest] = answer.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(head!)?.[1]
  return length === undefined
    ? body.endsWith('\r\n0\r\n\r\n') || body === '0\r\n\r\n'
    : Buffer.byteLength(body) === Number(length)
}
