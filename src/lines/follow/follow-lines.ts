import type { RunContext } from '../../engine/execute/batches/lazy-batch.js'
import type { Frame } from '../../engine/execute/expressions/frame.js'
import type { GroupSink } from '../../engine/execute/grouping/sink.js'
import { answerOf } from '../../engine/execute/run/answer.js'
import type { ScanStage, Stage } from '../../engine/execute/stages/stage.js'
import type { Row } from '../../plan/answer.js'
import { createBlockRunner } from '../execute/block-runner.js'
import type { Collecting } from '../execute/collect.js'
import { createCollector } from '../execute/collector.js'
import { createRunContext, storedLines } from '../execute/context.js'
import { runStage } from '../execute/run-stage.js'
import { afterStage } from '../execute/stages.js'
import { takeBuckets } from './follow-buckets.js'
import { createLateLines } from './late-lines.js'
import { type TimeBucket, timeBucketOf } from './time-bucket.js'

/** A query over lines with a last stage that needs the rows of its only stage that reads lines. */
export interface Following extends Omit<Collecting, 'inThreads'> {
  /** The last stage, and the stage that reads lines. */
  last: Stage
  stage: ScanStage
  /** How much later than its time a line may come. */
  lateUs: number
}

/** Blocks are short, and nothing else runs in this process: a block is never interrupted. */
const NEVER = () => undefined

/**
 * Returns the key that cuts time, if the rows of each bucket can be printed by themselves: nothing groups or limits
 * groups behind.
 */
export function bucketToFollow({ last, stage }: Pick<Following, 'last' | 'stage'>): TimeBucket | undefined {
  const { sink } = stage
  if (sink.op !== 'group') return undefined
  for (let one = last; one !== stage; ) {
    const { input } = one
    if (input.op !== 'stage' || one.sink.op !== 'top' || one.sink.rows !== Number.POSITIVE_INFINITY) return undefined
    one = input.stage
  }
  return timeBucketOf(sink)
}

/** Yields the rows of each bucket once, when it is over, and at the end the rows of all others. */
export async function* followBuckets(following: Following, bucket: TimeBucket): AsyncGenerator<Row, void> {
  const { stage, limitBytes, lateUs, report } = following
  const sink = stage.sink as GroupSink
  const context = createRunContext(limitBytes, NEVER)
  const lateLines = createLateLines(bucket, lateUs)
  const runner = createBlockRunner(stage, { limitBytes, yieldIfDue: NEVER, admit: lateLines.admit })
  const taken = (beforeUs: number) => takeBuckets(runner.groups!, sink, bucket, beforeUs)
  try {
    for await (const _ of runStage({ ...following, runner, inThreads: undefined }))
      for (const frame of taken(lateLines.overUs())) yield* answer(frame, following, context)
    for (const frame of taken(Number.POSITIVE_INFINITY)) yield* answer(frame, following, context)
  } finally {
    report.addLate(lateLines.late())
  }
}

/** Yields all rows of the answer at most every so often while lines come, if lines have come since, and at the end. */
export async function* followAnswer(following: Following, everyMs: number): AsyncGenerator<Row[], void> {
  const { stage, limitBytes } = following
  const context = createRunContext(limitBytes, NEVER)
  const options = { limitBytes, yieldIfDue: NEVER }
  const runner = createBlockRunner(stage, { ...options, isCollected: true })
  const collector = createCollector(stage, runner.groups, options)
  const blocks = runStage({ ...following, runner, inThreads: undefined })
  const rows = async () => {
    const all: Row[] = []
    for await (const row of answer(await collector.frame(), following, context)) all.push(row)
    return all
  }
  let next = blocks.next()
  let isChanged = false
  let tick = startTick(everyMs)
  try {
    for (;;) {
      const block = await Promise.race([next, tick.due])
      if (block === undefined) {
        if (isChanged) yield await rows()
        isChanged = false
        tick = startTick(everyMs)
      } else if (block.done) break
      else {
        await collector.add(block.value)
        isChanged = true
        if (collector.isComplete()) break
        next = blocks.next()
      }
    }
    yield await rows()
  } finally {
    tick.stop()
    await blocks.return()
  }
}

/** Yields the rows of a query, given the rows of the stage that reads lines. */
async function* answer(frame: Frame, { last, stage }: Following, context: RunContext): AsyncGenerator<Row, void> {
  const { rows } = await answerOf(
    afterStage(last, stage),
    storedLines([], (one) => (one === stage ? frame : undefined)),
    context,
  )
  yield* rows
}

function startTick(afterMs: number) {
  let timer: NodeJS.Timeout | undefined
  const due = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), afterMs)
  })
  return { due, stop: () => clearTimeout(timer) }
}
