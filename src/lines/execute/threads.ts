import type { Worker } from 'node:worker_threads'
import { LogweirError } from '../../base/errors.js'
import { THREAD_HEAP } from '../../base/process/heap.js'
import { startThread } from '../../base/program-files.js'
import type { BlockResult } from './block-result.js'
import type { ThreadAnswer, ThreadQuery, ThreadWork } from './thread-messages.js'

/** Threads that run the stage of a query over blocks. */
export interface Threads {
  /** The number of blocks that keep all threads busy. */
  readonly capacity: number
  /** Runs the stage over a block, which is moved to a thread. Rejects with the errors of the query. */
  run(block: Uint8Array<ArrayBuffer>): Promise<BlockResult>
  /** Returns the groups of all threads, each as bytes of `writeGroups`. */
  groups(): Promise<Uint8Array<ArrayBuffer>[]>
  close(): Promise<void>
}

/** Blocks of a thread: the one that is worked on, and the next. */
const BLOCKS_A_THREAD = 2

/** Starts so many threads, each of which compiles the query. */
export function startThreads(count: number, query: ThreadQuery): Threads {
  const threads = Array.from({ length: count }, () => startOne(query))
  const least = () => threads.reduce((one, other) => (other.pending() < one.pending() ? other : one))
  return {
    capacity: count * BLOCKS_A_THREAD,
    async run(block) {
      const answer = await least().send({ block }, [block.buffer])
      return (answer as { result: BlockResult }).result
    },
    groups: () =>
      Promise.all(
        threads.map(async ({ send }) => {
          const answer = await send({ end: true }, [])
          return (answer as { groups: Uint8Array<ArrayBuffer> }).groups
        }),
      ),
    async close() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

interface Waiting {
  resolve(answer: ThreadAnswer): void
  reject(error: Error): void
}

/** Starts a thread, which answers in the order of its work. */
function startOne(query: ThreadQuery) {
  const worker: Worker = startThread(new URL('./thread.js', import.meta.url), {
    workerData: query,
    resourceLimits: THREAD_HEAP,
  })
  const waiting: Waiting[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('A thread stopped by itself.')))
  worker.on('message', (answer: ThreadAnswer) => {
    const { resolve, reject } = waiting.shift()!
    if (!('failure' in answer)) return resolve(answer)
    const { code, message } = answer.failure
    reject(code === undefined ? new Error(message) : new LogweirError(code, message))
  })
  return {
    worker,
    pending: () => waiting.length,
    send: (work: ThreadWork, moved: ArrayBuffer[]) =>
      new Promise<ThreadAnswer>((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        waiting.push({ resolve, reject })
        worker.postMessage(work, moved)
      }),
  }
}
