import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { LogweirError } from '../base/errors.js'
import { KIB, MIB } from '../base/units.js'
import { refusals } from './errors.js'

/** What bodies of requests may take. Each has a small value in tests. */
export interface UploadLimits {
  /** One body, as it is sent and as it is decompressed. */
  bodyBytes: number
  /** All bodies that are held, in both forms. */
  bodiesBytes: number
}

export const UPLOAD_LIMITS: UploadLimits = { bodyBytes: 12 * MIB, bodiesBytes: 64 * MIB }

/** A body that has come whole, decompressed. It counts as held until it is released. */
export interface Upload {
  bytes: Uint8Array
  /** Holds so many bytes more, which are made of it. Throws `too_many_bodies`. */
  hold(bytes: number): void
  release(): void
}

export interface Uploads {
  /**
   * Reads the body of a request. Throws `body_too_large`, `too_many_bodies`, `invalid_body` where its coding is broken,
   * `unsupported_content_encoding`, and `abandoned` where the client leaves before its end.
   */
  read(request: Request, incoming?: IncomingMessage): Promise<Upload>
  heldBytes(): number
}

/** A body whose length is not told begins with room for so much. */
const UNTOLD_BYTES = 64 * KIB

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

export function createUploads({ bodyBytes, bodiesBytes }: UploadLimits): Uploads {
  let heldBytes = 0

  /** What one request holds: never more than is free. */
  function createHold() {
    let own = 0
    const hold = (bytes: number) => {
      if (heldBytes + bytes > bodiesBytes) throw tooManyBodies()
      heldBytes += bytes
      own += bytes
    }
    const release = (bytes = own) => {
      heldBytes -= bytes
      own -= bytes
    }
    return { hold, release }
  }

  async function read(request: Request, incoming?: IncomingMessage): Promise<Upload> {
    const decode = decoderOf(request.headers)
    if (Number(request.headers.get('content-length')) > bodyBytes) throw tooLarge(bodyBytes)
    const { hold, release } = createHold()
    try {
      const sent = await readAll(request, incoming, bodyBytes, hold)
      if (incoming?.complete === false) throw refusals.abandoned()
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

  return { read, heldBytes: () => heldBytes }
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

/**
 * The body as it was sent, in memory of its own. The stream is not ended where it is too long: that would end the
 * connection before the answer.
 */
async function readAll(
  request: Request,
  incoming: IncomingMessage | undefined,
  limitBytes: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  // Node's own stream, where there is one: whoever but looks at the request's body has a web stream made, which is slower.
  const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? request.body?.values({ preventCancel: true }) ?? []
  let bytes = new Uint8Array(Number(request.headers.get('content-length') ?? UNTOLD_BYTES))
  let filled = 0
  try {
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      if (filled + chunk.length > limitBytes) throw tooLarge(limitBytes)
      hold(chunk.length)
      if (filled + chunk.length > bytes.length) bytes = grown(bytes, Math.min(limitBytes, 2 * (filled + chunk.length)))
      bytes.set(chunk, filled)
      filled += chunk.length
    }
  } catch (error) {
    // A body that ends before its end is that of a client that has left.
    throw error instanceof LogweirError ? error : refusals.abandoned()
  }
  return bytes.subarray(0, filled)
}

function grown(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(length)
  more.set(bytes)
  return more
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

const tooLarge = (limitBytes: number) =>
  new LogweirError(
    'body_too_large',
    `The body is over ${limitBytes / MIB} MiB, as it is sent or decompressed. Nothing of it was taken. Send smaller batches.`,
  )
const tooManyBodies = () =>
  new LogweirError(
    'too_many_bodies',
    'Too many records are on their way in. Nothing of this body was taken. Send it again shortly.',
  )
