/**
 * Requests that the parser must refuse, and the responses. The requests of llhttp's own suite are in llhttp-cases.ts.
 * No case needs a token, so that a refusal is caused by the form of the request.
 */

/** The name of a case, and its bytes as Latin-1. */
export type RawCase = readonly [what: string, text: string]

export const head = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const get = (...headers: readonly string[]) => head('GET /health HTTP/1.1', 'Host: a', ...headers)
const post = (...headers: readonly string[]) => head('POST /api/endpoints HTTP/1.1', 'Host: a', ...headers)
/** A request with a body of no bytes, if the body is read as chunks. */
const framed = (...headers: readonly string[]) => `${post(...headers)}0\r\n\r\n`
const chunked = (body: string) => post('Transfer-Encoding: chunked') + body

/** Answered with 400 and closed. Later requests of the connection are ignored. */
export const REFUSED: readonly RawCase[] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('160301020001000001fc0303', 'hex').toString('latin1')],
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['two Hosts', get('Host: b')],
  ['the same Host twice', get('Host: a')],
  ['a Host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ['a Host on a line of its own', 'GET /health HTTP/1.1\r\nHost:\r\n a\r\n\r\n'],
  ['a length and an encoding', `${post('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['an encoding and a length', `${post('Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n`],
  ['two lengths', post('Content-Length: 0', 'Content-Length: 5')],
  ['the same length twice', `${post('Content-Length: 5', 'Content-Length: 5')}hello`],
  ['two lengths in one header', `${post('Content-Length: 5, 5')}hello`],
  ['a length with a sign', `${post('Content-Length: +5')}hello`],
  ['a negative length', post('Content-Length: -5')],
  ['a length in hexadecimal', `${post('Content-Length: 0x5')}hello`],
  ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n'],
  ['NUL in a header', get('X: a\0b')],
  ['NUL in the path', 'GET /hea\0lth HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bare LF', 'GET /health HTTP/1.1\nHost: a\n\n'],
  ['a folded header', get('X: a', ' b')],
  ['a header folded by a tab', get('X: a', '\tb')],
  ['a length in the fold of a header', get('X: a', ' Content-Length: 38')],
  ['HTTP/9.9', 'GET /health HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['an unknown coding', post('Transfer-Encoding: gurgle')],
  ['an unknown coding behind chunked', `${post('Transfer-Encoding: chunked, gurgle')}0\r\n\r\n`],
  ['an unknown coding before chunked', framed('Transfer-Encoding: gurgle, chunked')],
  ['an unknown coding on a line before chunked', framed('Transfer-Encoding: gurgle', 'Transfer-Encoding: chunked')],
  ['a coding before chunked', framed('Transfer-Encoding: gzip, chunked')],
  ['two codings before chunked', framed('Transfer-Encoding: deflate, gzip, chunked')],
  ['identity before chunked', framed('Transfer-Encoding: identity, chunked')],
  ['chunked twice', framed('Transfer-Encoding: chunked, chunked')],
  ['an empty coding before chunked', framed('Transfer-Encoding: , chunked')],
  ['a quoted coding before chunked', framed('Transfer-Encoding: "chunked", chunked')],
  ['chunked with a parameter before chunked', framed('Transfer-Encoding: chunked;q=1, chunked')],
  ['a tab between codings', framed('Transfer-Encoding: gzip,\tchunked')],
  ['chunks of HTTP/1.0', framed('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')],
  ['the same coding twice', `${post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['*', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a path without a slash', 'GET health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
]

/** The head is well formed and answered with 401. The body ends the connection. */
export const BROKEN_BODIES: readonly RawCase[] = [
  ['a size that is no number', chunked('zz\r\nhello\r\n0\r\n\r\n')],
  ['a size with a sign', chunked('+5\r\nhello\r\n0\r\n\r\n')],
  ['a negative size', chunked('-1\r\nhello\r\n0\r\n\r\n')],
  ['a size with 0x', chunked('0x5\r\nhello\r\n0\r\n\r\n')],
  ['a size of more than 64 bits', chunked('fffffffffffffffff\r\nhello\r\n0\r\n\r\n')],
  ['a size ended by bare LF', chunked('5\nhello\r\n0\r\n\r\n')],
  ['a chunk that is longer than its size', chunked('4\r\nhello\r\n0\r\n\r\n')],
  ['a chunk that is shorter than its size', chunked('6\r\nhello\r\n0\r\n\r\n')],
  ['a length in the trailer', chunked('0\r\nContent-Length: 5\r\n\r\n')],
]

/** Unusual but well formed: answered by /health. */
export const SERVED: readonly RawCase[] = [
  ['an absolute URI', 'GET http://elsewhere/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['HTTP/1.0 without Host', 'GET /health HTTP/1.0\r\n\r\n'],
  ['an expectation', get('Expect: the-unexpected', 'Connection: close')],
  ['an offer to upgrade', get('Upgrade: h2c', 'Connection: close, Upgrade')],
  ['a bad escape behind the question mark', get('Connection: close').replace('/health', '/health?%zz=%')],
  ['chunks', `${get('Transfer-Encoding: chunked', 'Connection: close')}2\r\nab\r\n0\r\n\r\n`],
  ['chunks in other letters', `${get('Transfer-Encoding:\tChunKed ', 'Connection: close')}0\r\n\r\n`],
  ['an empty line before it', `\r\n${get('Connection: close')}`],
]
