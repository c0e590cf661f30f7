import type { MessagePort } from 'node:worker_threads'
import { free } from '../../base/memory/array-buffers.js'
import { MIB } from '../../base/units.js'
import type { ParserSink } from '../lines/record-sink.js'
import { LOGGED_PER_SECOND, type RejectBatch } from '../rejects.js'
import type { WorkerMessage, WorkResult } from './messages.js'
import type { ReceivedMasking } from './received-masking.js'
import { createRejectEntries } from './reject-entries.js'

/** The most bytes of memory that wait for reuse: a head that is sealed returns as many at once. */
const MAX_RETURNED_BYTES = 64 * MIB

/** Sends the batches and rejects of a parsing thread. The memory is transferred. */
export interface WorkerOutput extends Required<Omit<ParserSink, 'refuseSource'>> {
  /** Reports a finished unit of work, after the batches and rejects of the unit. */
  done(done: WorkResult): void
  /** Stores memory for reuse. */
  recycle(memory: Uint8Array<ArrayBuffer>): void
  /** Returns whether memory is stored for reuse. */
  holdsMemory(): boolean
  /** Frees the stored memory. */
  releaseMemory(): void
}

/** The source of what messages have besides batches and rejects. */
export interface WorkerOutputOptions {
  /** See {@link WorkerMessage}. */
  linesBefore?: () => number
  /** The rules that mask records: entries for the rejects file have no text then. */
  masking?: Pick<ReceivedMasking, 'takeCounts'> | undefined
}

/**
 * Creates the output of a parsing thread, which posts to the main thread. `maxRejectBytes` is the size of the longest
 * entry for the rejects file, 0 if entries are not stored.
 */
export function createWorkerOutput(
  port: Pick<MessagePort, 'postMessage'>,
  maxRejectBytes = 0,
  { linesBefore = () => 0, masking }: WorkerOutputOptions = {},
): WorkerOutput {
  const rejects = createRejectCounter(maxRejectBytes, masking !== undefined, (batch) => post({ rejects: batch }))
  /** Memory of batches that are in the engine, for reuse. */
  const returned: Uint8Array<ArrayBuffer>[] = []

  function post(message: WorkerMessage, moved: readonly (Uint8Array | undefined)[] = []): void {
    const memory = [message.rejects?.entries, ...moved].filter((bytes) => bytes !== undefined && bytes.length > 0)
    const masked = masking?.takeCounts()
    port.postMessage(
      masked === undefined ? message : { ...message, masked },
      memory.map((bytes) => bytes!.buffer as ArrayBuffer),
    )
  }

  return {
    batch: (batch) => post({ batch, linesBefore: linesBefore(), rejects: rejects.take() }, [batch.ipc]),
    memory: () => returned.pop(),
    reject: rejects.add,
    done: (done) => post({ done, rejects: rejects.take() }, [done.buffer]),
    recycle(memory) {
      const returnedBytes = returned.reduce((sum, { byteLength }) => sum + byteLength, 0)
      if (returnedBytes + memory.byteLength <= MAX_RETURNED_BYTES) returned.push(memory)
      else free([memory.buffer])
    },
    holdsMemory: () => returned.length > 0,
    releaseMemory() {
      free(returned.splice(0).map(({ buffer }) => buffer))
    },
  }
}

/**
 * Counts the rejects since the last message and encodes the entries. `emit` receives full chunks of entries. All other
 * entries wait for `take`, which returns undefined without rejects.
 */
function createRejectCounter(maxEntryBytes: number, omitsTexts: boolean, emit: (rejects: RejectBatch) => void) {
  const entries = createRejectEntries(maxEntryBytes, omitsTexts, (full) => emit(batchOf(full)))
  let counts = noRejects()

  const add: ParserSink['reject'] = (line, reason, bytes, start, end) => {
    if (maxEntryBytes > 0) entries.add(line, reason, bytes, start, end)
    counts.count++
    counts.byReason[reason] = (counts.byReason[reason] ?? 0) + 1
    if (counts.first.length < LOGGED_PER_SECOND) counts.first.push({ line, reason })
  }

  function batchOf(bytes: Uint8Array): RejectBatch {
    const batch = { ...counts, entries: bytes }
    counts = noRejects()
    return batch
  }

  return { add, take: () => (counts.count === 0 ? undefined : batchOf(entries.take())) }
}

const noRejects = (): Omit<RejectBatch, 'entries'> => ({ count: 0, byReason: {}, first: [] })
