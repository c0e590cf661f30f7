import { type Clock, systemClock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { MIB } from '../../base/units.js'
import type { BodyForm, BodyResult, Defaults } from '../thread/messages.js'
import { createThread, type Thread, type ThreadOptions } from '../thread/thread.js'

/** Takes the records of requests into an engine, those of one request together, in the order in which they came. */
export interface Requests {
  /**
   * Resolves when the rows of all records that can be taken are in the engine. Throws `invalid_body` where the body cannot
   * be cut into records, `body_too_large` where it holds too many, and takes none then; `ingest_failed` when any may have
   * been taken. One whose turn has not come when the signal is aborted is not taken at all. The bytes may be gone afterwards.
   */
  take(bytes: Uint8Array, form: BodyForm, defaults: Defaults, signal?: AbortSignal): Promise<BodyResult>
  /** Starts the parsing thread, so that the first request need not wait for that. */
  prepare(): void
  /** Stops at once. */
  close(): Promise<void>
}

export interface RequestsOptions extends Omit<ThreadOptions, 'defaults'> {
  clock?: Clock
}

/** The parsing thread has bodies of so many bytes at a time, and one at least. */
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
 * All requests share one parsing thread, which starts with the first of them, or before it when told to. One that has
 * failed is replaced.
 */
export function createRequests(options: RequestsOptions): Requests {
  const { clock = systemClock } = options
  const queue: Request[] = []
  let thread: Thread | undefined
  let lastId = 0
  /** Bytes of bodies that the thread has. */
  let pendingBytes = 0
  let isClosed = false

  const currentThread = () => (thread ??= createThread(new URL('./worker.js', import.meta.url), options))

  async function send({ bytes, form, defaults }: Request): Promise<BodyResult> {
    const thisThread = currentThread()
    const body = transferable(bytes)
    try {
      const work = { id: ++lastId, bytes: body, form, defaults, nowUs: clock.nowUs() }
      const { taken, refused } = await thisThread.send(work, [body.buffer])
      if (refused !== undefined) throw new LogweirError(refused.code, refused.message)
      return taken!
    } finally {
      if (thisThread.failure() !== undefined && thread === thisThread) thread = undefined
    }
  }

  /** Sends those whose turn has come. */
  function sendNext(): void {
    while (queue.length > 0 && (pendingBytes === 0 || pendingBytes + queue[0]!.bytes.length <= MAX_PENDING_BYTES)) {
      const request = queue.shift()!
      const { bytes, signal, resolve, reject } = request
      if (signal?.aborted) {
        reject(signal.reason)
        continue
      }
      const ownBytes = bytes.length
      pendingBytes += ownBytes
      const release = () => {
        pendingBytes -= ownBytes
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

const closed = () => new LogweirError('ingest_failed', 'The service stops: nothing is taken any more.')

/** The bytes in memory of their own, which can move to another thread. */
const transferable = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
