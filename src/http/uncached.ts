import type { Clock } from '../base/clock.js'
import type { Call } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import { wantsGzip } from './encoding.js'
import type { Gate } from './gate.js'
import { gather } from './gather.js'
import { CODED_JSON_HEADERS, codedReply, gzipHeaders } from './reply.js'
import { compressed, streamBody } from './stream.js'

const HEADERS = { 'Cache-Status': 'logweir; fwd=bypass', ...CODED_JSON_HEADERS }

interface Parts {
  engine: Pick<Engine, 'run'>
  gate: Gate
  clock: Clock
  heldBytes: number
}

/**
 * Answers the calls whose answers are never kept. Up to `heldBytes` an answer is held whole, so that its length and its
 * failures are known before the first byte is sent; a longer one is streamed, with its place in the gate already free.
 */
export function createUncached({ engine, gate, clock, heldBytes }: Parts) {
  return async (call: Call, request: Request, onFailure: (error: unknown) => void): Promise<Response> => {
    const answer = await gate.run(async (signal) => {
      const rows = await engine.run(call.plan(clock.nowUs()), { signal })
      return gather(rows, heldBytes, signal)
    }, request.signal)
    if (answer instanceof Uint8Array) return codedReply(request.headers, { plain: answer }, HEADERS)
    const gzip = wantsGzip(request.headers, Number.POSITIVE_INFINITY)
    const headers = gzip ? gzipHeaders(HEADERS) : HEADERS
    if (request.method !== 'HEAD') {
      return new Response(streamBody(gzip ? compressed(answer) : answer, onFailure), { headers })
    }
    await answer.rest.return()
    return new Response(null, { headers })
  }
}
