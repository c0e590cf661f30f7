import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  constants as zlib,
} from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'
import { KIB } from '../../base/units.js'

/** A smaller body fits into a single packet uncompressed. */
const MIN_CODED_BYTES = KIB
/** A larger body is compressed in the thread pool, so that other requests do not wait. */
const MAX_SYNC_BYTES = 64 * KIB
/** For our answers as fast as level 1, and 5 % smaller. Level 6 takes twice as long. */
const GZIP_OPTIONS = { level: 3 }
/**
 * Faster than gzip, and smaller: by 10 % for logs, by a third for small answers. The window size limits the memory of a
 * stream to the memory of a gzip stream.
 */
const BROTLI_OPTIONS = { params: { [zlib.BROTLI_PARAM_QUALITY]: 2, [zlib.BROTLI_PARAM_LGWIN]: 18 } }

const gzipInPool = promisify<Uint8Array, typeof GZIP_OPTIONS, Uint8Array>(gzip)
const brotliInPool = promisify<Uint8Array, typeof BROTLI_OPTIONS, Uint8Array>(brotliCompress)

/** A content coding, by the name in Content-Encoding. */
export type Coding = 'gzip' | 'br'

const CODERS = {
  gzip: {
    sync: (bytes: Uint8Array) => gzipSync(bytes, GZIP_OPTIONS),
    async: (bytes: Uint8Array) => gzipInPool(bytes, GZIP_OPTIONS),
    stream: () => createGzip(GZIP_OPTIONS),
  },
  br: {
    sync: (bytes: Uint8Array) => brotliCompressSync(bytes, BROTLI_OPTIONS),
    async: (bytes: Uint8Array) => brotliInPool(bytes, BROTLI_OPTIONS),
    stream: () => createBrotliCompress(BROTLI_OPTIONS),
  },
}

/**
 * The bytes of a response, and the compressed forms that a client has requested. A form is a promise until complete.
 */
export interface Body {
  readonly plain: Uint8Array
  gzip?: Uint8Array | Promise<Uint8Array>
  br?: Uint8Array | Promise<Uint8Array>
  /** The ETag, once computed. */
  tag?: string
  /** Called when a compressed form was made. `discard` frees the form. */
  onGrowth?: (discard: () => void) => void
}

/** Returns the bytes of a body, including compressed forms. */
export function bodyBytes({ plain, gzip, br }: Body): number {
  return plain.byteLength + madeBytes(gzip) + madeBytes(br)
}

const madeBytes = (form: Body[Coding]) => (form instanceof Uint8Array ? form.byteLength : 0)

/** Returns a compressed form of a body. The form is made once, however many requests wait. */
export function codedForm(body: Body, coding: Coding): Uint8Array | Promise<Uint8Array> {
  const made = body[coding]
  if (made !== undefined) return made
  if (body.plain.byteLength <= MAX_SYNC_BYTES) return keep(body, coding, CODERS[coding].sync(body.plain))
  const pending = codeInPool(body, coding)
  body[coding] = pending
  return pending
}

async function codeInPool(body: Body, coding: Coding): Promise<Uint8Array> {
  try {
    return keep(body, coding, await CODERS[coding].async(body.plain))
  } catch (error) {
    body[coding] = undefined
    throw error
  }
}

/** Stores a copy of the exact size: zlib returns a view of a larger buffer. */
function keep(body: Body, coding: Coding, bytes: Uint8Array): Uint8Array {
  const form = new Uint8Array(bytes)
  body[coding] = form
  body.onGrowth?.(() => {
    body[coding] = undefined
  })
  return form
}

/** Returns a stream that compresses a body. */
export const createCompressor = (coding: Coding) => CODERS[coding].stream()

/**
 * Returns the coding in which a body of `bytes` bytes is sent (RFC 9110, 12.5.3), or undefined if the body is sent
 * uncompressed. The body is compressed if brotli or gzip is accepted with at least the weight of no compression. A
 * small body is compressed only if no compression is refused. The coding with the higher weight wins. If the weights
 * are equal, brotli wins, but only if named: `*` may come from a client that does not know brotli. Without the header,
 * the body is sent uncompressed. The standard permits any coding then, but a client without the header may not know
 * gzip.
 */
export function wantedCoding(request: Headers, bytes: number): Coding | undefined {
  const header = request.get('accept-encoding')
  if (!header) return undefined
  const weights = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const any = weights.get('*')
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0
  const br = weights.get('br') ?? 0
  const identity = weights.get('identity') ?? any
  const weight = Math.max(gzip, br)
  if (weight === 0) return undefined
  const isWanted = bytes < MIN_CODED_BYTES ? identity === 0 : weight >= (identity ?? 0)
  if (!isWanted) return undefined
  return br === weight ? 'br' : 'gzip'
}
