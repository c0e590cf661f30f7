import { type ResourceLimits, Worker } from 'node:worker_threads'
import { createSerialQueue } from './serial-queue.js'

/**
 * A thread that answers questions, one after the other: its script takes each as a message and posts one answer. It starts
 * with the first question, and anew with the next one after it has died or was ended.
 */
export interface RequestThread<Question, Answer> {
  /** Rejects where the thread dies over it. The memory `moved` is the thread's from the moment when it is asked. */
  ask(question: Question, moved?: readonly ArrayBuffer[]): Promise<Answer>
  /** Ends it at once; all that it has been asked is rejected. */
  end(): Promise<void>
}

export interface RequestThreadOptions {
  /** What the script finds in `workerData`. */
  workerData?: unknown
  resourceLimits?: ResourceLimits
}

interface Waiting<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

export function createRequestThread<Question, Answer>(
  script: URL,
  options: RequestThreadOptions = {},
): RequestThread<Question, Answer> {
  const queue = createSerialQueue()
  let worker: Worker | undefined
  let waiting: Waiting<Answer> | undefined
  /** How often it was ended. */
  let ends = 0

  function startWorker(): Worker {
    const started = new Worker(script, options)
    const ended = (error: Error) => {
      if (worker !== started) return
      worker = undefined
      waiting?.reject(error)
    }
    started.on('message', (answer: Answer) => {
      if (worker === started) waiting?.resolve(answer)
    })
    started.on('error', ended)
    started.on('exit', (code) => ended(new Error(`The thread stopped by itself, with code ${code}.`)))
    return started
  }

  return {
    ask(question, moved = []) {
      const endsBefore = ends
      return queue.run(async () => {
        if (ends !== endsBefore) throw wasEnded()
        worker ??= startWorker()
        worker.postMessage(question, moved)
        return new Promise<Answer>((resolve, reject) => void (waiting = { resolve, reject }))
      })
    },
    async end() {
      ends++
      const ending = worker
      worker = undefined
      waiting?.reject(wasEnded())
      await ending?.terminate()
    },
  }
}

const wasEnded = () => new Error('The thread was ended.')
