import { createYielder } from '../../base/scheduling/time-slices.js'
import type { Frame } from '../../engine/execute/expressions/frame.js'
import type { StoredRows } from '../../engine/execute/run/run-stage.js'
import type { ScanStage, Stage } from '../../engine/execute/stages/stage.js'
import { createBlockRunner } from './block-runner.js'
import { createCollector } from './collector.js'
import { storedLines } from './context.js'
import { runStage, type StageRun } from './run-stage.js'
import { kindOf, lineStagesOf } from './stages.js'

/** The part of a run that all stages of a query share. */
export interface Collecting extends Pick<StageRun, 'source' | 'inThreads' | 'report' | 'names'> {
  /** The most bytes of groups and of sorted rows. */
  limitBytes: number
}

/** Runs all stages before a last stage that read lines, each over all lines, and returns their rows. */
export async function storedFor(last: Stage, run: Collecting): Promise<StoredRows> {
  const frames = new Map<Stage, Frame>()
  for (const stage of lineStagesOf(last)) frames.set(stage, await collect(stage, run))
  return storedLines([], (stage) => frames.get(stage))
}

/** Returns all rows of a stage. */
async function collect(stage: ScanStage, run: Collecting): Promise<Frame> {
  const isCollected = kindOf(stage) === 'rows'
  const options = { limitBytes: run.limitBytes, yieldIfDue: createYielder() }
  const runner = createBlockRunner(stage, { ...options, isCollected })
  const collector = createCollector(stage, runner.groups, options)
  const inThreads = isCollected ? undefined : run.inThreads
  for await (const found of runStage({ ...run, stage, runner, inThreads })) {
    await collector.add(found)
    if (collector.isComplete()) break
  }
  return collector.frame()
}
