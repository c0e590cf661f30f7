import { parentPort, workerData } from 'node:worker_threads'
import { LogweirError } from '../base/errors.js'
import type { LinesLimits, SourceAttribute } from './lines.js'
import { type Encoding, translate } from './translate.js'

/** The translating thread. The memory of the lines is transferred, not copied, to the main thread. */

/** A request to the thread. */
export interface TranslateRequest {
  bytes: Uint8Array
  encoding: Encoding
}

/** The settings of the thread, passed at its start. */
export interface TranslatorData {
  limits: LinesLimits
  source: SourceAttribute | undefined
}

/** The lines as NDJSON, or code and message of a LogweirError. */
export type TranslateReply = { lines: Uint8Array<ArrayBuffer> } | { code: string; message: string }

const port = parentPort!
const { limits, source } = workerData as TranslatorData

function replyTo({ bytes, encoding }: TranslateRequest): TranslateReply {
  try {
    return { lines: translate(bytes, encoding, limits, source) }
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    return { code: error.code, message: error.message }
  }
}

port.on('message', (request: TranslateRequest) => {
  const reply = replyTo(request)
  port.postMessage(reply, 'lines' in reply ? [reply.lines.buffer] : [])
})
