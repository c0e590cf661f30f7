import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingerAndClose } from './linger.js'

/** How long a connection that has sent nothing may still send its first request after the server began to close. */
const SILENT_MS = 100

/** Limits of connections. */
export interface ConnectionLimits {
  /** Open connections. */
  connections: number
  /** How long a client may continue to send its request after the response. */
  lingerMs: number
}

/** The connections of a server: their number, the order of their requests, and their end. */
export interface Connections {
  /** Adds a connection. Over the limit, closes the one that has been idle longest; if none is idle, the new one. */
  add(socket: Socket): void
  /** Whether all requests of a connection were received whole and answered. */
  isIdle(socket: Socket): boolean
  /** Answers the requests of a connection one after the other. Requests after a response that ends it are ignored. */
  listener: RequestListener
  /**
   * Accepts no more connections. Ends idle ones at once, others after their response, and destroys the remaining ones
   * after `limitMs`. Resolves when all are closed.
   */
  close(server: Server, limitMs: number): Promise<void>
}

/** The connections of a server, each with its latest answer. */
export function createConnections(answer: RequestListener, { connections, lingerMs }: ConnectionLimits): Connections {
  const latest = new Map<Socket, ServerResponse | undefined>()
  /**
   * Those that wait for their next request, the longest idle first, with the bytes that had been read of each by then.
   */
  const idle = new Map<Socket, number>()
  let closing = false

  function start(...[incoming, outgoing]: Parameters<RequestListener>): void {
    const { socket } = incoming
    idle.delete(socket)
    if (closing) endAfter(outgoing, socket)
    outgoing.once('close', () => answered(incoming))
    answer(incoming, outgoing)
  }

  /**
   * A client that still sends its request after the answer gets a little time for that; then the connection is idle.
   */
  function answered(incoming: IncomingMessage): void {
    const { socket } = incoming
    const isLatest = latest.get(socket)?.req === incoming
    if (socket.destroyed || !isLatest) return
    if (incoming.complete) idle.set(socket, socket.bytesRead)
    else setTimeout(() => (incoming.complete ? answered(incoming) : socket.destroy()), lingerMs).unref()
  }

  /** Changes how Node ends a connection after its last answer: a client that still sends must be able to read it. */
  function closeGently(socket: Socket): void {
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const outgoing = latest.get(socket)
      if (outgoing?.req.complete !== false) return destroySoon()
      outgoing.req.resume()
      lingerAndClose(socket, lingerMs)
    }
  }

  function forget(socket: Socket): void {
    latest.delete(socket)
    idle.delete(socket)
  }

  /** The connection that has been idle longest; one that has sent a part of its next request is not idle. */
  function longestIdle(): Socket | undefined {
    for (const [socket, bytes] of idle) if (socket.bytesRead === bytes) return socket
    return undefined
  }

  /** Whether there is room for one more, by closing an idle one if need be. */
  function hasRoom(): boolean {
    if (latest.size < connections) return true
    const socket = longestIdle()
    if (socket === undefined) return false
    forget(socket)
    socket.destroy()
    return true
  }

  return {
    add(socket) {
      if (!hasRoom()) {
        socket.destroy()
        return
      }
      latest.set(socket, undefined)
      socket.once('close', () => forget(socket))
      closeGently(socket)
    },
    isIdle(socket) {
      const outgoing = latest.get(socket)
      return outgoing === undefined || (outgoing.closed && outgoing.req.complete)
    },
    listener(incoming, outgoing) {
      const { socket } = incoming
      const before = latest.get(socket)
      latest.set(socket, outgoing)
      const next = () => socket.writable && start(incoming, outgoing)
      if (before === undefined || before.closed) next()
      else before.once('close', next)
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
