import { head, type RawCase } from './malformed-cases.js'

/**
 * The requests that the parser below Node must refuse, from the public test suite of llhttp (nodejs/llhttp,
 * test/request), each under the name in that suite. Here each request has a Host, and a length where that is not the
 * matter, so that nothing but the matter is wrong.
 *
 * MIT License. Copyright © 2018 Fedor Indutny.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
 * permit persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */

const HOST = 'Host: example.com'
const get = (...headers: readonly string[]) => head('GET / HTTP/1.1', HOST, ...headers)
const put = (...headers: readonly string[]) => head('PUT /url HTTP/1.1', HOST, ...headers)
const chunked = (body: string) => put('Transfer-Encoding: chunked') + body

/** Answered with 400 and closed. */
export const LLHTTP_REFUSED: readonly RawCase[] = [
  ['ICE protocol and GET method', head('GET /music/sweet/music ICE/1.0', HOST)],
  ['ICE protocol, but not really', head('GET /music/sweet/music IHTTP/1.0', HOST)],
  ['RTSP protocol and PUT method', head('PUT /music/sweet/music RTSP/1.0', HOST)],
  ['HTTP protocol and ANNOUNCE method', head('ANNOUNCE /music/sweet/music HTTP/1.0', HOST)],
  ['Headers separated by CR', get('Foo: 1\rBar: 2')],
  ['Headers separated by LF', `${get('x:x\nTransfer-Encoding: chunked')}1\r\nA\r\n0\r\n\r\n`],
  ['Headers separated by dummy characters', get('Connection: close', '\rZGET /evil: HTTP/1.1', HOST)],
  ['Empty headers separated by CR', `${get('Connection: Close', 'x:\rTransfer-Encoding: chunked')}1\r\nA\r\n0\r\n\r\n`],
  ['Empty headers separated by LF', `${get('x:\nTransfer-Encoding: chunked')}1\r\nA\r\n0\r\n\r\n`],
  ['Invalid header token #1', get('Fo@: Failure')],
  ['Invalid header token #2', get('Foo\x01\test: Bar')],
  ['Invalid header token #3', get(': Bar')],
  ['Invalid method', head('MKCOLA / HTTP/1.1', HOST)],
  ['Illegal header field name line folding', get('name', ' : value')],
  ['Corrupted Connection header', get('Connection\r\x1b5\xd5eep-Alive', 'Accept-Encoding: gzip')],
  ['Corrupted header name', get('X-Some-Header\r\x1b5\xd5eep-Alive', 'Accept-Encoding: gzip')],
  [
    'Missing CR between headers',
    get('Dummy: x\nContent-Length: 23') + head('GET / HTTP/1.1', 'Dummy: GET /admin HTTP/1.1', HOST),
  ],
  ['Invalid HTTP version', head('GET / HTTP/5.6', HOST)],
  ['Invalid space after start line', head('GET / HTTP/1.1', ` ${HOST}`)],
  ['Only LFs present', 'POST / HTTP/1.1\nTransfer-Encoding: chunked\nTrailer: Baz\nHost: a\n\n1\nA\n0\n\nBaz: ghi\n\n'],
  ['Spaces before headers', get('Foo: bar', ' Content-Length: 38')],
  ['Not treating `\\r` as `-`', put('Connection: keep\ralive')],
  [
    'Invalid whitespace token with `Connection` header field',
    put('Connection : upgrade', 'Content-Length: 4', 'Upgrade: ws'),
  ],
  ['Control char in header value (strict)', get('Header1: hello\fworld')],
  ['Header value', get('Header1: \f')],
  ['PRI request HTTP2', `${head('PRI * HTTP/1.1')}SM\r\n\r\n`],
  [
    'Line folding in header value with LF',
    get('Line1:   abc\n\tdef\n ghi\nLine2: \t line2\t\nLine3:\n line3\nConnection:\n close'),
  ],
  ['No LF after CR', `GET / HTTP/1.1\rLine: 1\r\n${HOST}\r\n\r\n`],
  ['Disallow UTF-8 in URI path in strict mode', head('GET /\xce\xb4\xc2\xb6/\xce\xb4t/pope?q=1#narf HTTP/1.1', HOST)],
  ['Space in URI', head('GET /foo bar/ HTTP/1.1', HOST)],
  ['CONNECT with body', `${head('CONNECT foo.bar.com:443 HTTP/1.0', HOST, 'Content-Length: 10')}blarfcicle`],
  ['Error on `Content-Length` overflow', put('Content-Length: 1000000000000000000000')],
  ['Error on duplicate `Content-Length`', put('Content-Length: 1', 'Content-Length: 2')],
  [
    'Error on simultaneous `Content-Length` and `Transfer-Encoding: identity`',
    put('Content-Length: 1', 'Transfer-Encoding: identity'),
  ],
  [
    'Invalid whitespace token with `Content-Length` header field',
    `${put('Connection: upgrade', 'Content-Length : 4', 'Upgrade: ws')}abcdefgh`,
  ],
  ['Spaces in `Content-Length` #2', put('Content-Length: 4 2')],
  ['Spaces in `Content-Length` #3', put('Content-Length: 13 37')],
  ['Empty `Content-Length`', put('Content-Length:')],
  ['`Content-Length` with CR instead of dash', `${put('Content\rLength: 003')}abc`],
  ['Missing CRLF-CRLF before body', `PUT /url HTTP/1.1\r\n${HOST}\r\nContent-Length: 3\r\n\rabc`],
  ['Ignoring `pigeons`', put('Transfer-Encoding: pigeons')],
  [
    'POST with `Transfer-Encoding` and `Content-Length`',
    `${put('Transfer-Encoding: identity', 'Content-Length: 5')}World`,
  ],
  [
    'POST with empty `Transfer-Encoding` and `Content-Length`',
    `${put('Content-Length: 10', 'Transfer-Encoding:', 'Transfer-Encoding:')}2\r\nAA\r\n0\r\n\r\n`,
  ],
  ['POST with `chunked` before other transfer coding names', `${put('Transfer-Encoding: chunked, deflate')}World`],
  [
    'POST with `chunked` and duplicate transfer-encoding',
    `${put('Transfer-Encoding: chunked', 'Transfer-Encoding: deflate')}World`,
  ],
  [
    'POST with `chunkedchunked` as transfer-encoding',
    `${put('Transfer-Encoding: chunkedchunked')}5\r\nWorld\r\n0\r\n\r\n`,
  ],
]

/** The heads are well formed and answered with 401. The bodies end the connection. */
export const LLHTTP_BROKEN_BODIES: readonly RawCase[] = [
  ['No semicolon before chunk extensions', chunked('2 erfrferferf\r\naa\r\n0 rrrr\r\n\r\n')],
  ['No extension after semicolon', chunked('2;\r\naa\r\n0\r\n\r\n')],
  ['Unbalanced chunk extensions quoting', chunked('5;ilovew3="abc";somuchlove="def; ghi\r\nhello\r\n0\r\n\r\n')],
  ['Missing last-chunk', chunked('3\r\nfoo\r\n\r\n')],
  ['Validate chunk parameters', chunked('3 \n  \r\n\nfoo\r\n\r\n')],
  ['Chunk header not terminated by CRLF', chunked('5\r\r;ABCD\r\n34\r\nE\r\n0\r\n\r\n')],
  ['Chunk data not terminated by CRLF', chunked('5\r\nABCDE0\r\n\r\n')],
  ['Space after chunk header', chunked('a \r\n0123456789\r\n0\r\n\r\n')],
]
