import { parentPort, workerData } from 'node:worker_threads'
import { acceptSources, nameOfSource } from '../../common/sources.js'
import { createThreadNames, type SourceQuestion } from '../names/shared-names.js'
import type {
  ChangedLimits,
  ChangedMasking,
  RecycledMemory,
  StreamWork,
  WorkerOptions,
  WorkerQuestion,
} from '../thread/messages.js'
import { receiveLimits } from '../thread/received-limits.js'
import { receiveMasking } from '../thread/received-masking.js'
import { createWorkerOutput } from '../thread/worker-output.js'
import { createParser } from './parse.js'
import { readFile } from './read-file.js'

/** The parsing thread of a stream: receives chunks or reads a file, and sends batches and rejects. */

const {
  defaults,
  flushIntervalMs,
  limits: shared,
  masking: masks,
  maxRejectBytes,
  names,
  ...options
} = workerData as WorkerOptions
const limits = receiveLimits(shared)
const masking = masks && receiveMasking(masks)
acceptSources(names.configured)
const port = parentPort!
const ask = (question: SourceQuestion) => port.postMessage({ question } satisfies WorkerQuestion)
const output = createWorkerOutput(port, maxRejectBytes, {
  linesBefore: () => parser.flushedLines(),
  masking,
})
const source = defaults?.source && nameOfSource(defaults.source)
const parser = createParser(
  {
    ...options,
    limits,
    defaults: { ...defaults, source },
    masker: masking?.masker,
    names: createThreadNames(names, ask),
  },
  output,
)
let timer: NodeJS.Timeout | undefined

/**
 * Flushes at intervals: rows of a slow stream must not wait, and an idle stream must not keep the memory of a flood.
 */
function startTimer(): void {
  if (timer !== undefined || !(parser.needsFlush() || output.holdsMemory())) return
  timer = setTimeout(() => {
    timer = undefined
    parser.flush()
    if (!parser.holdsLargeMemory()) output.releaseMemory()
    startTimer()
  }, flushIntervalMs)
}

function work({ id, buffer, filledBytes, file, nowUs, then }: StreamWork): void {
  if (buffer !== undefined) parser.push(buffer.subarray(0, filledBytes), nowUs)
  const read = file && readFile(file, (into) => parser.fill(into, nowUs))
  if (then === 'flush') parser.flush()
  if (then === 'end') parser.end(nowUs)
  output.done({ id, buffer, read })
  startTimer()
}

port.on('message', (message: StreamWork | RecycledMemory | ChangedLimits | ChangedMasking) => {
  if ('limits' in message) limits.replace(message.limits)
  else if ('masking' in message) masking?.replace(message.masking)
  else if ('memory' in message) {
    output.recycle(message.memory)
    startTimer()
  } else work(message)
})
