/** Reads the body of a request, as it was sent. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { KIB, MIB } from '../../base/units.js'
import { refusals } from '../reply/errors.js'
import type { BodyShare } from './body-memory.js'
import { type BodyRateLimits, measureBodyRate } from './body-rate.js'

interface Parts {
  limits: BodyRateLimits & { bodyBytes: number }
  clock: Clock
  share: BodyShare
}

/** A body of unknown length begins with room for that much. */
const UNKNOWN_LENGTH_BYTES = 64 * KIB

/**
 * The body in memory of its own. Throws `body_too_large`, `request_timeout`, `abandoned`, and what the share throws. The
 * stream goes on after a failure, and what it brings is dropped: to end it would end the connection before the answer.
 */
export function receive(
  request: Request,
  incoming: IncomingMessage | undefined,
  { limits, clock, share }: Parts,
): Promise<Uint8Array> {
  const stream = streamOf(request, incoming)
  if (stream === undefined) return Promise.resolve(new Uint8Array())
  return new Promise((resolve, reject) => {
    const body = createGrowing(Number(request.headers.get('content-length') ?? UNKNOWN_LENGTH_BYTES), limits.bodyBytes)
    const rate = measureBodyRate(limits, clock, () => cut(refusals.bodyTooSlow()))
    const arrived = share.arrive({ bytesPerS: rate.bytesPerS, cut })

    function take(chunk: Uint8Array): void {
      try {
        rate.add(chunk.length)
        body.add(chunk, share.hold)
      } catch (error) {
        cut(error as Error)
      }
    }

    function stop(): void {
      rate.stop()
      arrived()
      stream!.off('data', take).off('end', end).off('close', leave)
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

    function leave(): void {
      cut(refusals.abandoned())
    }

    stream.on('data', take).on('end', end).on('close', leave)
    // A client that leaves is an error of the stream, too; 'close' follows.
    stream.on('error', () => {})
    if (stream.destroyed) leave()
  })
}

/** Node's own stream if there is one: to look at the request's body makes a web stream of it, which is slower. */
function streamOf(request: Request, incoming: IncomingMessage | undefined): Readable | undefined {
  if (incoming !== undefined) return incoming
  return request.body === null ? undefined : Readable.fromWeb(request.body as ReadableStream)
}

/** Bytes that come piece by piece, at most `limitBytes`, with room for `length` at first. */
function createGrowing(length: number, limitBytes: number) {
  let room = new Uint8Array(length)
  let filled = 0
  return {
    add(chunk: Uint8Array, hold: (bytes: number) => void): void {
      const total = filled + chunk.length
      if (total > limitBytes) throw tooLarge(limitBytes)
      hold(chunk.length)
      if (total > room.length) room = grown(room, Math.min(limitBytes, 2 * total))
      room.set(chunk, filled)
      filled = total
    },
    bytes: () => room.subarray(0, filled),
  }
}

function grown(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(length)
  more.set(bytes)
  return more
}

export const tooLarge = (limitBytes: number) =>
  new LogweirError(
    'body_too_large',
    `The body is over ${limitBytes / MIB} MiB, as it is sent or decompressed. Nothing of it was taken. Send smaller batches.`,
  )
