import { parentPort } from 'node:worker_threads'
import { memoryOf } from '../../../../base/array-buffers.js'
import { grown } from '../../../../base/room.js'
import { createInterner } from '../../columns/dictionary.js'
import { createColdTexts } from '../texts.js'
import { type Answer, openRowsArrived, type Piece, type Question, type Recompressed } from './messages.js'
import { effortOf, type Patience } from './patience.js'
import { type HurriedCold, recompressCold } from './recompress.js'
import { type OpenRows, seal } from './seal.js'

/** The sealing thread: texts and rows of a head in, sealed rows out. Nobody waits for a turn here. */

const distinct = createInterner()
const port = parentPort!
/** The texts of one head, and room behind them, where a file is made of them. */
let texts = new Uint8Array(0)

function take({ piece, at, of }: Piece): Answer {
  texts = grown(texts, of)
  texts.set(piece.subarray(0, of - at), at)
  return { piece }
}

async function sealRows(message: OpenRows, patience: Patience | undefined): Promise<Answer> {
  const rows = openRowsArrived(message)
  rows.cold.bytes = texts
  const parts = await seal(
    rows,
    distinct,
    () => undefined,
    () => effortOf(patience),
  )
  // It has grown where the file needed more room.
  texts = rows.cold.bytes
  return { parts, keptBytes: keptBytes() }
}

async function recompress(cold: HurriedCold, patience: Patience): Promise<Recompressed> {
  const workshop = { ...createColdTexts(), bytes: texts }
  const file = await recompressCold(
    cold,
    workshop,
    () => effortOf(patience) === 'high',
    () => undefined,
  )
  texts = workshop.bytes
  return { file, keptBytes: keptBytes() }
}

const keptBytes = () => texts.byteLength + distinct.byteLength

async function answerTo(question: Question): Promise<Answer> {
  if ('piece' in question) return take(question)
  if ('rows' in question) return sealRows(question.rows, question.patience)
  return recompress(question.cold, question.patience)
}

port.on('message', async (question: Question) => {
  const answer = await answerTo(question)
  port.postMessage(answer, memoryOf(answer))
})
