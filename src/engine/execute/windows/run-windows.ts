import { LogweirError } from '../../../base/errors.js'
import { DAY_US } from '../../../base/units.js'
import { tooManyGroups } from '../../engine.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { overlaps } from '../columns/batch.js'
import { entryOf } from '../columns/dictionary.js'
import type { Frame } from '../expressions/frame.js'
import { createAggregation, createStates } from '../grouping/aggregate.js'
import { fold } from '../grouping/fold.js'
import { createGroups, frameOfStates, type Grouping, type Groups } from '../grouping/groups.js'
import { type GroupSink, groupExpressions } from '../grouping/sink.js'
import { answerOf, type RunResult } from '../run/answer.js'
import { batchesOf, type StoredRows } from '../run/run-stage.js'
import { isStoredNumber } from '../stages/source-kinds.js'
import type { ScanStage, Stage } from '../stages/stage.js'
import { type MergedGroups, PieceGroups } from './piece-groups.js'
import { cutTime, type TimeCuts, type Windows } from './time-cuts.js'

/** A stage that groups the stored rows of a scan. */
export type GroupStage = ScanStage & { sink: GroupSink }

/**
 * Returns the stage of a plan that groups the rows of its only scan. Undefined if the rows of the scan are not grouped,
 * or go through an unnest before.
 */
export function groupStageOf(last: Stage): GroupStage | undefined {
  let stage = last
  while (stage.input.op === 'stage') stage = stage.input.stage
  const { input, sink, steps } = stage
  const isGrouping = input.op === 'scan' && sink.op === 'group' && steps.every(({ op }) => op === 'filter')
  return isGrouping ? (stage as GroupStage) : undefined
}

/** The plan, cut into stages, and the windows of its scan. */
export interface WindowRun {
  last: Stage
  /** See {@link groupStageOf}. The range of the scan includes all windows. */
  group: GroupStage
  windows: Windows
  /** Returns the stored rows. Called again if damage is found. */
  stored: () => StoredRows
  /** Runs the function until no damage is found. */
  pastDamage<T>(read: () => Promise<T>): Promise<T>
  context: RunContext
}

/**
 * Runs a plan for each window, in order. Stored rows are grouped once, by pieces of time. Yields for each window a
 * function that computes the answer, to be called before the next window. The function rejects with the errors of the
 * operators behind the grouping, and with `too_many_groups`. The generator throws the errors of the grouping.
 */
export async function* runWindows(run: WindowRun): AsyncGenerator<() => Promise<RunResult>, void> {
  const { windows } = run
  const cuts = cutTime(windows)
  const grouping = groupingOf(run, cuts)
  const pieces = new PieceGroups(grouping.aggregation, run.context)
  const load = createLoader(run, cuts, grouping, pieces)
  for (let window = 0; window < windows.count; window++) {
    const { from, to } = cuts.piecesOf(window)
    pieces.dropBefore(from)
    await load(from, to)
    await run.context.yieldIfDue()
    yield async () => answerOfGroups(run, frameOf(await pieces.merged(from, to), pieces, grouping))
  }
}

function groupingOf({ group, context }: WindowRun, { bucket }: TimeCuts): Grouping {
  const { sink, input } = group
  const aggregation = createAggregation(sink.aggregates, isStoredNumber(input))
  // Groups of pieces are many and small: only their memory counts.
  const limits = { ...context.limits, groups: Number.POSITIVE_INFINITY }
  return {
    sink,
    expressions: groupExpressions(sink),
    keyOf: (rows) => rows,
    aggregation,
    context: { ...context, limits },
    cut: bucket,
    meter() {},
  }
}

/**
 * Returns a function that reads the rows of pieces that were not read before, about a day ahead, or as many as the
 * memory holds.
 */
function createLoader(run: WindowRun, cuts: TimeCuts, grouping: Grouping, pieces: PieceGroups) {
  const { windows } = run
  const { to: end } = cuts.piecesOf(windows.count - 1)
  let atOnce = cuts.piecesOfStep * Math.ceil(DAY_US / windows.stepUs)
  let loaded = 0
  return async (from: number, to: number): Promise<void> => {
    loaded = Math.max(loaded, from)
    while (loaded < to) {
      const next = Math.min(end, loaded + atOnce)
      const groups = await run
        .pastDamage(() => groupsOf(run, cuts, { from: loaded, to: next }, grouping, pieces))
        .catch((error) => {
          if (!isTooLarge(error) || next - loaded === 1) throw error
          return undefined
        })
      if (groups === undefined) atOnce = Math.ceil((next - loaded) / 2)
      else {
        pieces.add(groups)
        loaded = next
      }
    }
  }
}

const isTooLarge = (error: unknown) => error instanceof LogweirError && error.code === 'too_much_memory'

/** Groups the rows of the pieces [from, to) by piece and keys. */
async function groupsOf(
  { group, stored, context }: WindowRun,
  cuts: TimeCuts,
  { from, to }: { from: number; to: number },
  grouping: Grouping,
  pieces: PieceGroups,
): Promise<Groups> {
  const range = { fromUs: cuts.startOf(from), throughUs: cuts.startOf(to) - 1 }
  const all = stored()
  const inRange: StoredRows = {
    ...all,
    partsOf: (source) => all.partsOf(source, group).filter((part) => overlaps(part, range)),
  }
  const groups = createGroups()
  groups.otherBytes = pieces.bytes
  const stage = { ...group, input: { ...group.input, ...range } }
  for (const batch of batchesOf(stage, inRange, context)) {
    await batch.read((frame) => fold(groups, frame, grouping))
    await context.yieldIfDue()
  }
  return groups
}

function frameOf({ codes, states }: MergedGroups, { keys }: PieceGroups, { sink, aggregation }: Grouping): Frame {
  const isEmpty = states.length === 0 && sink.keys.length === 0
  const all = isEmpty ? [createStates(aggregation)] : states
  return frameOfStates(all, (position) => entryOf(keys, codes[position]), sink, aggregation)
}

function answerOfGroups({ last, group, stored, context }: WindowRun, frame: Frame): Promise<RunResult> {
  if (frame.rows > context.limits.groups) throw tooManyGroups(context.limits)
  return answerOf(last, { ...stored(), frameOf: (stage) => (stage === group ? frame : undefined) }, context)
}
