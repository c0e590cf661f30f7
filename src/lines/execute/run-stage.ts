import { availableParallelism } from 'node:os'
import { MIB } from '../../base/units.js'
import type { ScanStage } from '../../engine/execute/stages/stage.js'
import type { Row } from '../../plan/answer.js'
import { type LineSource, TIME_FIELDS } from '../input/line-source.js'
import { bytesOfFiles } from '../input/open.js'
import { type InputBlocks, readBlocks } from '../input/read-blocks.js'
import type { NameCheck } from '../scan/name-check.js'
import type { Report } from '../scan/report.js'
import { canWriteGroups, readGroups, readSortedRows } from './block-result.js'
import type { SortedRow } from './block-rows.js'
import type { BlockRunner } from './block-runner.js'
import { inOrder } from './in-order.js'
import { readsTimes } from './stages.js'
import type { ThreadQuery } from './thread-messages.js'
import { startThreads, type Threads } from './threads.js'

/** The query of threads, without the settings that the first lines decide. */
type InThreads = Omit<ThreadQuery, 'timeField'>

/** The rows that a stage without groups has found in a block. */
export interface BlockOutput {
  /** Rows of an order, or the first rows. */
  sorted?: readonly SortedRow[] | undefined
  /** Rows that pass: in the format of the answer, or as they are, some at a time, to be read before the next block. */
  text?: Uint8Array | undefined
  passing?: AsyncIterable<readonly Row[]> | undefined
}

/** A stage that reads lines, and how to run it. */
export interface StageRun {
  stage: ScanStage
  runner: BlockRunner
  source: LineSource
  /** Undefined: the stage runs in this thread alone. */
  inThreads: InThreads | undefined
  report: Report
  names: NameCheck
}

/** More threads take more memory than they save time: a single thread reads the input. */
const MOST_THREADS = 8

/** Inputs up to this size are read before threads have started. */
const THREAD_BYTES = 8 * MIB

/** Yields the output of a stage for each block, in order. The groups of the runner are complete at the end. */
export async function* runStage(run: StageRun): AsyncGenerator<BlockOutput, void> {
  const { runner, source, report } = run
  let pending = 0
  report.startReading()
  const input = readBlocks(source, () => pending === 0)
  const work = createWork(run, input.reuse)
  const make = (block: Uint8Array<ArrayBuffer>) => {
    pending++
    return work.run(block)
  }
  try {
    for await (const output of inOrder(input.blocks, make, work.most)) {
      yield output
      pending--
    }
    for (const groups of await work.groups()) await runner.groups!.merge(readGroups(groups, runner.groups!.aggregation))
  } finally {
    input.close()
    report.addTooLong(input.tooLong())
    await work.close()
  }
}

/** Runs a stage over blocks, in this thread at first, and then in several. */
function createWork({ stage, runner, source, inThreads, report, names }: StageRun, reuse: InputBlocks['reuse']) {
  const needsTime = readsTimes(stage)
  let timeField = needsTime ? source.timeField : undefined
  let isTimeKnown = !needsTime || timeField !== undefined
  let readBytes = 0
  let threads: Threads | undefined
  const fileBytes = bytesOfFiles(source.paths)
  const canUseThreads =
    inThreads !== undefined && (runner.groups === undefined || canWriteGroups(runner.groups.aggregation))
  runner.scanner.setTimeField(timeField)

  function findTime(block: Uint8Array): void {
    timeField = runner.scanner.timeFieldIn(block, TIME_FIELDS)
    isTimeKnown = timeField !== undefined
    runner.scanner.setTimeField(timeField)
  }

  async function runHere(block: Uint8Array<ArrayBuffer>): Promise<BlockOutput> {
    if (!isTimeKnown) findTime(block)
    const running = runner.run(block)
    // The scanner has copied the lines.
    reuse(block.buffer)
    const { sorted, passing, scanned, ...counts } = await running
    report.add(counts)
    names.look(scanned)
    return { sorted, passing }
  }

  async function runInThreads(block: Uint8Array<ArrayBuffer>): Promise<BlockOutput> {
    const { sorted, text, memory, ...counts } = await threads!.run(block)
    reuse(memory)
    report.add(counts)
    names.look(undefined)
    if (sorted === undefined || stage.sink.op !== 'top') return { text }
    return { sorted: readSortedRows(sorted, stage.sink.keys.length, stage.sink.columns.length) }
  }

  /** Starts threads if there are many lines, in this block or behind. */
  function startIfMany(bytes: number): void {
    if (bytes <= THREAD_BYTES || !canUseThreads || !isTimeKnown) return
    threads ??= startThreads(Math.min(MOST_THREADS, availableParallelism()), { ...inThreads!, timeField })
  }

  return {
    run(block: Uint8Array<ArrayBuffer>): Promise<BlockOutput> {
      readBytes += block.length
      startIfMany(readBytes)
      if (threads !== undefined) return runInThreads(block)
      const output = runHere(block)
      // Threads take some time to start, in which this thread works on.
      startIfMany(fileBytes - readBytes)
      return output
    },
    most: () => threads?.capacity ?? 1,
    groups: async () => (runner.groups === undefined ? [] : ((await threads?.groups()) ?? [])),
    close: async () => threads?.close(),
  }
}
