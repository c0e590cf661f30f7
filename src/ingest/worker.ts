import { parentPort, workerData } from 'node:worker_threads'
import { MIB } from '../base/units.js'
import { findSource } from '../sources.js'
import type { Parsed, Returned, Work, WorkerOptions } from './messages.js'
import { createParser } from './parse.js'
import type { Reject } from './rejects.js'

/** The parsing thread: chunks in, batches and rejects out, whose memory moves with the messages. */

/** Bytes of rejects that wait for the next message. */
const REJECT_BYTES = MIB / 4

const { retentionUs, defaultSource, maxLineBytes, flushIntervalMs } = workerData as WorkerOptions
const port = parentPort!

let rejects: Reject[] = []
let rejectBytes = 0
let timer: NodeJS.Timeout | undefined
/** Memory of batches that are in the engine. */
const returned: Uint8Array<ArrayBuffer>[] = []

function post(message: Omit<Parsed, 'rejects'>, moved?: Uint8Array): void {
  port.postMessage({ ...message, rejects } satisfies Parsed, moved === undefined ? [] : [moved.buffer as ArrayBuffer])
  rejects = []
  rejectBytes = 0
}

const parser = createParser(
  {
    retentionUs,
    defaultSource: defaultSource === undefined ? undefined : findSource(defaultSource),
    maxLineBytes,
  },
  {
    batch: (batch) => post({ batch }, batch.ipc),
    memory: () => returned.pop(),
    reject(reject) {
      rejects.push(reject)
      rejectBytes += reject.bytes.length
      if (rejectBytes > REJECT_BYTES) post({})
    },
  },
)

/** Rows must not wait long in a stream that trickles, nor must one that has come to rest hold the memory of a flood. */
function startTimer(): void {
  if (timer !== undefined || !parser.needsFlush()) return
  timer = setTimeout(() => {
    timer = undefined
    parser.flush()
    // A stream that does not fill its batches needs no memory for full ones.
    returned.length = 0
    startTimer()
  }, flushIntervalMs)
}

function work({ id, slab, filledBytes, nowUs, then }: Work): void {
  if (slab !== undefined) parser.push(slab.subarray(0, filledBytes), nowUs)
  if (then === 'flush') parser.flush()
  if (then === 'end') parser.end(nowUs)
  post({ done: { id, slab } }, slab)
  startTimer()
}

port.on('message', (message: Work | Returned) => {
  if ('memory' in message) returned.push(message.memory)
  else work(message)
})
