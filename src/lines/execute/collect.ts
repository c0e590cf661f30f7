import { createYielder } from '../../base/scheduling/time-slices.js'
import { computedFrame } from '../../engine/execute/expressions/computed-frame.js'
import type { Frame } from '../../engine/execute/expressions/frame.js'
import { frameOfGroups, statesOf } from '../../engine/execute/grouping/groups.js'
import type { FoundRow } from '../../engine/execute/ordering/output-columns.js'
import { createTop } from '../../engine/execute/ordering/top.js'
import type { StoredRows } from '../../engine/execute/run/run-stage.js'
import { columnNames, type ScanStage, type Stage } from '../../engine/execute/stages/stage.js'
import { createBlockRunner } from './block-runner.js'
import { runStage, type StageRun } from './run-stage.js'
import { kindOf, lineStagesOf } from './stages.js'

/** What the stages of a query share. */
export interface Collecting extends Pick<StageRun, 'source' | 'inThreads' | 'report'> {
  /** The most bytes of groups and of sorted rows. */
  limitBytes: number
}

const NO_KEYS = new Uint8Array(0)

/** Runs all stages before a last stage that read lines, each over all lines, and returns their rows. */
export async function storedFor(last: Stage, run: Collecting): Promise<StoredRows> {
  const frames = new Map<Stage, Frame>()
  for (const stage of lineStagesOf(last)) frames.set(stage, await collect(stage, run))
  return {
    partsOf: () => [],
    readView: () => {
      throw new TypeError('Lines have no views.')
    },
    frameOf: (stage) => frames.get(stage),
  }
}

/** Returns all rows of a stage. */
async function collect(stage: ScanStage, run: Collecting): Promise<Frame> {
  const isCollected = kindOf(stage) === 'rows'
  const { limitBytes } = run
  const runner = createBlockRunner(stage, { limitBytes, yieldIfDue: createYielder(), isCollected })
  const stageRun = { ...run, stage, runner, inThreads: isCollected ? undefined : run.inThreads }
  return runner.groups === undefined ? rowsOf(stageRun, limitBytes) : groupsOf(stageRun)
}

async function groupsOf({ runner, stage, ...run }: StageRun): Promise<Frame> {
  for await (const _ of runStage({ runner, stage, ...run }));
  const { groups, aggregation } = runner.groups!
  const { sink } = stage
  if (sink.op !== 'group') throw new TypeError('Only a stage that groups has groups.')
  if (sink.keys.length === 0 && groups.states.length === 0) statesOf(groups, NO_KEYS, 0, 0, aggregation)
  return frameOfGroups(groups, sink, aggregation)
}

async function rowsOf(run: StageRun, limitBytes: number): Promise<Frame> {
  const { sink } = run.stage
  if (sink.op !== 'top') throw new TypeError('A stage that groups has no first rows.')
  const wanted = sink.rows + sink.offset
  const yieldIfDue = createYielder()
  const top = createTop(sink.keys, wanted, { limitBytes, meter() {} }, undefined)
  let batch = 0
  for await (const { sorted = [] } of runStage(run)) {
    for (const row of sorted)
      if (top.wants(row.keys, batch, row.row) && top.add({ ...row, batch })) await top.cut(yieldIfDue)
    batch++
    if (sink.keys.length === 0 && top.isFull()) break
  }
  await top.cut(yieldIfDue)
  const rows = top.rows().slice(sink.offset)
  return frameOf(sink.isReversed ? rows.reverse() : rows, columnNames(run.stage))
}

const frameOf = (rows: readonly FoundRow[], names: readonly string[]): Frame =>
  computedFrame(rows.length, new Map(names.map((name, i) => [name, rows.map(({ values }) => values[i]!)])))
