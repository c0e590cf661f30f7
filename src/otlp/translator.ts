import { LogweirError } from '../base/errors.js'
import { createRequestThread } from '../base/scheduling/request-thread.js'
import { MIB } from '../base/units.js'
import { LINES_LIMITS, type LinesLimits, type SourceAttribute } from './lines.js'
import type { Encoding } from './translate.js'
import type { TranslateReply, TranslateRequest, TranslatorData } from './worker.js'

/** Translates OTLP requests to NDJSON on a separate thread, a request at a time. */
export interface Translator {
  /**
   * Returns the records of an ExportLogsServiceRequest as lines of NDJSON. Rejects with `invalid_body` or
   * `body_too_large`, or with any other error if the thread has died. The next request then starts a new thread.
   */
  translate(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array>
  /** Ends the thread at once. Pending requests reject. */
  close(): Promise<void>
}

/** Limits of a request. */
export interface TranslatorLimits extends LinesLimits {
  /** Heap of the thread. The objects of the largest body need half of the default. */
  heapBytes: number
}

/** The limits in production. Tests pass smaller limits. */
export const TRANSLATOR_LIMITS: TranslatorLimits = { ...LINES_LIMITS, heapBytes: 256 * MIB }

/**
 * Creates a translator. The translator has a separate thread, because a large request takes 0.1 s and more without a
 * pause. The thread starts with the first request. `source`: the attribute of a resource that can name the source.
 */
export function createTranslator(limits = TRANSLATOR_LIMITS, source?: SourceAttribute): Translator {
  const thread = createRequestThread<TranslateRequest, TranslateReply>(new URL('./worker.js', import.meta.url), {
    workerData: { limits, source } satisfies TranslatorData,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapBytes / MIB },
  })
  let isClosed = false

  return {
    async translate(bytes, encoding) {
      if (isClosed) throw closedError()
      const reply = await thread.request({ bytes, encoding }).catch((error) => {
        throw isClosed ? closedError() : threadError(error)
      })
      if ('lines' in reply) return reply.lines
      throw new LogweirError(reply.code, reply.message)
    },
    close() {
      isClosed = true
      return thread.terminate()
    },
  }
}

const closedError = () => new Error('The service is stopping and translates no more requests.')

/** A request that exhausted the heap gets a client error, because a retry would fail again. */
function threadError(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return new Error(`The translating thread failed: ${error.message}`)
  return new LogweirError(
    'body_too_large',
    'Reading the body takes too much memory. Nothing of it was taken. Send smaller batches.',
  )
}
