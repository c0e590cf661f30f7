import { parentPort, workerData } from 'node:worker_threads'
import { LogweirError } from '../../base/errors.js'
import { acceptSources } from '../../common/sources.js'
import { createThreadNames, type SourceQuestion } from '../names/shared-names.js'
import type {
  BodyWork,
  ChangedLimits,
  ChangedMasking,
  RecycledMemory,
  WorkerOptions,
  WorkerQuestion,
  WorkResult,
} from '../thread/messages.js'
import { receiveLimits } from '../thread/received-limits.js'
import { receiveMasking } from '../thread/received-masking.js'
import { createWorkerOutput } from '../thread/worker-output.js'
import { createBodyParser } from './body.js'

/** The parsing thread of requests: receives whole bodies, and sends batches and rejects. */

const {
  retentionUs,
  limits: shared,
  masking: masks,
  acceptsUnreadableTimes,
  maxLineBytes,
  maxRejectBytes,
  flushIntervalMs,
  names,
} = workerData as WorkerOptions
const limits = receiveLimits(shared)
const masking = masks && receiveMasking(masks)
acceptSources(names.configured)
const port = parentPort!
const ask = (question: SourceQuestion) => port.postMessage({ question } satisfies WorkerQuestion)
const output = createWorkerOutput(port, maxRejectBytes, { masking })
const parser = createBodyParser(
  {
    ...{ retentionUs, limits, acceptsUnreadableTimes, maxLineBytes, names: createThreadNames(names, ask) },
    masker: masking?.masker,
  },
  output,
)
/** Results of bodies parsed since the last flush. The rows may be in batches that are not full. */
let finished: WorkResult[] = []
let timer: NodeJS.Timeout | undefined

/** Parses all bodies received so far before a flush, for larger batches. */
function work(body: BodyWork): void {
  if (finished.length === 0) setImmediate(finish)
  finished.push({ id: body.id, ...outcomeOf(body) })
}

function outcomeOf(body: BodyWork): Partial<WorkResult> {
  try {
    return { taken: parser.parse(body, body.nowUs) }
  } catch (error) {
    if (error instanceof LogweirError) return { refused: { code: error.code, message: error.message } }
    throw error
  }
}

function finish(): void {
  parser.flush()
  for (const done of finished) output.done(done)
  finished = []
  startTimer()
}

/** Frees memory if no more bodies are received. */
function startTimer(): void {
  if (timer !== undefined) return
  timer = setTimeout(() => {
    timer = undefined
    parser.releaseIdle()
    if (parser.holdsLargeMemory()) startTimer()
    else output.releaseMemory()
  }, flushIntervalMs)
}

port.on('message', (message: BodyWork | RecycledMemory | ChangedLimits | ChangedMasking) => {
  if ('limits' in message) limits.replace(message.limits)
  else if ('masking' in message) masking?.replace(message.masking)
  else if ('memory' in message) {
    output.recycle(message.memory)
    startTimer()
  } else work(message)
})
