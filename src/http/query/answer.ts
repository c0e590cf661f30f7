import type { Body } from '../reply/encoding.js'
import { isNamed, tagOf } from '../reply/etag.js'
import { ANSWER_HEADERS, codedReply, type HeaderFields } from '../reply/reply.js'
import type { QueryNotes } from './compute.js'
import type { Representation } from './negotiation.js'

/** The headers that differ from answer to answer. */
export type OwnHeaders = HeaderFields & { 'Cache-Status': string; 'Server-Timing': string }

/** Returns the headers about a query: warnings, and notes about the views that were read. */
export const queryFields = ({ warnings, viewNotes }: QueryNotes): HeaderFields => ({
  ...(warnings !== undefined && { 'Logweir-Warnings': warnings }),
  ...(viewNotes !== undefined && { 'Logweir-View': viewNotes }),
})

/**
 * Returns a buffered answer of a query, compressed if the client accepts that, or 304 if If-None-Match names the ETag.
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
