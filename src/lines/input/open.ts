import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createFramePieces } from '../../base/compression/frame-pieces.js'
import { LogweirError } from '../../base/errors.js'
import { pathError } from '../../base/failures.js'
import { MIB } from '../../base/units.js'

/** A stream of bytes, and how messages name it. */
interface NamedStream {
  name: string
  stream: Readable
}

/** The standard input, as messages name it. */
const STDIN = 'standard input'

/**
 * Yields the bytes of an input, decompressed. `path` is that of a file; undefined: the standard input. Ends when `stop`
 * is aborted, also while the input is silent. Throws `usage` or `failed` if the input cannot be read, and
 * `damaged_input` if its compression is damaged.
 */
export async function* readInput(path: string | undefined, stop?: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const stream = path === undefined ? process.stdin : createReadStream(path, { highWaterMark: MIB })
  const end = () => void stream.destroy()
  stop?.addEventListener('abort', end)
  const named = { name: path ?? STDIN, stream }
  try {
    const chunks = bytesOf(named)
    const start = await firstBytes(chunks)
    yield* decompressed(start, chunks, named)
  } catch (error) {
    if (!stop?.aborted) throw error
  } finally {
    stop?.removeEventListener('abort', end)
    stream.destroy()
  }
}

async function* bytesOf({ name, stream }: NamedStream): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw pathError(`cannot read ${name}: ${(error as Error).message}.`, error as Error)
  }
}

/** The bytes that tell how an input is compressed. */
const MAGIC_BYTES = 4

/** Returns the first chunks as one: at least {@link MAGIC_BYTES}, if there are as many. */
async function firstBytes(chunks: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < MAGIC_BYTES) {
    const { done, value } = await chunks.next()
    if (done) return start
    start = Buffer.concat([start, value])
    // A line that is shorter is shown at once.
    if (start.includes('\n')) return start
  }
  return start
}

const isGzip = (start: Buffer) => start[0] === 0x1f && start[1] === 0x8b
/** A frame, or a skippable frame: RFC 8878, section 3.1. */
const isZstd = (start: Buffer) =>
  start.length >= MAGIC_BYTES &&
  (start.readUInt32LE(0) === 0xfd2fb528 || (start.readUInt32LE(0) & 0xfffffff0) >>> 0 === 0x184d2a50)

function decompressed(
  start: Buffer,
  rest: AsyncGenerator<Buffer, void>,
  named: NamedStream,
): AsyncGenerator<Uint8Array, void> {
  const all = withStart(start, rest)
  if (isGzip(start)) return gunzipped(all, named)
  return isZstd(start) ? unzstd(all, named) : all
}

async function* withStart(start: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  if (start.length > 0) yield start
  yield* rest
}

const damaged = ({ name }: NamedStream, what: string, at: number, error: Error) =>
  new LogweirError('damaged_input', `${name} is a damaged ${what} file, near byte ${at}: ${error.message}.`)

async function* gunzipped(chunks: AsyncGenerator<Buffer, void>, named: NamedStream): AsyncGenerator<Buffer, void> {
  const gunzip = createGunzip({ chunkSize: MIB })
  let failure: Error | undefined
  const feed = async () => {
    for await (const chunk of chunks) {
      if (gunzip.destroyed) return
      if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve).once('close', resolve))
    }
    gunzip.end()
  }
  feed().catch((error: Error) => {
    failure = error
    gunzip.destroy(error)
  })
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } catch (error) {
    throw failure ?? damaged(named, 'gzip', gunzip.bytesWritten, error as Error)
  }
}

async function* unzstd(chunks: AsyncGenerator<Buffer, void>, named: NamedStream): AsyncGenerator<Buffer, void> {
  // Loaded only if needed.
  const { createZstdStream } = await import('../../base/compression/wasm-zstd.js')
  const stream = await createZstdStream()
  const frames = createFramePieces()
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw damaged(named, 'zstd', frames.at(), error as Error)
    }
  }
  for await (const chunk of chunks)
    for (const piece of attempt(() => frames.push(chunk))) yield attempt(() => stream.push(piece))
  attempt(() => {
    if (!frames.isWhole()) throw new Error('the file ends too early')
  })
}
