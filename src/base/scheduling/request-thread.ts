import type { ResourceLimits, Worker } from 'node:worker_threads'
import { startThread } from '../program-files.js'
import { createSerialQueue } from './serial-queue.js'

/**
 * A worker thread that answers a single request at a time: the script of the thread receives each request as a message
 * and posts an answer. The thread starts with the first request, and starts again with the next request after it died
 * or was terminated.
 */
export interface RequestThread<Question, Answer> {
  /** Resolves with the answer. Rejects if the thread dies first. The memory in `moved` is transferred to the thread. */
  request(question: Question, moved?: readonly ArrayBuffer[]): Promise<Answer>
  /** Terminates the thread at once. All pending requests are rejected. */
  terminate(): Promise<void>
}

/** Options of the worker thread. */
export interface RequestThreadOptions {
  /** Available to the script as `workerData`. */
  workerData?: unknown
  resourceLimits?: ResourceLimits
}

interface Pending<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Returns a client of the script at a URL. No thread starts before the first request. */
export function createRequestThread<Question, Answer>(
  script: URL,
  options: RequestThreadOptions = {},
): RequestThread<Question, Answer> {
  const queue = createSerialQueue()
  let worker: Worker | undefined
  let pending: Pending<Answer> | undefined
  let terminations = 0

  function startWorker(): Worker {
    const started = startThread(script, options)
    const onEnd = (error: Error) => {
      if (worker !== started) return
      worker = undefined
      pending?.reject(error)
    }
    started.on('message', (answer: Answer) => {
      if (worker === started) pending?.resolve(answer)
    })
    started.on('error', onEnd)
    started.on('exit', (code) => onEnd(new Error(`The thread stopped by itself, with code ${code}.`)))
    return started
  }

  return {
    request(question, moved = []) {
      const terminationsBefore = terminations
      return queue.run(async () => {
        if (terminations !== terminationsBefore) throw terminatedError()
        worker ??= startWorker()
        worker.postMessage(question, moved)
        return new Promise<Answer>((resolve, reject) => void (pending = { resolve, reject }))
      })
    },
    async terminate() {
      terminations++
      const terminated = worker
      worker = undefined
      pending?.reject(terminatedError())
      await terminated?.terminate()
    },
  }
}

const terminatedError = () => new Error('The thread was ended.')
