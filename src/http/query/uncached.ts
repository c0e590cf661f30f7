import type { MemoryBudget, MemoryShare } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { Call } from '../../endpoints/endpoint.js'
import { encodeUpTo, type PartialAnswer } from '../reply/chunks.js'
import type { Connection } from '../reply/connection.js'
import { wantedCoding } from '../reply/encoding.js'
import { codedHeaders } from '../reply/reply.js'
import { serverTiming } from '../reply/server-timing.js'
import { compressed, countedAnswer, streamBody } from '../reply/stream.js'
import { answerReply, type OwnHeaders, queryFields } from './answer.js'
import { type ComputeContext, compute } from './compute.js'
import type { ConcurrencyLimits } from './concurrency.js'
import type { CurrentRows } from './current-rows.js'
import type { Representation } from './negotiation.js'

interface UncachedOptions extends ComputeContext {
  concurrency: ConcurrencyLimits
  bufferedBytes: number
  memory: MemoryBudget
  metrics: Pick<Metrics, 'answersCut'>
  currentRows: Pick<CurrentRows, 'onDeleted'>
}

/** A request, the connection, and the representation of the answer. */
export interface UncachedRequest {
  request: Request
  representation: Representation
  connection: Connection | undefined
  /** Called if a streamed answer fails. */
  onFailure(error: unknown): void
}

/**
 * Answers calls that are never cached. An answer of at most `bufferedBytes` is buffered, so that length, ETag and
 * errors are known before the first byte is sent. A longer answer is streamed, after the concurrency slot is freed. The
 * memory of the query, and of the part of the answer that waits for the client, counts until the client has taken the
 * answer.
 */
export function createUncached(options: UncachedOptions) {
  const { concurrency, bufferedBytes, memory: budget, metrics, currentRows, ...context } = options

  /** Returns undefined if there is no room when the slot is free: the slot is not kept while the query waits. */
  const runIfRoom = (call: Call, { format }: Representation, memory: MemoryShare, caller: AbortSignal) =>
    (call.isClientSql ? concurrency.clientSql : concurrency.stored).run(
      async (signal) =>
        memory.hasRoomToSend()
          ? compute(context, call, { signal, memory }, (rows, columns) =>
              encodeUpTo(rows, format.encoder(columns), bufferedBytes, { signal, memory }),
            )
          : undefined,
      caller,
    )

  async function run(call: Call, representation: Representation, memory: MemoryShare, caller: AbortSignal) {
    for (;;) {
      await memory.roomToSend(caller)
      const computed = await runIfRoom(call, representation, memory, caller)
      if (computed !== undefined) return computed
    }
  }

  return async (call: Call, asked: UncachedRequest): Promise<Response> => {
    const { request, representation, connection } = asked
    const memory = budget.open()
    connection?.onClose(memory.release)
    try {
      const { encoded, measured, plan, ...notes } = await run(call, representation, memory, request.signal)
      const timing = serverTiming('bypass', measured)
      const own = { 'Cache-Status': 'logweir; fwd=bypass', 'Server-Timing': timing, ...queryFields(notes) }
      memory.startSending(() => {
        metrics.answersCut.inc()
        connection?.breakOff()
      })
      // A client may take long to read the answer.
      if (connection !== undefined) connection.onClose(currentRows.onDeleted(plan, connection.breakOff))
      if (encoded instanceof Uint8Array) return answerReply(request.headers, { plain: encoded }, representation, own)
      return streamed(encoded, own, memory, asked)
    } catch (error) {
      memory.release()
      throw error
    } finally {
      if (connection === undefined) memory.release()
    }
  }
}

async function streamed(
  encoded: PartialAnswer,
  own: OwnHeaders,
  memory: MemoryShare,
  { request, representation, onFailure }: UncachedRequest,
): Promise<Response> {
  const coding = wantedCoding(request.headers, Number.POSITIVE_INFINITY)
  const plainHeaders = { ...own, ...representation.headers, 'Cache-Control': 'no-store' }
  const headers = coding === undefined ? plainHeaders : codedHeaders(plainHeaders, coding)
  if (request.method === 'HEAD') {
    await encoded.rest.return()
    return new Response(null, { headers })
  }
  const counted = countedAnswer(encoded, memory)
  const body = coding === undefined ? counted : compressed(counted, coding)
  return new Response(streamBody(body, onFailure), { headers })
}
