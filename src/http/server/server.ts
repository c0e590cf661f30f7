import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { LogweirError } from '../../base/errors.js'
import { KIB } from '../../base/units.js'
import type { App } from '../app.js'
import { refusals } from '../reply/errors.js'
import { type ConnectionLimits, createConnections } from './connections.js'
import { LINGER_MS } from './linger.js'
import { headBytes, isEndless, refuseMalformed } from './malformed.js'

/** What a client may take. Node's own limits are too patient for a server that strangers reach. */
export interface ServerLimits extends ConnectionLimits {
  /** The request line and the headers, as they were sent. */
  headBytes: number
  /** From a request's first byte to the end of its headers. */
  headersMs: number
  /** How long an idle connection is kept, and one that takes nothing of its answer. */
  keepAliveMs: number
  stalledMs: number
  /** How often `headersMs` is looked at. */
  checkMs: number
  /** How long running answers may go on after `close`. */
  closeMs: number
}

export const SERVER_LIMITS: ServerLimits = {
  headBytes: 64 * KIB,
  headersMs: 5_000,
  keepAliveMs: 95_000,
  stalledMs: 300_000,
  checkMs: 250,
  connections: 512,
  lingerMs: LINGER_MS,
  closeMs: 4_000,
}

export interface ListenOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  limits?: Partial<ServerLimits>
}

export interface Listening {
  url: string
  port: number
  /** Takes no more connections, ends the idle ones at once and the others after their answer, or when time is up. */
  close(): Promise<void>
}

/** Serves an app. Rejects with `cannot_listen` where the address cannot be had. */
export async function listen(app: App, { host, port, limits }: ListenOptions): Promise<Listening> {
  const all = { ...SERVER_LIMITS, ...limits }
  const { server, close } = makeServer(app, all)
  await bind(server, host, port)
  const bound = (server.address() as AddressInfo).port
  const urlHost = host.includes(':') ? `[${host}]` : host
  return { url: `http://${urlHost}:${bound}`, port: bound, close }
}

function makeServer(app: App, limits: ServerLimits) {
  const answer = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
      if (headBytes(incoming) > limits.headBytes) return app.refuse(refusals.headersTooLarge())
      if (isEndless(incoming)) return app.refuse(refusals.badRequest())
      return app.fetch(request, { incoming, outgoing })
    },
    { errorHandler: (error) => app.refuse(error instanceof RequestError ? refusals.badRequest() : error) },
  )
  const connections = createConnections((incoming, outgoing) => {
    // HTTP/1.0 knows no Host.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost'
    answer(incoming, outgoing)
  }, limits)
  const server = createServer(
    {
      // Node counts fewer bytes than were sent: it takes whatever is within the limit, and headBytes refuses the rest.
      maxHeaderSize: limits.headBytes,
      headersTimeout: limits.headersMs,
      // Bodies are bound by their rate where they are read, and any other request by its answer.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
      // No Host, or two of them joined, is no valid Host: the listener refuses both.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    connections.listener,
  )
  server.maxHeadersCount = 0
  server.timeout = limits.stalledMs
  server.on('connection', connections.add)
  server.on('checkExpectation', connections.listener)
  const refuse = (error: Error, socket: Socket) =>
    refuseMalformed(error, socket, connections.isIdle(socket), app.refuse)
  server.on('clientError', (error, stream) => refuse(error, stream as Socket))
  server.on('connect', (_, stream) => refuse(new Error('This is no proxy.'), stream.resume() as Socket))
  return { server, close: () => connections.close(server, limits.closeMs) }
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(cannotListen(error, host, port)))
    server.listen(port, host, resolve)
  })
}

/** Why an address cannot be had, and what to do, by the system's code. */
const REMEDIES = new Map([
  ['EADDRINUSE', 'another program listens there. Stop it, or choose another port with --port'],
  [
    'EADDRNOTAVAIL',
    'this machine does not have the address (EADDRNOTAVAIL). Add it to an interface, or choose another with --host',
  ],
  ['EACCES', 'this user may not take the port (EACCES). Choose one above 1023 with --port'],
  ...['ENOTFOUND', 'EAI_AGAIN'].map(
    (code) =>
      [code, `the name does not resolve (${code}). Correct its DNS record, or choose an address with --host`] as const,
  ),
])

function cannotListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): LogweirError {
  return new LogweirError(
    'cannot_listen',
    `Cannot listen on ${host} port ${port}: ${REMEDIES.get(code ?? '') ?? message}.`,
  )
}
