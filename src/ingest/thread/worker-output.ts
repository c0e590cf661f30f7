import type { MessagePort } from 'node:worker_threads'
import { free } from '../../base/array-buffers.js'
import { MIB } from '../../base/units.js'
import type { ParserSink } from '../lines/record-sink.js'
import type { Reject } from '../rejects.js'
import type { WorkerMessage, WorkResult } from './messages.js'

/** The most bytes of rejects that wait for the next message. */
const REJECT_BYTES = MIB / 4
/** The most bytes of memory that wait for reuse: a head that is sealed returns as many at once. */
const MAX_RETURNED_BYTES = 64 * MIB

/** Sends the batches and rejects of a parsing thread; their memory is transferred. */
export interface WorkerOutput extends Required<ParserSink> {
  /** Reports a finished unit of work, after its batches and rejects. */
  done(done: WorkResult): void
  /** Stores memory for reuse. */
  recycle(memory: Uint8Array<ArrayBuffer>): void
  /** Returns whether memory is stored for reuse. */
  holdsMemory(): boolean
  /** Frees the stored memory. */
  releaseMemory(): void
}

/** Creates the output of a parsing thread, which posts to the main thread. */
export function createWorkerOutput(port: MessagePort): WorkerOutput {
  let rejects: Reject[] = []
  let rejectBytes = 0
  /** Memory of batches that are in the engine, for reuse. */
  const returned: Uint8Array<ArrayBuffer>[] = []

  function post(message: Omit<WorkerMessage, 'rejects'>, moved?: Uint8Array): void {
    port.postMessage(
      { ...message, rejects } satisfies WorkerMessage,
      moved === undefined ? [] : [moved.buffer as ArrayBuffer],
    )
    rejects = []
    rejectBytes = 0
  }

  return {
    batch: (batch) => post({ batch }, batch.ipc),
    memory: () => returned.pop(),
    reject(reject) {
      rejects.push(reject)
      rejectBytes += reject.bytes.length
      if (rejectBytes > REJECT_BYTES) post({})
    },
    done: (done) => post({ done }, done.buffer),
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
