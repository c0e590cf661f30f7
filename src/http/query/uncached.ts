import type { Clock } from '../../base/clock.js'
import type { Call } from '../../endpoints/endpoint.js'
import type { Engine } from '../../engine/engine.js'
import { encodeUpTo } from '../reply/chunks.js'
import { wantedCoding } from '../reply/encoding.js'
import { codedHeaders } from '../reply/reply.js'
import { serverTiming } from '../reply/server-timing.js'
import { compressed, streamBody } from '../reply/stream.js'
import { answerReply } from './answer.js'
import { compute } from './compute.js'
import type { ConcurrencyLimits } from './concurrency.js'
import type { Representation } from './negotiation.js'

interface Parts {
  engine: Pick<Engine, 'run'>
  concurrency: ConcurrencyLimits
  clock: Clock
  bufferedBytes: number
}

/**
 * Answers calls that are never cached. An answer of at most `bufferedBytes` is buffered, so that its length, its ETag
 * and its errors are known before the first byte is sent. A longer one is streamed, after it has freed its concurrency
 * slot; `onFailure` is called if it fails then.
 */
export function createUncached({ engine, concurrency, clock, bufferedBytes }: Parts) {
  const run = (call: Call, { format }: Representation, caller: AbortSignal) =>
    (call.isClientSql ? concurrency.clientSql : concurrency.stored).run(
      (signal) =>
        compute({ engine, clock }, call, signal, (rows, columns) =>
          encodeUpTo(rows, format.encoder(columns), bufferedBytes, signal),
        ),
      caller,
    )

  return async (
    call: Call,
    request: Request,
    representation: Representation,
    onFailure: (error: unknown) => void,
  ): Promise<Response> => {
    const { encoded, measured } = await run(call, representation, request.signal)
    const own = { 'Cache-Status': 'logweir; fwd=bypass', 'Server-Timing': serverTiming('bypass', measured) }
    if (encoded instanceof Uint8Array) return answerReply(request.headers, { plain: encoded }, representation, own)
    const coding = wantedCoding(request.headers, Number.POSITIVE_INFINITY)
    const plainHeaders = { ...own, ...representation.headers, 'Cache-Control': 'no-store' }
    const headers = coding === undefined ? plainHeaders : codedHeaders(plainHeaders, coding)
    if (request.method !== 'HEAD') {
      const body = coding === undefined ? encoded : compressed(encoded, coding)
      return new Response(streamBody(body, onFailure), { headers })
    }
    await encoded.rest.return()
    return new Response(null, { headers })
  }
}
