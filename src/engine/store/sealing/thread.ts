import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../../base/log.js'
import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import { THREAD_HEAP } from '../../../base/process/heap.js'
import { createRequestThread, type RequestThread } from '../../../base/scheduling/request-thread.js'
import { MIB } from '../../../base/units.js'
import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import { contentBytes, piecesOf, type Texts } from '../../execute/open-batch/texts.js'
import type { SealedRows } from '../segment/segment.js'
import type { CancellationFlag } from './cancellation.js'
import { copyRows } from './copy.js'
import {
  type Answer,
  bufferOf,
  type Compacted,
  type MadePathColumns,
  type Question,
  restorePathContent,
  restoreSealedRows,
  type Sealed,
} from './messages.js'
import type { Sealer } from './sealer.js'

/** Bytes of text that are copied at a time: about a millisecond. */
const CHUNK_BYTES = 4 * MIB

/** How a failed thread is retried. */
export interface SealingRetry {
  /** Attempts to seal a head. */
  attempts: number
  /** Wait before the second attempt. Each further wait is twice as long. */
  delayMs: number
}

/**
 * Five attempts within 1.5 s: enough for a moment of scarce memory, and short enough that appends need not wait long.
 */
const RETRY: SealingRetry = { attempts: 5, delayMs: 100 }

interface State {
  log: Log
  retry: SealingRetry
  thread: RequestThread<Question, Answer>
  /** Bytes that the thread reserves for its next work, 0 if the thread does not run. */
  memoryBytes: number
  /** Whether the thread works, or waits for the next attempt. */
  isBusy: boolean
  /** Whether the thread has not worked since the last call of `trim`. */
  isIdle: boolean
  closing: AbortController
}

/**
 * Creates a sealer that works on its own thread. The sealer sends the thread a copy of the rows, which costs the
 * calling thread about a thirtieth of the work of sealing. The thread starts with the first head, and ends after idling
 * between two calls of `trim`. If the thread dies, the thread is restarted and the head is sent again, at most
 * `retry.attempts` times. Then `seal` rejects.
 */
export function createSealingThread(
  log: Log,
  script = new URL('./worker.js', import.meta.url),
  retry: SealingRetry = RETRY,
): Sealer {
  const thread = createRequestThread<Question, Answer>(script, { resourceLimits: THREAD_HEAP })
  const state: State = {
    log,
    retry,
    thread,
    memoryBytes: 0,
    isBusy: false,
    isIdle: true,
    closing: new AbortController(),
  }
  return {
    seal: (head, cancellation) => whileBusy(state, () => sealWithRetries(state, head, cancellation)),
    compact: (cold, cancellation) =>
      whileBusy(state, async () => {
        const question = { cold, cancellation, work: 'compact' } as const
        const { file, memoryBytes } = (await request(state, question, arrayBuffersOf(cold))) as Compacted
        state.memoryBytes = memoryBytes
        return file && bufferOf(file)
      }),
    makePathColumns: (cold, cancellation) =>
      whileBusy(state, async () => {
        const question = { cold, cancellation, work: 'path columns' } as const
        const { content, memoryBytes } = (await request(state, question, arrayBuffersOf(cold))) as MadePathColumns
        state.memoryBytes = memoryBytes
        return content && restorePathContent(content)
      }),
    keepRows: (rows) =>
      whileBusy(state, async () => {
        const moved = [rows.timestampsUs, rows.kept, rows.cold]
        const { parts, memoryBytes } = (await request(state, { toKeep: rows }, arrayBuffersOf(moved))) as Sealed
        state.memoryBytes = memoryBytes
        return restoreSealedRows(parts[0])
      }),
    bytes: () => state.memoryBytes,
    trim(what) {
      if (state.isBusy || what === 'all') return
      if (state.isIdle) endThread(state)
      state.isIdle = true
    },
    async close() {
      state.closing.abort()
      await thread.terminate()
    },
  }
}

/** Prevents `trim` from ending the thread while the work runs. */
async function whileBusy<T>(state: State, work: () => Promise<T>): Promise<T> {
  state.isIdle = false
  state.isBusy = true
  return work().finally(() => {
    state.isBusy = false
  })
}

async function sealWithRetries(
  state: State,
  head: OpenBatch,
  cancellation: CancellationFlag | undefined,
): Promise<SealedRows[]> {
  const { attempts, delayMs } = state.retry
  for (let attempt = 1; ; attempt++) {
    try {
      return await sealOnThread(state, head, cancellation)
    } catch (error) {
      const isLast = attempt >= attempts
      const { signal } = state.closing
      if (!signal.aborted) reportFailure(state, error as Error, isLast)
      if (!isLast) await wait(delayMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => {})
      if (isLast || signal.aborted) throw error
    }
  }
}

function reportFailure({ log }: State, { message }: Error, isLast: boolean): void {
  const remedy = isLast
    ? 'The rows that it was to seal stay as they are; if they are on disk, the next start seals them'
    : 'It is restarted, and seals the rows again'
  log(`The sealing thread failed: ${message}. ${remedy}`, {
    level: isLast ? 'error' : 'warn',
    code: 'sealing_thread_failed',
  })
}

async function sealOnThread(
  state: State,
  head: OpenBatch,
  cancellation: CancellationFlag | undefined,
): Promise<SealedRows[]> {
  await sendTexts(state, head.cold)
  const rows = copyRows(head)
  const sealed = (await request(state, { rows, cancellation }, arrayBuffersOf(rows))) as Sealed
  state.memoryBytes = sealed.memoryBytes
  return sealed.parts.map(restoreSealedRows)
}

/** Sends the texts chunk by chunk, in a single piece of memory that the thread returns each time. */
async function sendTexts(state: State, texts: Texts): Promise<void> {
  const totalBytes = contentBytes(texts)
  let chunk = new Uint8Array(Math.min(CHUNK_BYTES, totalBytes))
  let [at, filled] = [0, 0]
  for (const piece of piecesOf(texts)) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + chunk.length - filled)
      chunk.set(part, filled)
      from += part.length
      filled += part.length
      if (filled < chunk.length && at + filled < totalBytes) continue
      const answer = await request(state, { chunk, bytes: filled, at, totalBytes }, [chunk.buffer])
      chunk = (answer as { chunk: Uint8Array<ArrayBuffer> }).chunk
      at += filled
      filled = 0
    }
  }
  free([chunk.buffer])
}

/** Rejects if the thread dies. The memory of the thread is then gone. */
function request(state: State, question: Question, moved: ArrayBuffer[]): Promise<Answer> {
  return state.thread.request(question, moved).catch((error) => {
    state.memoryBytes = 0
    throw error
  })
}

function endThread(state: State): void {
  state.memoryBytes = 0
  void state.thread.terminate()
}
