import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingerAndClose } from './linger.js'
import type { Latest } from './malformed.js'

/** How long a connection that has sent nothing may still send the first request after the server began to close. */
const SILENT_MS = 300

/**
 * A server that closes accepts connections until this many turns of the event loop had no connection, since the first
 * turn may have begun before the last connection. At most for this many turns.
 */
const QUIET_TURNS = 2
const MAX_TURNS = 64

/** Limits of connections. */
export interface ConnectionLimits {
  /** Open connections. */
  connections: number
  /** How long a client may continue to send a request after the response. */
  lingerMs: number
}

/** The connections of a server: number, order of requests, and end. */
export interface Connections {
  /** Adds a connection. Over the limit, closes the longest idle connection, or the new connection if none is idle. */
  add(socket: Socket): void
  /** Returns the latest request of a connection, or undefined if there was no request. */
  latestOf(socket: Socket): Latest | undefined
  /**
   * Answers the requests of a connection in sequence. Requests after a response that ends the connection are ignored.
   */
  listener: RequestListener
  /**
   * Accepts no more connections. Ends idle connections at once, others after the response, and destroys the remaining
   * connections after `limitMs`. Resolves when all are closed.
   */
  close(server: Server, limitMs: number): Promise<void>
}

interface State {
  answer: RequestListener
  limits: ConnectionLimits
  /** The open connections, each with the latest response. */
  latest: Map<Socket, ServerResponse | undefined>
  /** The responses that have their turn. */
  started: WeakSet<ServerResponse>
  /** Connections that wait for the next request, the longest idle first, with the bytes read from each by then. */
  idle: Map<Socket, number>
  /** How many requests that may send records are not answered yet, by connection. No entry means zero. */
  sending: WeakMap<Socket, number>
  isClosing: boolean
}

/** Creates the connections of a server. `answer` answers the requests. */
export function createConnections(answer: RequestListener, limits: ConnectionLimits): Connections {
  const state: State = {
    answer,
    limits,
    latest: new Map(),
    started: new WeakSet(),
    idle: new Map(),
    sending: new WeakMap(),
    isClosing: false,
  }
  return {
    add: (socket) => add(state, socket),
    latestOf(socket) {
      const outgoing = state.latest.get(socket)
      return outgoing && { outgoing, isStarted: state.started.has(outgoing) }
    },
    listener: (incoming, outgoing) => enqueue(state, incoming, outgoing),
    close: (server, limitMs) => close(state, server, limitMs),
  }
}

function add(state: State, socket: Socket): void {
  if (!hasRoom(state)) {
    socket.destroy()
    return
  }
  state.latest.set(socket, undefined)
  socket.once('close', () => remove(state, socket))
  socket.once('end', () => endWithClient(state, socket))
  closeGently(state, socket)
}

/**
 * Ends a connection when the client has ended the client's side. Mostly the client has left: the client's queries are
 * aborted. But if a request that sends records is not answered yet, Node ends the connection after the last response:
 * the records are stored anyway, and the client may still read.
 */
function endWithClient({ sending }: State, socket: Socket): void {
  if (!sending.has(socket)) socket.end()
}

/** Answers a request when the previous response on the same connection is done. */
function enqueue(state: State, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming
  const before = state.latest.get(socket)
  state.latest.set(socket, outgoing)
  if (incoming.method === 'POST') markSending(state, socket, outgoing)
  const next = () => socket.writable && start(state, incoming, outgoing)
  if (before === undefined || before.closed) next()
  else before.once('close', next)
}

function markSending({ sending }: State, socket: Socket, outgoing: ServerResponse): void {
  sending.set(socket, (sending.get(socket) ?? 0) + 1)
  outgoing.once('close', () => {
    const others = (sending.get(socket) ?? 0) - 1
    if (others > 0) sending.set(socket, others)
    else sending.delete(socket)
  })
}

function start(state: State, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming
  state.idle.delete(socket)
  state.started.add(outgoing)
  if (state.isClosing) endAfter(outgoing, socket)
  outgoing.once('close', () => markIdle(state, incoming))
  state.answer(incoming as Parameters<RequestListener>[0], outgoing as Parameters<RequestListener>[1])
}

/** Marks a connection as idle. A client that is still sending a request first gets `lingerMs` to finish. */
function markIdle(state: State, incoming: IncomingMessage): void {
  const { socket } = incoming
  const isLatest = state.latest.get(socket)?.req === incoming
  if (socket.destroyed || !isLatest) return
  if (incoming.complete) {
    state.idle.set(socket, socket.bytesRead)
    return
  }
  const check = () => (incoming.complete ? markIdle(state, incoming) : socket.destroy())
  setTimeout(check, state.limits.lingerMs).unref()
}

/**
 * Replaces Node's way to end a connection after the last response: a client that still sends must be able to read the
 * response.
 */
function closeGently({ latest, limits }: State, socket: Socket): void {
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const outgoing = latest.get(socket)
    if (outgoing?.req.complete !== false) return destroySoon()
    outgoing.req.resume()
    lingerAndClose(socket, limits.lingerMs)
  }
}

function remove({ latest, idle }: State, socket: Socket): void {
  latest.delete(socket)
  idle.delete(socket)
}

/** Returns the longest idle connection. A connection that has sent a part of the next request is not idle. */
function longestIdle({ idle }: State): Socket | undefined {
  for (const [socket, bytes] of idle) if (socket.bytesRead === bytes) return socket
  return undefined
}

/** Whether another connection is within the limit. Closes an idle connection if necessary. */
function hasRoom(state: State): boolean {
  if (state.latest.size < state.limits.connections) return true
  const socket = longestIdle(state)
  if (socket === undefined) return false
  remove(state, socket)
  socket.destroy()
  return true
}

async function close(state: State, server: Server, limitMs: number): Promise<void> {
  state.isClosing = true
  await acceptWaiting(server)
  // This also ends the connections that are idle after a response.
  const closed = new Promise((resolve) => server.close(resolve))
  for (const [socket, outgoing] of state.latest) {
    if (outgoing === undefined) setTimeout(() => socket.bytesRead === 0 && socket.destroy(), SILENT_MS)
    else if (!outgoing.closed) endAfter(outgoing, socket)
  }
  const timer = setTimeout(() => server.closeAllConnections(), limitMs)
  await closed
  clearTimeout(timer)
}

/**
 * Waits until the event loop has accepted the connections that the system has accepted: these connections would be
 * reset when the server closes, although the clients have sent requests. A turn accepts a single connection or all
 * connections, by the version of Node.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let quiet = 0
  const onConnection = () => void (quiet = 0)
  server.on('connection', onConnection)
  for (let turn = 0; turn < MAX_TURNS && quiet < QUIET_TURNS; turn++, quiet++)
    await new Promise((resolve) => setImmediate(resolve))
  server.off('connection', onConnection)
}

/** Ends a connection after a response, and says so in the headers unless the headers are already sent. */
function endAfter(outgoing: ServerResponse, socket: Socket): void {
  outgoing.shouldKeepAlive = false
  outgoing.once('close', () => socket.destroySoon())
}
