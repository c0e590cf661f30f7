import { once } from 'node:events'
import type { Socket } from 'node:net'
import { bodyOf, exchange } from '../../support/raw-http.js'
import type { Served } from './program.js'
import { dialer, getText } from './raw.js'

export interface Answer {
  status: number
  /** Values by lower-case name. */
  headers: ReadonlyMap<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: bodies are any JSON
  body: any
  tookMs: number
}

/** Opens connections. The returned function sends a request on each connection, all at the same time. */
export async function dialAll(service: Served, count: number) {
  const sockets = Array.from({ length: count }, dialer(service))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return (paths: readonly string[]) => Promise.all(paths.map((path, i) => ask(sockets[i]!, path)))
}

/** Sends a request and reads the response. Rejects if the response is incomplete. */
async function ask(socket: Socket, path: string): Promise<Answer> {
  const startMs = performance.now()
  const heard = await exchange(() => socket, getText(path, 'Connection: close'))
  const tookMs = performance.now() - startMs
  const [first, ...lines] = heard.slice(0, heard.indexOf('\r\n\r\n')).split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!]))
  return { status: Number(first!.split(' ')[1]), headers, body: JSON.parse(bodyOf(heard)), tookMs }
}
