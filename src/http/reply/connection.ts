import type { ServerResponse } from 'node:http'

/** The connection of a response. */
export interface Connection {
  /** Closes the connection in the middle of the response. */
  breakOff(): void
  /** Calls a function when the response has been sent, or the connection was closed. */
  onClose(listener: () => void): void
}

/** Returns the connection of a response. Undefined if the response has no connection, as in tests. */
export function connectionOf(outgoing: Pick<ServerResponse, 'destroy' | 'once' | 'closed'> | undefined) {
  if (outgoing === undefined) return undefined
  const connection: Connection = {
    breakOff: () => void outgoing.destroy(),
    onClose(listener) {
      if (outgoing.closed) listener()
      else outgoing.once('close', listener)
    },
  }
  return connection
}
