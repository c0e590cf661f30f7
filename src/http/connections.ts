import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection that has sent nothing may have its first request under way when the server closes. */
const SILENT_MS = 100

export interface Connections {
  /** Takes note of a connection. */
  add(socket: Socket): void
  /** Whether every request of a connection, its body too, has come and is answered. */
  isIdle(socket: Socket): boolean
  /** Answers the requests of a connection one after the other; those behind an answer that ends it are not looked at. */
  listener: RequestListener
  /**
   * Takes no more connections and ends the idle ones at once, the others after their answer; cuts what is left after
   * `limitMs`.
   */
  close(server: Server, limitMs: number): Promise<void>
}

/** The connections of a server, each with its latest answer. */
export function createConnections(answer: RequestListener): Connections {
  const latest = new Map<Socket, ServerResponse | undefined>()
  let closing = false

  function start(...[incoming, outgoing]: Parameters<RequestListener>): void {
    if (closing) endAfter(outgoing, incoming.socket)
    answer(incoming, outgoing)
  }

  return {
    add(socket) {
      latest.set(socket, undefined)
      socket.once('close', () => latest.delete(socket))
    },
    isIdle(socket) {
      const outgoing = latest.get(socket)
      return outgoing === undefined || (outgoing.closed && outgoing.req.complete)
    },
    listener(incoming, outgoing) {
      const { socket } = incoming
      const before = latest.get(socket)
      latest.set(socket, outgoing)
      if (before === undefined || before.closed) start(incoming, outgoing)
      else before.once('close', () => socket.writable && start(incoming, outgoing))
    },
    async close(server, limitMs) {
      closing = true
      // It ends those that have been answered and are idle, too.
      const closed = new Promise((resolve) => server.close(resolve))
      for (const [socket, outgoing] of latest) {
        if (outgoing === undefined) setTimeout(() => socket.bytesRead === 0 && socket.destroy(), SILENT_MS)
        else if (!outgoing.closed) endAfter(outgoing, socket)
      }
      const timer = setTimeout(() => server.closeAllConnections(), limitMs)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Ends a connection after an answer, and says so in its headers where they are not sent yet. */
function endAfter(outgoing: ServerResponse, socket: Socket): void {
  outgoing.shouldKeepAlive = false
  outgoing.once('close', () => socket.destroySoon())
}
