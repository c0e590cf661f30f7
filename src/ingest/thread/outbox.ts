import type { MessagePort } from 'node:worker_threads'
import { MIB } from '../../base/units.js'
import type { ParserSink } from '../lines/record-sink.js'
import type { Reject } from '../rejects.js'
import type { Done, Parsed } from './messages.js'

/** Bytes of rejects that wait for the next message. */
const REJECT_BYTES = MIB / 4

/** What a parsing thread says: batches and rejects, whose memory moves with the messages. */
export interface Outbox extends Required<ParserSink> {
  /** Tells that a work is finished, behind all that came of it. */
  done(done: Done): void
  /** Takes memory back that is to be used again, and lets go of all of it. */
  keepMemory(memory: Uint8Array<ArrayBuffer>): void
  dropMemory(): void
}

export function createOutbox(port: MessagePort): Outbox {
  let rejects: Reject[] = []
  let rejectBytes = 0
  /** Memory of batches that are in the engine. */
  const returned: Uint8Array<ArrayBuffer>[] = []

  function post(message: Omit<Parsed, 'rejects'>, moved?: Uint8Array): void {
    port.postMessage({ ...message, rejects } satisfies Parsed, moved === undefined ? [] : [moved.buffer as ArrayBuffer])
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
    done: (done) => post({ done }, done.slab),
    keepMemory: (memory) => void returned.push(memory),
    dropMemory() {
      returned.length = 0
    },
  }
}
