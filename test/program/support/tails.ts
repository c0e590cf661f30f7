import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Served } from './program.js'
import { getText } from './raw.js'

/** Returns an edge record as a line of NDJSON. */
export const tailLine = (id: string, project = 'a', event_message = ''): string =>
  `${JSON.stringify({ source: 'edge_logs', project, id, event_message })}\n`

/** Opens a tail with a client that reads nothing. */
export async function openUnread({ url }: Served): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(getText('/api/tail?project=a'))
  return socket
}
