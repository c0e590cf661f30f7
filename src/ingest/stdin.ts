import { fstatSync, read } from 'node:fs'
import { Socket, type SocketConstructorOpts } from 'node:net'
import { promisify } from 'node:util'
import { type Clock, systemClock } from '../base/clock.js'
import type { Metrics } from '../base/metrics.js'
import { MIB } from '../base/units.js'
import type { Ingest } from './ingest.js'
import { type ProgressOptions, startProgress } from './progress.js'
import type { IngestTotals } from './thread.js'

export interface StdinOptions {
  ingest: Pick<Ingest, 'write' | 'end' | 'totals'>
  metrics: Pick<Metrics, 'stdinOpen'>
  clock?: Clock
  /** The file descriptor to read. */
  fd?: number
  /** Where progress is shown; nowhere where undefined. */
  terminal?: ProgressOptions['terminal']
}

export interface StdinReport {
  totals: IngestTotals
  /** Why reading or taking ended before the stream did. */
  error?: Error
}

export interface StdinReader {
  /** Resolves, never rejects, when all that was read is visible. */
  done: Promise<StdinReport>
  /** Ends the stream behind what has been read; the same promise as `done`. */
  stop(): Promise<StdinReport>
}

/** One chunk after the other, each good until the next is asked for; undefined at the end. */
interface ByteSource {
  next(): Promise<Uint8Array | undefined>
  /** Reads no more: `next` answers undefined, once it has handed out what it may have read already. */
  stop(): void
}

/**
 * Reads standard input into `ingest` if it is a pipe, a socket or a file; undefined if it is none. The next chunk is
 * read when there is room for it, so that a writer to the pipe is held back.
 */
export function readStdin(options: StdinOptions): StdinReader | undefined {
  const { ingest, metrics, clock = systemClock, fd = 0, terminal } = options
  const source = openSource(fd)
  if (source === undefined) return undefined
  let bytesRead = 0

  async function pump(): Promise<void> {
    for (let chunk = await source!.next(); chunk !== undefined; chunk = await source!.next()) {
      bytesRead += chunk.length
      await ingest.write(chunk)
    }
  }

  async function run(): Promise<StdinReport> {
    metrics.stdinOpen.set(1)
    const stopProgress = terminal && startProgress({ terminal, clock, totals: ingest.totals, bytes: () => bytesRead })
    const readError = await errorOf(pump())
    source!.stop()
    const endError = await errorOf(ingest.end())
    metrics.stdinOpen.set(0)
    stopProgress?.()
    return { totals: ingest.totals(), error: readError ?? endError }
  }

  const done = run()
  return {
    done,
    stop() {
      source.stop()
      return done
    },
  }
}

async function errorOf(work: Promise<unknown>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return error as Error
  }
}

function openSource(fd: number): ByteSource | undefined {
  const stat = statOf(fd)
  if (stat?.isFile()) return fileSource(fd)
  return stat?.isFIFO() || stat?.isSocket() ? streamSource(fd) : undefined
}

/** Undefined where the descriptor is closed. */
function statOf(fd: number) {
  try {
    return fstatSync(fd)
  } catch {
    return undefined
  }
}

const readAsync = promisify(read)
/** Each source reads into one piece of memory, over and over. */
const FILE_READ_BYTES = MIB
const STREAM_READ_BYTES = MIB / 16

function fileSource(fd: number): ByteSource {
  const memory = new Uint8Array(FILE_READ_BYTES)
  let stopped = false
  async function next(): Promise<Uint8Array | undefined> {
    if (stopped) return undefined
    const { bytesRead } = await readAsync(fd, memory, 0, memory.length, null)
    return bytesRead === 0 ? undefined : memory.subarray(0, bytesRead)
  }
  return { next, stop: () => void (stopped = true) }
}

/** A pipe or a socket: one read for each chunk that is asked for. */
function streamSource(fd: number): ByteSource {
  const memory = new Uint8Array(STREAM_READ_BYTES)
  let unread: Uint8Array | undefined
  let ended = false
  let error: Error | undefined
  let wake = () => {}
  const onread = { buffer: memory, callback: receive }
  const stream = new Socket({ fd, readable: true, writable: false, onread } as SocketConstructorOpts)
  stream.on('error', (reason) => end(reason))
  stream.on('end', () => end())
  stream.on('close', () => end())

  /** Answers false, which stops the reading until `next` resumes it: the memory is in use. */
  function receive(bytesRead: number): boolean {
    unread = memory.subarray(0, bytesRead)
    wake()
    return false
  }

  function end(reason?: Error): void {
    ended = true
    error ??= reason
    wake()
  }

  async function next(): Promise<Uint8Array | undefined> {
    if (unread === undefined && !ended) {
      stream.resume()
      await new Promise<void>((resolve) => void (wake = resolve))
    }
    if (unread === undefined && error !== undefined) throw error
    const chunk = unread
    unread = undefined
    return chunk
  }

  function stop(): void {
    end()
    stream.destroy()
  }
  return { next, stop }
}
