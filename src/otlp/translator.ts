import { LogweirError } from '../base/errors.js'
import { createRequestThread } from '../base/request-thread.js'
import { MIB } from '../base/units.js'
import { LINES_LIMITS, type LinesLimits } from './lines.js'
import type { Encoding } from './translate.js'
import type { Answer, Question } from './worker.js'

/** Makes NDJSON of OTLP requests, one after the other. */
export interface Translator {
  /**
   * The records of an ExportLogsServiceRequest as lines. Throws `invalid_body` and `body_too_large`; any other error says
   * that the thread has died, and the next request gets a new one.
   */
  translate(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array>
  /** Stops at once; what has not been translated never is. */
  close(): Promise<void>
}

export interface TranslatorLimits extends LinesLimits {
  /** What the objects of one request may take: that of the largest body takes half of it. */
  heapBytes: number
}

export const TRANSLATOR_LIMITS: TranslatorLimits = { ...LINES_LIMITS, heapBytes: 256 * MIB }

/**
 * Requests are read in a thread of their own, since a large one takes a tenth of a second and more without a break; it
 * starts with the first of them.
 */
export function createTranslator(limits = TRANSLATOR_LIMITS): Translator {
  const thread = createRequestThread<Question, Answer>(new URL('./worker.js', import.meta.url), {
    workerData: limits,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapBytes / MIB },
  })
  let isClosed = false

  return {
    async translate(bytes, encoding) {
      if (isClosed) throw closing()
      const answer = await thread.request({ bytes, encoding }).catch((error) => {
        throw isClosed ? closing() : deathOf(error)
      })
      if ('lines' in answer) return answer.lines
      throw new LogweirError(answer.code, answer.message)
    },
    close() {
      isClosed = true
      return thread.terminate()
    },
  }
}

const closing = () => new Error('The service stops: nothing is translated any more.')

/** A request that takes all the memory would do so again. */
function deathOf(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return new Error(`The translating thread failed: ${error.message}`)
  return new LogweirError(
    'body_too_large',
    'The body takes too much memory when it is read. Nothing of it was taken. Send smaller batches.',
  )
}
