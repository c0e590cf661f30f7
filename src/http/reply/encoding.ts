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

/** A smaller body fits into one packet as it is. */
const FROM_BYTES = KIB
/** A larger body is compressed in another thread, so that nobody waits for it who does not ask for it. */
const AT_ONCE_BYTES = 64 * KIB
/** As fast as level 1 for answers of ours, and smaller by a twentieth; level 6 takes twice as long. */
const GZIP_OPTIONS = { level: 3 }
/** Faster than that, and smaller: by a tenth for logs, by a third for small answers. The window keeps a stream's memory to that of gzip. */
const BROTLI_OPTIONS = { params: { [zlib.BROTLI_PARAM_QUALITY]: 2, [zlib.BROTLI_PARAM_LGWIN]: 18 } }

const gzipInPool = promisify<Uint8Array, typeof GZIP_OPTIONS, Uint8Array>(gzip)
const brotliInPool = promisify<Uint8Array, typeof BROTLI_OPTIONS, Uint8Array>(brotliCompress)

/** A compressed form, by its name in Content-Encoding. */
export type Coding = 'gzip' | 'br'

const CODERS = {
  gzip: {
    atOnce: (bytes: Uint8Array) => gzipSync(bytes, GZIP_OPTIONS),
    inPool: (bytes: Uint8Array) => gzipInPool(bytes, GZIP_OPTIONS),
    inParts: () => createGzip(GZIP_OPTIONS),
  },
  br: {
    atOnce: (bytes: Uint8Array) => brotliCompressSync(bytes, BROTLI_OPTIONS),
    inPool: (bytes: Uint8Array) => brotliInPool(bytes, BROTLI_OPTIONS),
    inParts: () => createBrotliCompress(BROTLI_OPTIONS),
  },
}

/** An answer's bytes, and their compressed forms from the first demand on: a promise until it is made. */
export interface Body {
  readonly plain: Uint8Array
  gzip?: Uint8Array | Promise<Uint8Array>
  br?: Uint8Array | Promise<Uint8Array>
  /** From the first demand on. */
  tag?: string
  /** Called when a compressed form has been made; `forget` lets go of it. */
  onGrowth?: (forget: () => void) => void
}

/** The bytes that a body holds. */
export function bodyBytes({ plain, gzip, br }: Body): number {
  return plain.byteLength + madeBytes(gzip) + madeBytes(br)
}

const madeBytes = (form: Body[Coding]) => (form instanceof Uint8Array ? form.byteLength : 0)

/** A compressed form of a body, made once however many ask for it. */
export function codedForm(body: Body, coding: Coding): Uint8Array | Promise<Uint8Array> {
  const known = body[coding]
  if (known !== undefined) return known
  if (body.plain.byteLength <= AT_ONCE_BYTES) return keep(body, coding, CODERS[coding].atOnce(body.plain))
  const later = codeLater(body, coding)
  body[coding] = later
  return later
}

async function codeLater(body: Body, coding: Coding): Promise<Uint8Array> {
  try {
    return keep(body, coding, await CODERS[coding].inPool(body.plain))
  } catch (error) {
    body[coding] = undefined
    throw error
  }
}

/** Keeps a copy, whose bytes are as many as it holds: zlib gives a part of a larger buffer. */
function keep(body: Body, coding: Coding, bytes: Uint8Array): Uint8Array {
  const form = new Uint8Array(bytes)
  body[coding] = form
  body.onGrowth?.(() => {
    body[coding] = undefined
  })
  return form
}

/** Compresses a body that is sent in parts. */
export const createCompressor = (coding: Coding) => CODERS[coding].inParts()

/**
 * How a body of so many bytes is to be sent compressed, if at all (RFC 9110, 12.5.3): where brotli or gzip is accepted and no
 * compression is not liked better, and a small one only where no compression is refused. Of the two the one that is liked
 * better; brotli where they are equal, but only where it is named, for `*` may come from who does not know it. Where none is
 * accepted it is sent as it is. Without the header too: by the letter anything would do then, but who does not ask may
 * not know gzip.
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
  const isWanted = bytes < FROM_BYTES ? identity === 0 : weight >= (identity ?? 0)
  if (!isWanted) return undefined
  return br === weight ? 'br' : 'gzip'
}
