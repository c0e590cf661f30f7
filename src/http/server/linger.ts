import type { Socket } from 'node:net'

/** How long a client's data is read and dropped after the last response: a reset could destroy that response. */
export const LINGER_MS = 1_000

/**
 * Ends a connection after the written data, and destroys the connection `lingerMs` later. Until then, the client may
 * still be sending.
 */
export function lingerAndClose(socket: Socket, lingerMs = LINGER_MS): void {
  socket.end()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
