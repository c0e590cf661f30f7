import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { LogweirError } from '../../base/errors.js'
import { refusals } from '../reply/errors.js'
import { lingerAndClose } from './linger.js'

/** Returns the bytes of the request line and headers, without white space around values. */
export function headBytes({ method, url, rawHeaders }: IncomingMessage): number {
  let bytes = `${method} ${url} HTTP/1.1\r\n`.length + '\r\n'.length
  for (const text of rawHeaders) bytes += text.length + 2
  return bytes
}

/**
 * Whether the body has a framing that is not known here: any transfer coding but `chunked` alone, and chunks of a client
 * that speaks HTTP/1.0 (RFC 9112, 6.1 and 6.3). Node emits such requests, and reads the body as chunks if the last
 * coding is `chunked`.
 */
export function hasUnknownFraming({ headers, httpVersion }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']
  return codings !== undefined && (codings.toLowerCase() !== 'chunked' || httpVersion === '1.0')
}

/** Answers bytes that Node's parser refuses, unless a response is being sent, and ends the connection. */
export async function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  isIdle: boolean,
  refuse: (error: LogweirError) => Response,
): Promise<void> {
  if (socket.writableEnded) return
  if (!isIdle || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.write(await asText(refuse(refusalOf(error))))
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
