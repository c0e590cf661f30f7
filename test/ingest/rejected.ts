import type { ParserSink } from '../../src/ingest/lines/record-sink.js'
import { REJECTS_FILE_BYTES, type Reason, type RejectBatch, type Rejects } from '../../src/ingest/rejects.js'
import type { WorkerMessage } from '../../src/ingest/thread/messages.js'
import { createWorkerOutput } from '../../src/ingest/thread/worker-output.js'

/** A rejected line. */
export interface Reject {
  line: number
  reason: Reason
  bytes: Uint8Array
}

/** Returns a receiver of rejects that appends copies to a list. */
export const collectInto =
  (rejects: Reject[]): ParserSink['reject'] =>
  (line, reason, bytes, start, end) =>
    void rejects.push({ line, reason, bytes: bytes.slice(start, end) })

/** Returns the rejects in the entries of a batch. */
const rejectsIn = ({ entries }: RejectBatch): Reject[] =>
  Buffer.from(entries)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((entry) => JSON.parse(entry))
    .map(({ line, reason, text, base64 }) => ({
      line,
      reason,
      bytes: text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text),
    }))

/** Returns a store that appends rejects to a list. */
export const storeInto = (written: Reject[]): Omit<Rejects, 'close'> => ({
  maxEntryBytes: REJECTS_FILE_BYTES,
  write: async (batch) => void written.push(...rejectsIn(batch)),
  erase: async () => 0,
})

/** Returns the batches in which a parsing thread sends rejects. */
export function batchesOf(rejects: readonly Reject[], maxEntryBytes: number): RejectBatch[] {
  const batches: RejectBatch[] = []
  const postMessage = (message: WorkerMessage) => void (message.rejects && batches.push(message.rejects))
  const output = createWorkerOutput({ postMessage }, maxEntryBytes)
  for (const { line, reason, bytes } of rejects) output.reject(line, reason, bytes, 0, bytes.length)
  output.done({ id: 1 })
  return batches
}
