import type { Socket } from 'node:net'

/** How long what a client still sends is read and dropped after its last answer: a reset could cost it that answer. */
export const LINGER_MS = 1_000

/** Ends a connection behind what was written to it, while the client may still be sending. */
export function lingerAndClose(socket: Socket, lingerMs = LINGER_MS): void {
  socket.end()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
