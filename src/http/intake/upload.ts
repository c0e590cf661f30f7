import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import { KIB, MIB } from '../../base/units.js'
import { createBodyMemory } from './body-memory.js'
import type { BodyRateLimits } from './body-rate.js'
import { receive, tooLarge } from './receive.js'

/** Limits of request bodies. Tests use small values. */
export interface UploadLimits extends BodyRateLimits {
  /** A single body, as sent and decompressed. */
  bodyBytes: number
  /** All bodies in memory, in both forms. */
  bodiesBytes: number
}

/** The limits of the service. */
export const UPLOAD_LIMITS: UploadLimits = {
  bodyBytes: 12 * MIB,
  bodiesBytes: 64 * MIB,
  minBytesPerS: 16 * KIB,
  rateWindowMs: 15_000,
  maxBodyMs: 600_000,
}

/** The share of the memory limit for bodies. */
const BODIES_SHARE = 1 / 8

/**
 * Returns the bytes of all bodies in a process with a memory limit: enough for a compressed body of the largest size.
 */
export function bodiesBytes(memoryLimitBytes: number): number {
  const { bodyBytes, bodiesBytes: most } = UPLOAD_LIMITS
  return Math.max(2 * bodyBytes, Math.min(most, memoryLimitBytes * BODIES_SHARE))
}

/** A complete, decompressed body. The body's memory is reserved until `release`. */
export interface Upload {
  bytes: Uint8Array
  /** Reserves memory for bytes that are derived from the body. Throws `too_many_bodies`. */
  reserve(bytes: number): void
  release(): void
}

/** Receives and decompresses request bodies, within the shared memory. */
export interface Uploads {
  /**
   * Receives the body of a request. Throws `body_too_large`, `too_many_bodies`, `invalid_body` if the coding is broken,
   * `unsupported_content_encoding`, `request_timeout` if the body is too slow or is cut in favour of faster bodies, and
   * `abandoned` if the client leaves before the end of the body.
   */
  read(request: Request, incoming?: IncomingMessage): Promise<Upload>
  reservedBytes(): number
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Added in Node 22.15 and 23.8. */
const { zstdDecompress } = zlib as { zstdDecompress?: typeof zlib.inflate }

const gunzip: Decode = promisify(zlib.gunzip)
const inflate: Decode = promisify(zlib.inflate)
const inflateRaw: Decode = promisify(zlib.inflateRaw)

const DECODERS = new Map<string, Decode>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', (bytes, options) => (hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, options)],
])
if (zstdDecompress !== undefined) DECODERS.set('zstd', promisify(zstdDecompress) as Decode)

/** The supported content codings, for messages. */
const ENCODINGS = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ')

/** By the standard, `deflate` is the zlib format (RFC 1950), but many clients send raw deflate. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/** Creates the receiver, with no memory reserved. */
export function createUploads(limits: UploadLimits, clock: Clock): Uploads {
  const { bodyBytes } = limits
  const memory = createBodyMemory(limits.bodiesBytes)

  async function read(request: Request, incoming?: IncomingMessage): Promise<Upload> {
    const decode = decoderOf(request.headers)
    if (Number(request.headers.get('content-length')) > bodyBytes) throw tooLarge(bodyBytes)
    const share = memory.createShare()
    const { reserve, release } = share
    try {
      const sent = await receive(request, incoming, { limits, clock, share })
      if (decode === undefined) return { bytes: sent, reserve, release }
      reserve(bodyBytes)
      const bytes = await decompress(decode, sent, bodyBytes)
      release(bodyBytes - bytes.length + sent.length)
      return { bytes, reserve, release }
    } catch (error) {
      release()
      throw error
    }
  }

  return { read, reservedBytes: memory.reservedBytes }
}

/** Returns the decoder of a body's content coding, or undefined if the body has no content coding. */
function decoderOf(headers: Headers): Decode | undefined {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return undefined
  const decode = DECODERS.get(coding)
  if (decode !== undefined) return decode
  throw new LogweirError(
    'unsupported_content_encoding',
    `The body has a Content-Encoding that is not known here. Send it as one of ${ENCODINGS}, or as it is.`,
  )
}

async function decompress(decode: Decode, bytes: Uint8Array, limitBytes: number): Promise<Uint8Array> {
  try {
    return await decode(bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
    throw new LogweirError(
      'invalid_body',
      `The body cannot be decompressed: ${message}. Nothing of it was taken. Send it whole.`,
    )
  }
}
