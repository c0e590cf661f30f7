import { parentPort, workerData } from 'node:worker_threads'
import { LogweirError } from '../base/errors.js'
import type { LinesLimits } from './lines.js'
import { type Encoding, translate } from './translate.js'

/** The translating thread: requests in, lines out, whose memory moves with the messages. */

export interface Question {
  bytes: Uint8Array
  encoding: Encoding
}

/** The lines, or why there are none. */
export type Answer = { lines: Uint8Array<ArrayBuffer> } | { code: string; message: string }

const port = parentPort!

function answerTo({ bytes, encoding }: Question): Answer {
  try {
    return { lines: translate(bytes, encoding, workerData as LinesLimits) }
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    return { code: error.code, message: error.message }
  }
}

port.on('message', (question: Question) => {
  const answer = answerTo(question)
  port.postMessage(answer, 'lines' in answer ? [answer.lines.buffer] : [])
})
