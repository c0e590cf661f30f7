import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { LogweirError } from '../../base/errors.js'
import { breakBody, brokenBodyOf } from '../reply/broken-body.js'
import { refusals } from '../reply/errors.js'
import { lingerAndClose } from './linger.js'

/** Returns the bytes of the request line and headers, without white space around values. */
export function headBytes({ method, url, rawHeaders }: IncomingMessage): number {
  let bytes = `${method} ${url} HTTP/1.1\r\n`.length + '\r\n'.length
  for (const text of rawHeaders) bytes += text.length + 2
  return bytes
}

/**
 * Whether the body has a framing that is not known here: any transfer coding but `chunked` alone, or chunks of HTTP/1.0
 * (RFC 9112, 6.1 and 6.3). Node emits such requests, and reads the body in chunks if the last coding is `chunked`.
 */
export function hasUnknownFraming({ headers, httpVersion }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']
  return codings !== undefined && (codings.toLowerCase() !== 'chunked' || httpVersion === '1.0')
}

/** The latest request of a connection, by the response. */
export interface Latest {
  outgoing: ServerResponse
  /** Whether the previous responses are done. */
  isStarted: boolean
}

/** Connections with a refusal that follows a response. */
const awaiting = new WeakSet<Socket>()

/**
 * Refuses bytes that Node's parser refuses, and ends the connection: at once if all requests before are answered, after
 * the response to a whole request, in place of the response to a request with a malformed body. Destroys the connection
 * if a response is half sent, or if the client has left before the response.
 */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  latest: Latest | undefined,
  refuse: (error: LogweirError) => Response,
): void {
  if (socket.writableEnded) return
  const refusal = refusalOf(error)
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
  else if (latest === undefined || isAnswered(latest)) void sendRefusal(socket, refuse(refusal))
  else if (!refuseLater(error, socket, latest, refusal, refuse)) socket.destroy()
}

const isAnswered = ({ outgoing }: Latest) => outgoing.closed && outgoing.req.complete

/** Refuses bytes of or behind a request that is not answered yet. Returns whether that is possible. */
function refuseLater(
  { code }: NodeJS.ErrnoException,
  socket: Socket,
  { outgoing, isStarted }: Latest,
  refusal: LogweirError,
  refuse: (error: LogweirError) => Response,
): boolean {
  const { req } = outgoing
  // The parser reports the error again for each further packet, and for the end.
  if (isStarted && brokenBodyOf(req) !== undefined) return true
  if (socket.readableEnded || code === 'HPE_INVALID_EOF_STATE') return false
  if (!req.complete) return !outgoing.headersSent && (breakBody(req, refusal) || !isStarted)
  if (outgoing.headersSent && !outgoing.writableEnded) return false
  if (!awaiting.has(socket)) outgoing.once('close', () => socket.writable && sendRefusal(socket, refuse(refusal)))
  awaiting.add(socket)
  return true
}

async function sendRefusal(socket: Socket, response: Response): Promise<void> {
  socket.write(await asText(response))
  lingerAndClose(socket)
}

function refusalOf({ code }: NodeJS.ErrnoException): LogweirError {
  if (code === 'HPE_HEADER_OVERFLOW') return refusals.headersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusals.requestTimeout()
  return refusals.badRequest()
}

async function asText(response: Response): Promise<string> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${headers}\r\n${await response.text()}`
}
