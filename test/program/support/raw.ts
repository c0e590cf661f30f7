import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Served, TOKEN } from './program.js'

/** Returns a function that opens connections for raw bytes. The connections are closed when the test ends. */
export function dialer({ url }: Pick<Served, 'url'>): () => Socket {
  const port = Number(new URL(url).port)
  return () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
}

/** Returns the text of a GET request with the token. */
export function getText(path: string, ...headers: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${['Host: a', `X-API-KEY: ${TOKEN}`, ...headers].join('\r\n')}\r\n\r\n`
}
