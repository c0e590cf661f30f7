import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/** Returns everything that a connection receives until the connection is closed. */
export async function listenTo(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

/** Resolves when a server of this process has taken a connection, or has read the head of a request. */
export function nextAt(channel: 'net.server.socket' | 'http.server.request.start'): Promise<void> {
  return new Promise((resolve) => {
    const hear = () => {
      unsubscribe(channel, hear)
      resolve()
    }
    subscribe(channel, hear)
  })
}

/** Sends bytes unchanged, and returns the response until the server closes the connection. */
export async function exchange(dial: () => Socket, text: string | Buffer): Promise<string> {
  const socket = dial()
  const heard = listenTo(socket)
  socket.write(text)
  return heard
}

/** Returns the status lines of a response text. */
export const statusLines = (heard: string) => heard.match(/HTTP\/1\.1 [^\r]*/g) ?? []

/** Returns the text after the first head. */
export const bodyOf = (heard: string) => heard.slice(heard.indexOf('\r\n\r\n') + 4)
