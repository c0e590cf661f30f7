import { promisify } from 'node:util'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'
import { KIB } from '../base/units.js'

/** A smaller body fits into one packet as it is. */
const FROM_BYTES = KIB
/** A larger body is compressed in another thread, so that nobody waits for it who does not ask for it. */
const AT_ONCE_BYTES = 64 * KIB
/** As fast as level 1 for answers of ours, and smaller by a twentieth; level 6 takes twice as long. */
const OPTIONS = { level: 3 }

const inPool = promisify<Uint8Array, typeof OPTIONS, Uint8Array>(gzip)

/** An answer's bytes, and their compressed form from the first demand on: a promise until it is made. */
export interface Body {
  readonly plain: Uint8Array
  gzip?: Uint8Array | Promise<Uint8Array>
  /** Called when the compressed form has been made. */
  onGzip?(): void
}

/** The bytes that a body holds. */
export function bodyBytes({ plain, gzip }: Body): number {
  return plain.byteLength + (gzip instanceof Uint8Array ? gzip.byteLength : 0)
}

/** The compressed form of a body, made once however many ask for it. */
export function gzipOf(body: Body): Uint8Array | Promise<Uint8Array> {
  if (body.gzip !== undefined) return body.gzip
  if (body.plain.byteLength <= AT_ONCE_BYTES) return keep(body, gzipSync(body.plain, OPTIONS))
  body.gzip = gzipLater(body)
  return body.gzip
}

async function gzipLater(body: Body): Promise<Uint8Array> {
  try {
    return keep(body, await inPool(body.plain, OPTIONS))
  } catch (error) {
    body.gzip = undefined
    throw error
  }
}

/** Keeps a copy, whose bytes are as many as it holds: zlib gives a part of a larger buffer. */
function keep(body: Body, bytes: Uint8Array): Uint8Array {
  const gzip = new Uint8Array(bytes)
  body.gzip = gzip
  body.onGzip?.()
  return gzip
}

/** Compresses a body that is sent in parts. */
export const createCompressor = () => createGzip(OPTIONS)

/**
 * Whether a body of so many bytes is to be sent compressed (RFC 9110, 12.5.3): where gzip is accepted and no compression
 * is not liked better, and a small one only where no compression is refused. Where neither is accepted it is sent as it
 * is. Without the header too: by the letter anything would do then, but who does not ask may not know gzip.
 */
export function wantsGzip(request: Headers, bytes: number): boolean {
  const header = request.get('accept-encoding')
  if (!header) return false
  const weights = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const any = weights.get('*')
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0
  const identity = weights.get('identity') ?? any
  if (gzip === 0) return false
  return bytes < FROM_BYTES ? identity === 0 : gzip >= (identity ?? 0)
}
