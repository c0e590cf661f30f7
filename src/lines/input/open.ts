import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { beginsFrame, createFramePieces } from '../../base/compression/frame-pieces.js'
import { createGzipMembers } from '../../base/compression/gzip-members.js'
import { LogweirError } from '../../base/errors.js'
import { pathError } from '../../base/failures.js'
import { MIB } from '../../base/units.js'

/** The standard input, as messages name it. */
const STDIN = 'standard input'

/**
 * Yields the bytes of an input, decompressed. A chunk is valid until the next is asked for. `path` is that of a file;
 * undefined: the standard input. Ends when `stop` is aborted, also while the input is silent. Throws `usage` or
 * `failed` if the input cannot be read, and `damaged_input` if its compression is damaged.
 */
export async function* readInput(path: string | undefined, stop: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const name = path ?? STDIN
  const isStored = bytesOfFile(path) > 0
  const chunks = storedBytes(name, isStored ? bytesInFile(path!, stop) : bytesOfStream(path, stop))
  try {
    yield* decompressed(await firstBytes(chunks), chunks, name)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    await chunks.return()
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

/** Yields the bytes of a file, which are read into the same memory again and again: clearing new memory takes long. */
async function* bytesInFile(path: string, stop: AbortSignal): AsyncGenerator<Buffer, void> {
  const file = await open(path)
  const memory = Buffer.allocUnsafeSlow(MIB)
  try {
    while (!stop.aborted) {
      const { bytesRead } = await file.read(memory)
      if (bytesRead === 0) return
      yield memory.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Yields the bytes of the standard input, of a named pipe or of a device. Throws when `stop` is aborted. */
async function* bytesOfStream(path: string | undefined, stop: AbortSignal): AsyncGenerator<Buffer, void> {
  const stream = path === undefined ? process.stdin : createReadStream(path, { highWaterMark: MIB })
  const end = () => void stream.destroy()
  stop.addEventListener('abort', end)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } finally {
    stop.removeEventListener('abort', end)
    stream.destroy()
  }
}

/** Yields the bytes of an input as they are stored. Throws `usage` or `failed` if the input cannot be read. */
async function* storedBytes(name: string, chunks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  try {
    yield* chunks
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
  name: string,
): AsyncGenerator<Uint8Array, void> {
  const all = withStart(start, rest)
  if (isGzip(start)) return gunzipped(all, name)
  return beginsFrame(start) ? unzstd(all, name) : all
}

async function* withStart(start: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  if (start.length > 0) yield start
  yield* rest
}

const damaged = (name: string, what: string, at: number, error: Error) =>
  new LogweirError('damaged_input', `${name} is a damaged ${what} file, near byte ${at}: ${error.message}.`)

async function* gunzipped(chunks: AsyncGenerator<Buffer, void>, name: string): AsyncGenerator<Buffer, void> {
  const members = createGzipMembers()
  try {
    yield* members.read(chunks)
  } catch (error) {
    throw error instanceof LogweirError ? error : damaged(name, 'gzip', members.at(), error as Error)
  }
}

async function* unzstd(chunks: AsyncGenerator<Buffer, void>, name: string): AsyncGenerator<Buffer, void> {
  // Loaded only if needed.
  const { createZstdStream } = await import('../../base/compression/wasm-zstd.js')
  const stream = await createZstdStream()
  const frames = createFramePieces()
  try {
    for await (const chunk of chunks) for (const piece of frames.push(chunk)) yield stream.push(piece)
    if (!frames.isWhole()) throw new Error('the file ends too early')
  } catch (error) {
    throw error instanceof LogweirError ? error : damaged(name, 'zstd', frames.at(), error as Error)
  }
}
