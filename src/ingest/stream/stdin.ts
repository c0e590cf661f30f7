import { fstatSync } from 'node:fs'
import { Socket, type SocketConstructorOpts } from 'node:net'
import type { Metrics } from '../../base/metrics.js'
import { type Clock, systemClock } from '../../base/time/clock.js'
import { MIB } from '../../base/units.js'
import type { IngestTotals } from '../thread/thread.js'
import type { Ingest } from './ingest.js'
import { type ProgressOptions, startProgress } from './progress.js'

/** The source of standard input, and the receivers of lines and of the progress. */
export interface StdinOptions {
  ingest: Pick<Ingest, 'write' | 'read' | 'end' | 'totals' | 'countUnstored' | 'giveUp'>
  metrics: Pick<Metrics, 'stdinOpen'>
  clock?: Clock
  /** The file descriptor to read. */
  fd?: number
  /** The terminal that shows the progress. If undefined, no progress is shown. */
  terminal?: ProgressOptions['terminal']
}

/** The result of reading standard input. */
export interface StdinReport {
  totals: IngestTotals
  /** The reason, if reading or ingesting ended before the stream did. */
  error?: Error
}

/** A running reader of standard input. */
export interface StdinReader {
  /** Resolves when all rows that were read are visible. Never rejects. */
  done: Promise<StdinReport>
  /** Stops reading, and returns the same promise as `done`. From now on rows that cannot be stored are counted. */
  stop(): Promise<StdinReport>
  /** Counts the rows that are not stored yet as unstored, for this reason. */
  giveUp(reason: Error): void
  /** Stops reading, and counts the rows that are not stored yet as unstored. Resolves when all rows are counted. */
  abandon(reason: Error): Promise<void>
}

interface ByteSource {
  /** Moves the next bytes into `ingest` and returns the number of bytes, 0 at the end. */
  move(ingest: StdinOptions['ingest']): Promise<number>
  /** Stops reading: `move` returns 0 once the bytes already read are moved. */
  stop(): void
}

/**
 * Reads standard input into `ingest` if standard input is a pipe, a socket or a file, else returns undefined. The next
 * chunk is read when there is room, which applies backpressure to the writer.
 */
export function readStdin(options: StdinOptions): StdinReader | undefined {
  const { ingest, metrics, clock = systemClock, fd = 0, terminal } = options
  const source = openSource(fd)
  if (source === undefined) return undefined
  let bytesRead = 0

  async function pump(): Promise<void> {
    for (let moved = await source!.move(ingest); moved > 0; moved = await source!.move(ingest)) bytesRead += moved
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
  function stop(): Promise<StdinReport> {
    ingest.countUnstored()
    source!.stop()
    return done
  }
  async function abandon(reason: Error): Promise<void> {
    ingest.giveUp(reason)
    await stop()
  }
  return { done, stop, giveUp: ingest.giveUp, abandon }
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

/** Returns undefined if the descriptor is closed. */
function statOf(fd: number) {
  try {
    return fstatSync(fd)
  } catch {
    return undefined
  }
}

/** Pending reads of a file: enough to keep the parsing thread busy. */
const READS_AHEAD = 8

function fileSource(fd: number): ByteSource {
  const ahead: Promise<number>[] = []
  let stopped = false
  function readNext(ingest: StdinOptions['ingest']): void {
    const read = ingest.read(fd)
    // An error is reported when this read is awaited.
    read.catch(() => {})
    ahead.push(read)
  }
  async function move(ingest: StdinOptions['ingest']): Promise<number> {
    while (!stopped && ahead.length < READS_AHEAD) readNext(ingest)
    return (await ahead.shift()) ?? 0
  }
  return { move, stop: () => void (stopped = true) }
}

const STREAM_READ_BYTES = MIB / 16

/** Reads a pipe or a socket: a read for each chunk, into a reused buffer. */
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

  /** Returns false, which pauses reading until `move` resumes the stream: the buffer is in use. */
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

  async function move(ingest: StdinOptions['ingest']): Promise<number> {
    if (unread === undefined && !ended) {
      stream.resume()
      await new Promise<void>((resolve) => void (wake = resolve))
    }
    if (unread === undefined && error !== undefined) throw error
    const chunk = unread
    unread = undefined
    if (chunk === undefined) return 0
    await ingest.write(chunk)
    return chunk.length
  }

  function stop(): void {
    end()
    stream.destroy()
  }
  return { move, stop }
}
