/** Receives the body of a request as sent, still compressed. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import { KIB, MIB } from '../../base/units.js'
import { refusals } from '../reply/errors.js'
import type { BodyShare } from './body-memory.js'
import { type BodyRateLimits, measureBodyRate } from './body-rate.js'

interface ReceiveOptions {
  limits: BodyRateLimits & { bodyBytes: number }
  clock: Clock
  share: BodyShare
}

/** Initial buffer for a body of unknown length. */
const UNKNOWN_LENGTH_BYTES = 64 * KIB

/**
 * Returns the body in a new buffer. Rejects with `body_too_large`, `request_timeout`, `abandoned`, and the errors of
 * the share. After a failure, the stream flows on and the data is dropped: ending the stream would close the connection
 * before the response is sent.
 */
export function receive(
  request: Request,
  incoming: IncomingMessage | undefined,
  { limits, clock, share }: ReceiveOptions,
): Promise<Uint8Array> {
  const stream = streamOf(request, incoming)
  if (stream === undefined) return Promise.resolve(new Uint8Array())
  return new Promise((resolve, reject) => {
    const body = createGrowingBuffer(
      Number(request.headers.get('content-length') ?? UNKNOWN_LENGTH_BYTES),
      limits.bodyBytes,
    )
    const rate = measureBodyRate(limits, clock, () => cut(refusals.bodyTooSlow()))
    const endReceiving = share.startReceiving({ bytesPerS: rate.bytesPerS, cut })

    function add(chunk: Uint8Array): void {
      try {
        rate.add(chunk.length)
        body.add(chunk, share.reserve)
      } catch (error) {
        cut(error as Error)
      }
    }

    function stop(): void {
      rate.stop()
      endReceiving()
      stream!.off('data', add).off('end', end).off('close', abandon)
    }

    function cut(error: Error): void {
      stop()
      share.release()
      reject(error)
    }

    function end(): void {
      stop()
      if (incoming?.complete === false) reject(refusals.abandoned())
      else resolve(body.bytes())
    }

    function abandon(): void {
      cut(refusals.abandoned())
    }

    stream.on('data', add).on('end', end).on('close', abandon)
    // A client that leaves is also an error of the stream. Then 'close' follows.
    stream.on('error', () => {})
    if (stream.destroyed) abandon()
  })
}

/**
 * Returns Node's stream if there is a Node stream: reading `request.body` would convert it to a web stream, which is
 * slower.
 */
function streamOf(request: Request, incoming: IncomingMessage | undefined): Readable | undefined {
  if (incoming !== undefined) return incoming
  return request.body === null ? undefined : Readable.fromWeb(request.body as ReadableStream)
}

/** A buffer for at most `limitBytes`, with a capacity of `length` at first. */
function createGrowingBuffer(length: number, limitBytes: number) {
  let buffer = new Uint8Array(length)
  let filled = 0
  return {
    add(chunk: Uint8Array, reserve: (bytes: number) => void): void {
      const total = filled + chunk.length
      if (total > limitBytes) throw tooLarge(limitBytes)
      reserve(chunk.length)
      if (total > buffer.length) buffer = enlarged(buffer, Math.min(limitBytes, 2 * total))
      buffer.set(chunk, filled)
      filled = total
    },
    bytes: () => buffer.subarray(0, filled),
  }
}

function enlarged(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(length)
  more.set(bytes)
  return more
}

/** The error for a body over the limit. */
export const tooLarge = (limitBytes: number) =>
  new LogweirError(
    'body_too_large',
    `The body is over ${limitBytes / MIB} MiB, as it is sent or decompressed. Nothing of it was taken. ` +
      'Send smaller batches.',
  )
