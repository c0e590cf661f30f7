import { parentPort, workerData } from 'node:worker_threads'
import { LogweirError } from '../../base/errors.js'
import { arrayBuffersOf } from '../../base/memory/array-buffers.js'
import { answerColumns, type Row } from '../../plan/answer.js'
import { type BlockResult, writeGroups, writeSortedRows } from './block-result.js'
import { createBlockRunner } from './block-runner.js'
import { compileLines } from './compile.js'
import { encodingOf } from './formats.js'
import type { ThreadAnswer, ThreadQuery, ThreadWork } from './thread-messages.js'

/** A thread that runs the stage of a query over blocks of lines. */

const { sql, nowUs, timeField, limitBytes, format } = workerData as ThreadQuery
const port = parentPort!
const { plan, stage } = compileLines(sql, nowUs)
const runner = createBlockRunner(stage!, { limitBytes, yieldIfDue: () => undefined })
runner.scanner.setTimeField(timeField)
const encoder = (await encodingOf(format)).encoder(answerColumns(plan))

async function textOf(passing: AsyncIterable<readonly Row[]>): Promise<Pick<BlockResult, 'text'>> {
  let text = ''
  for await (const rows of passing) for (const row of rows) text += encoder.row(row)
  return { text: new Uint8Array(Buffer.from(text)) }
}

async function answerTo(work: ThreadWork): Promise<ThreadAnswer> {
  if (!('block' in work)) return { groups: writeGroups(runner.groups!.groups, runner.groups!.aggregation) }
  const { sorted, passing, scanned: _, ...counts } = await runner.run(work.block)
  return {
    result: {
      memory: work.block.buffer,
      ...counts,
      ...(sorted && { sorted: writeSortedRows(sorted) }),
      ...(passing && (await textOf(passing))),
    },
  }
}

function failureOf(error: unknown): ThreadAnswer {
  const { message } = error as Error
  return { failure: { code: error instanceof LogweirError ? error.code : undefined, message } }
}

async function run(work: ThreadWork): Promise<void> {
  const answer = await answerTo(work).catch(failureOf)
  port.postMessage(answer, 'result' in answer ? [answer.result.memory, ...arrayBuffersOf(answer)] : [])
}

// A block ends before the next begins.
let before = Promise.resolve()
port.on('message', (work: ThreadWork) => {
  before = before.then(() => run(work))
})
