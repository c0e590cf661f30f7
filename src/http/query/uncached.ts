import type { Clock } from '../../base/clock.js'
import type { Call } from '../../endpoints/endpoint.js'
import type { Engine } from '../../engine/engine.js'
import { answerColumns } from '../../engine/plan.js'
import { encodeUpTo } from '../reply/chunks.js'
import { wantedCoding } from '../reply/encoding.js'
import { codedHeaders } from '../reply/reply.js'
import { type Measured, serverTiming } from '../reply/server-timing.js'
import { compressed, streamBody } from '../reply/stream.js'
import { answerReply } from './answer.js'
import type { ConcurrencyLimit } from './concurrency.js'
import type { Representation } from './negotiation.js'

interface Parts {
  engine: Pick<Engine, 'run'>
  concurrency: ConcurrencyLimit
  clock: Clock
  bufferedBytes: number
}

/**
 * Answers the calls whose answers are never kept. Up to `bufferedBytes` an answer is held whole, so that its length, its tag and
 * its failures are known before the first byte is sent; a longer one is streamed, with its place in the concurrency already free.
 */
export function createUncached({ engine, concurrency, clock, bufferedBytes }: Parts) {
  async function compute({ plan: planAt }: Call, { format }: Representation, signal: AbortSignal) {
    const startedMs = clock.monotonicMs()
    const plan = planAt(clock.nowUs())
    const measured: Measured = { ms: 0 }
    const rows = await engine.run(plan, { signal, onScanStats: (work) => (measured.work = work) })
    const answer = await encodeUpTo(rows, format.encoder(answerColumns(plan)), bufferedBytes, signal)
    measured.ms = clock.monotonicMs() - startedMs
    return { answer, measured }
  }

  return async (
    call: Call,
    request: Request,
    offer: Representation,
    onFailure: (error: unknown) => void,
  ): Promise<Response> => {
    const { answer, measured } = await concurrency.run((signal) => compute(call, offer, signal), request.signal)
    const own = { 'Cache-Status': 'logweir; fwd=bypass', 'Server-Timing': serverTiming('bypass', measured) }
    if (answer instanceof Uint8Array) return answerReply(request.headers, { plain: answer }, offer, own)
    const coding = wantedCoding(request.headers, Number.POSITIVE_INFINITY)
    const plainHeaders = { ...own, ...offer.headers, 'Cache-Control': 'no-store' }
    const headers = coding === undefined ? plainHeaders : codedHeaders(plainHeaders, coding)
    if (request.method !== 'HEAD') {
      const body = coding === undefined ? answer : compressed(answer, coding)
      return new Response(streamBody(body, onFailure), { headers })
    }
    await answer.rest.return()
    return new Response(null, { headers })
  }
}
