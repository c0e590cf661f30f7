import { LogweirError } from '../../base/errors.js'
import { type Clock, systemClock } from '../../base/time/clock.js'
import { MIB } from '../../base/units.js'
import type { BodyForm, BodyResult, Defaults, WorkResult } from '../thread/messages.js'
import { createThread, type Thread, type ThreadOptions } from '../thread/thread.js'

/** Ingests the records of requests into an engine: request by request, in the order of receipt. */
export interface Requests {
  /**
   * Resolves when the rows of all valid records are in the engine. Throws `invalid_body` if the body cannot be split
   * into records and `body_too_large` if the body has too many: no record is stored then. Throws `ingest_failed` if
   * some records may have been stored. A request that still waits when the signal is aborted is not parsed. The bytes
   * may be transferred away.
   */
  take(bytes: Uint8Array, form: BodyForm, defaults: Defaults, signal?: AbortSignal): Promise<BodyResult>
  /** Starts the parsing thread, so that the first request does not wait for the thread. */
  prepare(): void
  /** Stops at once. */
  close(): Promise<void>
}

/** Options of the ingest of requests. */
export interface RequestsOptions extends Omit<ThreadOptions, 'defaults'> {
  clock?: Clock
}

/** The most bytes of bodies in the parsing thread at a time. A single body is always allowed. */
const MAX_PENDING_BYTES = 8 * MIB

interface Request {
  bytes: Uint8Array
  form: BodyForm
  defaults: Defaults
  signal: AbortSignal | undefined
  resolve(taken: BodyResult): void
  reject(error: unknown): void
}

/**
 * Creates the ingest of requests. All requests share a parsing thread, which starts with the first request or by
 * `prepare`. A failed thread is replaced.
 */
export function createRequests(options: RequestsOptions): Requests {
  const { clock = systemClock } = options
  const queue: Request[] = []
  let thread: Thread | undefined
  let lastId = 0
  /** Bytes of bodies in the thread. */
  let pendingBytes = 0
  let isClosed = false

  const currentThread = () => (thread ??= createThread(new URL('./worker.js', import.meta.url), options))

  async function send({ bytes, form, defaults }: Request): Promise<BodyResult> {
    const usedThread = currentThread()
    const body = transferable(bytes)
    try {
      const work = { id: ++lastId, bytes: body, form, defaults, nowUs: clock.nowUs() }
      return resultOf(await usedThread.send(work, [body.buffer]))
    } finally {
      if (usedThread.failure() !== undefined && thread === usedThread) thread = undefined
    }
  }

  /** Sends waiting bodies while there is room. */
  function sendNext(): void {
    while (queue.length > 0 && (pendingBytes === 0 || pendingBytes + queue[0].bytes.length <= MAX_PENDING_BYTES)) {
      const request = queue.shift()!
      const { bytes, signal, resolve, reject } = request
      if (signal?.aborted) {
        reject(signal.reason)
        continue
      }
      const bodyBytes = bytes.length
      pendingBytes += bodyBytes
      const release = () => {
        pendingBytes -= bodyBytes
        sendNext()
      }
      send(request).then(resolve, reject).finally(release)
    }
  }

  return {
    async take(bytes, form, defaults, signal) {
      if (isClosed) throw closed()
      return new Promise((resolve, reject) => {
        queue.push({ bytes, form, defaults, signal, resolve, reject })
        sendNext()
      })
    },
    prepare() {
      if (!isClosed) currentThread().start()
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(closed())
      await thread?.fail('The service stops.')
    },
  }
}

/** Returns the result of a body. Throws if the body was refused as a whole. */
function resultOf({ taken, refused }: WorkResult): BodyResult {
  if (refused !== undefined) throw new LogweirError(refused.code, refused.message)
  return taken!
}

const closed = () => new LogweirError('ingest_failed', 'The service stops and accepts no more records.')

/** Returns the bytes in unshared memory, which can be transferred to another thread. */
const transferable = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
