import type { MessagePort } from 'node:worker_threads'
import { MIB } from '../../base/units.js'
import type { ParserSink } from '../lines/record-sink.js'
import type { Reject } from '../rejects.js'
import type { WorkerMessage, WorkResult } from './messages.js'

/** Bytes of rejects that wait for the next message. */
const REJECT_BYTES = MIB / 4

/** What a parsing thread says: batches and rejects, whose memory moves with the messages. */
export interface WorkerOutput extends Required<ParserSink> {
  /** Tells that a work is finished, behind all that came of it. */
  done(done: WorkResult): void
  /** Takes memory back that is to be used again, and lets go of all of it. */
  recycle(memory: Uint8Array<ArrayBuffer>): void
  releaseMemory(): void
}

export function createWorkerOutput(port: MessagePort): WorkerOutput {
  let rejects: Reject[] = []
  let rejectBytes = 0
  /** Memory of batches that are in the engine. */
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
    recycle: (memory) => void returned.push(memory),
    releaseMemory() {
      returned.length = 0
    },
  }
}
