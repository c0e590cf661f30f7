import { parentPort } from 'node:worker_threads'
import { arrayBuffersOf } from '../../../base/memory/array-buffers.js'
import { runInBackground } from '../../../base/process/thread-priority.js'
import { createColdTexts } from '../../execute/open-batch/texts.js'
import { type CancellationFlag, effortOf } from './cancellation.js'
import { compactCold, type StoredCold } from './compact.js'
import { keepRows, type RowsToKeep } from './keep-rows.js'
import {
  type Answer,
  type Compacted,
  type MadePathColumns,
  type Question,
  restoreOpenRows,
  restoreRowsToKeep,
  type TextChunk,
} from './messages.js'
import { pathColumnsOfCold } from './path-columns-of-cold.js'
import { type OpenRows, seal } from './seal.js'
import { createSealingMemory } from './sealing-memory.js'

// The script of the sealing thread: receives the texts and rows of a head, posts sealed rows. The script never yields,
// since nothing else runs on this thread. Parsing and queries go first: rows that are not sealed yet can be read as
// well.

runInBackground()
const port = parentPort!
/** The texts of a head, followed by the workspace in which the cold file is made. */
const memory = createSealingMemory()

function storeChunk({ chunk, bytes, at, totalBytes }: TextChunk): Answer {
  memory.growInPlace(totalBytes).set(chunk.subarray(0, bytes), at)
  return { chunk }
}

async function sealRows(message: OpenRows, cancellation: CancellationFlag | undefined): Promise<Answer> {
  const rows = restoreOpenRows(message)
  const parts = await seal(
    { ...rows, cold: { ...rows.cold, memory, bytes: memory.growInPlace(0) } },
    (texts, order) => memory.intern(texts, order, rows.cold.usedBytes),
    () => undefined,
    () => effortOf(cancellation),
  )
  return { parts, memoryBytes: memory.byteLength }
}

async function compact(cold: StoredCold, cancellation: CancellationFlag): Promise<Compacted> {
  const workspace = { ...createColdTexts(), memory, bytes: memory.growInPlace(0) }
  const file = await compactCold(
    cold,
    workspace,
    () => effortOf(cancellation) === 'high',
    () => undefined,
  )
  return { file, memoryBytes: memory.byteLength }
}

async function makeColumns(cold: StoredCold, cancellation: CancellationFlag): Promise<MadePathColumns> {
  const content = await pathColumnsOfCold(
    cold,
    () => effortOf(cancellation) === 'high',
    () => undefined,
  )
  return { content, memoryBytes: memory.byteLength }
}

async function sealKept(message: RowsToKeep): Promise<Answer> {
  const texts = { ...createColdTexts(), memory, bytes: memory.growInPlace(0) }
  const part = await keepRows(
    restoreRowsToKeep(message),
    texts,
    (interned, order) => memory.intern(interned, order, texts.usedBytes),
    () => undefined,
  )
  return { parts: [part], memoryBytes: memory.byteLength }
}

async function answerTo(question: Question): Promise<Answer> {
  if ('chunk' in question) return storeChunk(question)
  if ('toKeep' in question) return sealKept(question.toKeep)
  if ('rows' in question) return sealRows(question.rows, question.cancellation)
  const { cold, cancellation, work } = question
  return work === 'compact' ? compact(cold, cancellation) : makeColumns(cold, cancellation)
}

port.on('message', async (question: Question) => {
  const answer = await answerTo(question)
  port.postMessage(answer, arrayBuffersOf(answer))
})
