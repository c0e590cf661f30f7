import { parentPort } from 'node:worker_threads'
import { arrayBuffersOf } from '../../../../base/array-buffers.js'
import { createColdTexts } from '../head/texts.js'
import { effortOf, type Patience } from './cancellation.js'
import { type HurriedCold, recompressCold } from './compact.js'
import { type Answer, openRowsArrived, type Piece, type Question, type Recompressed } from './messages.js'
import { type OpenRows, seal } from './seal.js'
import { createSealingMemory } from './sealing-memory.js'

/** The sealing thread: texts and rows of a head in, sealed rows out. Nobody waits for a turn here. */

const port = parentPort!
/** For the texts of one head, and room behind them, where a file is made of them. */
const memory = createSealingMemory()

function take({ piece, at, of }: Piece): Answer {
  memory.growInPlace(of).set(piece.subarray(0, of - at), at)
  return { piece }
}

async function sealRows(message: OpenRows, patience: Patience | undefined): Promise<Answer> {
  const rows = openRowsArrived(message)
  const parts = await seal(
    { ...rows, cold: { ...rows.cold, memory, bytes: memory.growInPlace(0) } },
    (texts, order) => memory.intern(texts, order, rows.cold.usedBytes),
    () => undefined,
    () => effortOf(patience),
  )
  return { parts, keptBytes: memory.byteLength }
}

async function recompress(cold: HurriedCold, patience: Patience): Promise<Recompressed> {
  const workshop = { ...createColdTexts(), memory, bytes: memory.growInPlace(0) }
  const file = await recompressCold(
    cold,
    workshop,
    () => effortOf(patience) === 'high',
    () => undefined,
  )
  return { file, keptBytes: memory.byteLength }
}

async function answerTo(question: Question): Promise<Answer> {
  if ('piece' in question) return take(question)
  if ('rows' in question) return sealRows(question.rows, question.patience)
  return recompress(question.cold, question.patience)
}

port.on('message', async (question: Question) => {
  const answer = await answerTo(question)
  port.postMessage(answer, arrayBuffersOf(answer))
})
