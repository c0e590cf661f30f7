import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { beginsFrame, createFramePieces } from '../../base/compression/frame-pieces.js'
import { createGzipMembers } from '../../base/compression/gzip-members.js'
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
export async function* readInput(path: string | undefined, stop: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const stream = path === undefined ? process.stdin : createReadStream(path, { highWaterMark: MIB })
  const end = () => void stream.destroy()
  stop.addEventListener('abort', end)
  const named = { name: path ?? STDIN, stream }
  try {
    const chunks = bytesOf(named)
    const start = await firstBytes(chunks)
    yield* decompressed(start, chunks, named)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    stop.removeEventListener('abort', end)
    stream.destroy()
  }
}

/** Returns the bytes of files as they are stored. The standard input, and files that cannot be read, have none. */
export function bytesOfFiles(paths: readonly (string | undefined)[]): number {
  return paths.reduce((sum, path) => sum + bytesOfFile(path), 0)
}

function bytesOfFile(path: string | undefined): number {
  try {
    return path === undefined ? 0 : statSync(path).size
  } catch {
    return 0
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

/** RFC 1952, section 2.3.1. A file that is cut behind its first byte is a gzip file too. */
const isGzip = (start: Buffer) => start[0] === 0x1f && (start.length === 1 || start[1] === 0x8b)

function decompressed(
  start: Buffer,
  rest: AsyncGenerator<Buffer, void>,
  named: NamedStream,
): AsyncGenerator<Uint8Array, void> {
  const all = withStart(start, rest)
  if (isGzip(start)) return gunzipped(all, named)
  return beginsFrame(start) ? unzstd(all, named) : all
}

async function* withStart(start: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  if (start.length > 0) yield start
  yield* rest
}

const damaged = ({ name }: NamedStream, what: string, at: number, error: Error) =>
  new LogweirError('damaged_input', `${name} is a damaged ${what} file, near byte ${at}: ${error.message}.`)

async function* gunzipped(chunks: AsyncGenerator<Buffer, void>, named: NamedStream): AsyncGenerator<Buffer, void> {
  const members = createGzipMembers()
  try {
    yield* members.read(chunks)
  } catch (error) {
    throw error instanceof LogweirError ? error : damaged(named, 'gzip', members.at(), error as Error)
  }
}

async function* unzstd(chunks: AsyncGenerator<Buffer, void>, named: NamedStream): AsyncGenerator<Buffer, void> {
  // Loaded only if needed.
  const { createZstdStream } = await import('../../base/compression/wasm-zstd.js')
  const stream = await createZstdStream()
  const frames = createFramePieces()
  try {
    for await (const chunk of chunks) for (const piece of frames.push(chunk)) yield stream.push(piece)
    if (!frames.isWhole()) throw new Error('the file ends too early')
  } catch (error) {
    throw error instanceof LogweirError ? error : damaged(named, 'zstd', frames.at(), error as Error)
  }
}
