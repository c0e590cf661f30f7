import type { Body } from '../reply/encoding.js'
import { isNamed, tagOf } from '../reply/etag.js'
import { ANSWER_HEADERS, codedReply, type HeaderFields } from '../reply/reply.js'
import type { Representation } from './negotiation.js'

/** What an answer bears of its own. */
export type OwnHeaders = HeaderFields & { 'Cache-Status': string; 'Server-Timing': string }

/**
 * The answer of a query that is held whole, compressed where the request asks for it; 304 where the request has it already.
 */
export function answerReply(
  request: Headers,
  body: Body,
  { headers }: Representation,
  own: OwnHeaders,
): Response | Promise<Response> {
  const ETag = tagOf(body)
  const ifNoneMatch = request.get('if-none-match')
  if (ifNoneMatch !== null && isNamed(ETag, ifNoneMatch)) {
    return new Response(null, { status: 304, headers: { ETag, ...own, ...ANSWER_HEADERS } })
  }
  return codedReply(request, body, { ETag, ...own, ...headers })
}
