import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { KIB, MIB } from '../../base/units.js'
import { createBodyMemory } from './body-memory.js'
import type { BodyRateLimits } from './body-rate.js'
import { receive, tooLarge } from './receive.js'

/** What bodies of requests may take. Each has a small value in tests. */
export interface UploadLimits extends BodyRateLimits {
  /** One body, as it is sent and as it is decompressed. */
  bodyBytes: number
  /** All bodies that are held, in both forms. */
  bodiesBytes: number
}

export const UPLOAD_LIMITS: UploadLimits = {
  bodyBytes: 12 * MIB,
  bodiesBytes: 64 * MIB,
  minBytesPerS: 16 * KIB,
  rateWindowMs: 15_000,
  maxBodyMs: 600_000,
}

/** A body that has come whole, decompressed. It counts as held until it is released. */
export interface Upload {
  bytes: Uint8Array
  /** Holds that many more bytes, which are made of it. Throws `too_many_bodies`. */
  hold(bytes: number): void
  release(): void
}

export interface Uploads {
  /**
   * Reads the body of a request. Throws `body_too_large`, `too_many_bodies`, `invalid_body` if its coding is broken,
   * `unsupported_content_encoding`, `request_timeout` if it arrives too slowly or has to make room for faster ones, and
   * `abandoned` if the client leaves before its end.
   */
  read(request: Request, incoming?: IncomingMessage): Promise<Upload>
  bufferedBytes(): number
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Only later Nodes have it. */
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

/** The codings that are known, for people. */
export const ENCODINGS = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ')

/** By the letter deflate is the zlib format (RFC 1950), but many send it bare. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

export function createUploads(limits: UploadLimits, clock: Clock): Uploads {
  const { bodyBytes } = limits
  const memory = createBodyMemory(limits.bodiesBytes)

  async function read(request: Request, incoming?: IncomingMessage): Promise<Upload> {
    const decode = decoderOf(request.headers)
    if (Number(request.headers.get('content-length')) > bodyBytes) throw tooLarge(bodyBytes)
    const share = memory.createShare()
    const { hold, release } = share
    try {
      const sent = await receive(request, incoming, { limits, clock, share })
      if (decode === undefined) return { bytes: sent, hold, release }
      hold(bodyBytes)
      const bytes = await decoded(decode, sent, bodyBytes)
      release(bodyBytes - bytes.length + sent.length)
      return { bytes, hold, release }
    } catch (error) {
      release()
      throw error
    }
  }

  return { read, bufferedBytes: memory.bufferedBytes }
}

/** What undoes the coding of a body; undefined where it has none. */
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

async function decoded(decode: Decode, bytes: Uint8Array, limitBytes: number): Promise<Uint8Array> {
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
