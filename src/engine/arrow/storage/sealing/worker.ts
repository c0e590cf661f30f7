import { parentPort } from 'node:worker_threads'
import { arrayBuffersOf } from '../../../../base/array-buffers.js'
import { createColdTexts } from '../head/texts.js'
import { type CancellationFlag, effortOf } from './cancellation.js'
import { compactCold, type UncompactedCold } from './compact.js'
import { type Answer, type Compacted, type Question, restoreOpenRows, type TextChunk } from './messages.js'
import { type OpenRows, seal } from './seal.js'
import { createSealingMemory } from './sealing-memory.js'

/** The sealing thread: texts and rows of a head in, sealed rows out. Nobody waits for a turn here. */

const port = parentPort!
/** For the texts of one head, and room behind them, where a file is made of them. */
const memory = createSealingMemory()

function take({ piece, at, of }: TextChunk): Answer {
  memory.growInPlace(of).set(piece.subarray(0, of - at), at)
  return { piece }
}

async function sealRows(message: OpenRows, cancellation: CancellationFlag | undefined): Promise<Answer> {
  const rows = restoreOpenRows(message)
  const parts = await seal(
    { ...rows, cold: { ...rows.cold, memory, bytes: memory.growInPlace(0) } },
    (texts, order) => memory.intern(texts, order, rows.cold.usedBytes),
    () => undefined,
    () => effortOf(cancellation),
  )
  return { parts, keptBytes: memory.byteLength }
}

async function compact(cold: UncompactedCold, cancellation: CancellationFlag): Promise<Compacted> {
  const workshop = { ...createColdTexts(), memory, bytes: memory.growInPlace(0) }
  const file = await compactCold(
    cold,
    workshop,
    () => effortOf(cancellation) === 'high',
    () => undefined,
  )
  return { file, keptBytes: memory.byteLength }
}

async function answerTo(question: Question): Promise<Answer> {
  if ('piece' in question) return take(question)
  if ('rows' in question) return sealRows(question.rows, question.cancellation)
  return compact(question.cold, question.cancellation)
}

port.on('message', async (question: Question) => {
  const answer = await answerTo(question)
  port.postMessage(answer, arrayBuffersOf(answer))
})
