import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { LogweirError } from '../../base/errors.js'
import { KIB } from '../../base/units.js'
import type { App } from '../app.js'
import { refusals } from '../reply/errors.js'
import { type ConnectionLimits, createConnections } from './connections.js'
import { LINGER_MS } from './linger.js'
import { hasUnknownFraming, headBytes, refuseMalformed } from './malformed.js'

/** Limits of connections and requests. Node's defaults are too generous for a public server. */
export interface ServerLimits extends ConnectionLimits {
  /** Bytes of the request line and headers, as sent. */
  headBytes: number
  /** From a request's first byte to the end of the headers. */
  headersMs: number
  /** How long a connection may be idle, and how long a client may read nothing of a response. */
  keepAliveMs: number
  stalledMs: number
  /** How often `headersMs` is checked. */
  checkMs: number
  /** How long responses may continue after `close`. */
  closeMs: number
}

/** The limits of the service. */
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

/** The address to listen on. */
export interface ListenOptions {
  host: string
  /** 0 chooses a free port. */
  port: number
  limits?: Partial<ServerLimits>
}

/** A server that listens. `port` is the actual port. */
export interface Listening {
  url: string
  port: number
  /** Accepts no more connections. Ends idle connections at once, others after the response or after `closeMs`. */
  close(): Promise<void>
}

/** Serves an app over HTTP. Rejects with `cannot_listen`, and a remedy, if the address is not available. */
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
      if (hasUnknownFraming(incoming)) return app.refuse(refusals.badRequest())
      return app.fetch(request, { incoming, outgoing })
    },
    { errorHandler: (error) => app.refuse(error instanceof RequestError ? refusals.badRequest() : error) },
  )
  const connections = createConnections((incoming, outgoing) => {
    // HTTP/1.0 has no Host header.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost'
    answer(incoming, outgoing)
  }, limits)
  const server = createServer(
    {
      // Node counts fewer bytes than were sent, so Node accepts everything within the limit. headBytes is checked
      // again.
      maxHeaderSize: limits.headBytes,
      headersTimeout: limits.headersMs,
      // Bodies have a minimum rate in the receiver. Other requests end with the response.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
      // A missing Host, or two joined Hosts, are not valid: the request listener refuses both.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    connections.listener,
  )
  server.maxHeadersCount = 0
  // By default, Node ends a connection as soon as the client has ended the client's side, see `connections.add`.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.timeout = limits.stalledMs
  server.on('connection', connections.add)
  server.on('checkExpectation', connections.listener)
  const refuse = (error: Error, socket: Socket) =>
    refuseMalformed(error, socket, connections.latestOf(socket), app.refuse)
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

/** Why an address is not available, and the remedy, by the system's error code. */
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
