import { parentPort, workerData } from 'node:worker_threads'
import { findSource } from '../../sources.js'
import type { Returned, Work, WorkerOptions } from '../thread/messages.js'
import { createOutbox } from '../thread/outbox.js'
import { createParser } from './parse.js'
import { readFile } from './read-file.js'

/** The parsing thread of a stream: chunks in, or what it reads of a file, batches and rejects out. */

const { defaults, flushIntervalMs, ...options } = workerData as WorkerOptions
const port = parentPort!
const outbox = createOutbox(port)
const source = defaults?.source === undefined ? undefined : findSource(defaults.source)
const parser = createParser({ ...options, defaults: { ...defaults, source } }, outbox)
let timer: NodeJS.Timeout | undefined

/** Rows must not wait long in a stream that trickles, nor must one that has come to rest hold the memory of a flood. */
function startTimer(): void {
  if (timer !== undefined || !parser.needsFlush()) return
  timer = setTimeout(() => {
    timer = undefined
    parser.flush()
    if (!parser.holdsMuch()) outbox.dropMemory()
    startTimer()
  }, flushIntervalMs)
}

function work({ id, slab, filledBytes, file, nowUs, then }: Work): void {
  if (slab !== undefined) parser.push(slab.subarray(0, filledBytes), nowUs)
  const read = file && readFile(file, (into) => parser.fill(into, nowUs))
  if (then === 'flush') parser.flush()
  if (then === 'end') parser.end(nowUs)
  outbox.done({ id, slab, read })
  startTimer()
}

port.on('message', (message: Work | Returned) => {
  if ('memory' in message) outbox.keepMemory(message.memory)
  else work(message)
})
