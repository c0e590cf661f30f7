import { createYielder } from '../base/scheduling/time-slices.js'
import { answerOf } from '../engine/execute/run/answer.js'
import { lastStageOf } from '../engine/execute/run/run-plan.js'
import { columnNames, type ScanStage } from '../engine/execute/stages/stage.js'
import { answerValue, type Row, type Value } from '../plan/answer.js'
import type { Plan } from '../plan/plan.js'
import { createBlockRunner } from './execute/block-runner.js'
import { type Collecting, storedFor } from './execute/collect.js'
import { createRunContext } from './execute/context.js'
import { runStage } from './execute/run-stage.js'
import { afterStage, lineStagesOf, streamedStagesOf } from './execute/stages.js'

/** A query over lines. */
export interface LinesRun extends Collecting {
  plan: Plan
}

/** Rows of an answer: one as it is, or some in the format of the answer. */
export type LinesOutput = { row: Row } | { text: Uint8Array }

/**
 * Runs a plan over lines, and yields the rows. Rows that need no other row are yielded as their lines are read. Throws
 * the errors of inputs and of the query.
 */
export async function* runLines({ plan, ...run }: LinesRun): AsyncGenerator<LinesOutput, void> {
  const context = createRunContext(run.limitBytes, createYielder())
  const found = await lastStageOf(plan, (last) => storedFor(last, run), context)
  if (found === undefined) return
  const { stage } = found
  const streamed = streamedStagesOf(stage)
  if (streamed !== undefined) {
    for (const one of streamed) yield* streamRows(one, run)
    return
  }
  const last = afterStage(stage, lineStagesOf(stage)[0])
  const { rows } = await answerOf(last, await storedFor(last, run), found.context)
  for await (const row of rows) yield { row }
}

/** Yields the rows of a stage that needs no other row than those before, in the order of the lines. */
async function* streamRows(stage: ScanStage, run: Collecting): AsyncGenerator<LinesOutput, void> {
  const { sink } = stage
  if (sink.op !== 'top') throw new TypeError('Groups cannot be streamed.')
  const names = columnNames(stage)
  const runner = createBlockRunner(stage, { limitBytes: run.limitBytes, yieldIfDue: createYielder() })
  let skipped = 0
  let taken = 0
  if (sink.rows === 0) return
  for await (const { text, passing, sorted = [] } of runStage({ ...run, stage, runner })) {
    if (text !== undefined) yield { text }
    if (passing !== undefined) for await (const rows of passing) for (const row of rows) yield { row }
    for (const { values } of sorted) {
      if (taken === sink.rows) break
      if (skipped++ < sink.offset) continue
      taken++
      yield { row: rowOf(names, values.map(answerValue)) }
    }
    if (taken === sink.rows) return
  }
}

/** Returns a row, whatever the names of its columns. */
const rowOf = (names: readonly string[], values: readonly Value[]): Row =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]))
