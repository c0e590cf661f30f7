import type { SourceName } from '../../../common/sources.js'
import type { ReadView } from '../../engine.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import type { Part } from '../columns/batch.js'
import type { Frame } from '../expressions/frame.js'
import { filter } from '../operators/filter.js'
import { group } from '../operators/group.js'
import { orderBy } from '../operators/order-by.js'
import { scan } from '../operators/scan.js'
import { select } from '../operators/select.js'
import { union } from '../operators/union.js'
import { unnest } from '../operators/unnest.js'
import { view } from '../operators/view.js'
import { frameOfFound } from '../ordering/late-columns.js'
import { splitColumns } from '../ordering/output-columns.js'
import { isStoredNumber } from '../stages/source-kinds.js'
import {
  columnNames,
  isUnlimited,
  leadingFilters,
  type ScanStage,
  type Stage,
  type Step,
  type Unnest,
  type ViewStage,
} from '../stages/stage.js'

/** The rows that stages read. */
export interface StoredRows {
  /** Returns the parts of a source that may have rows for a stage, in order of arrival. */
  partsOf(source: SourceName, stage: ScanStage): readonly Part[]
  /** Reads the groups of views. */
  readView: ReadView
  /** Returns the rows of a stage, if the rows are computed elsewhere. */
  frameOf(stage: Stage): Frame | undefined
}

/**
 * Returns a function that computes the rows of a stage, in memory. The parts to read are chosen at once, so that all
 * stages of a plan see the same stored rows.
 */
export function frameOf(stage: Stage, stored: StoredRows, context: RunContext): () => Promise<Frame> {
  const compute = ownFrameOf(stage, stored, context)
  return stage.isShared ? () => context.sharedFrames.read(stage, columnNames(stage), compute) : compute
}

function ownFrameOf(stage: Stage, stored: StoredRows, context: RunContext): () => Promise<Frame> {
  const { sink, input } = stage
  const given = stored.frameOf(stage)
  if (given !== undefined) return async () => given
  const batches = batchesOf(stage, stored, context)
  if (sink.op === 'group') return () => group(batches, sink, isStoredNumber(input), context)
  const columns = splitColumns(sink.columns, input.op === 'scan')
  return async () => frameOfFound(await orderBy(batches, sink, columns, context), columns, context)
}

/** Returns the batches that the sink of a stage reads: the input after the steps. Each batch is computed on read. */
export function batchesOf(stage: Stage, stored: StoredRows, context: RunContext): LazyBatch[] {
  const { input, steps } = stage
  if (input.op === 'stage') return after([computed(frameOf(input.stage, stored, context))], steps, context)
  if (input.op === 'union') {
    const read = (part: Stage, names: string[]) => unorderedRows(part, stored, context, names)
    return after(union(input.inputs, read), steps, context)
  }
  if (input.op === 'view') {
    const { batch, rest } = view(stage as ViewStage, stored.readView, context)
    return after([batch], rest, context)
  }
  const scanned = stage as ScanStage
  return input.sources.flatMap((source) => {
    const { batches, steps } = scan(scanned, source, stored.partsOf(source, scanned), context)
    return after(batches, steps, context)
  })
}

/** Applies steps. Adjacent filters share a pass. */
function after(input: readonly LazyBatch[], steps: readonly Step[], context: RunContext): LazyBatch[] {
  let batches = [...input]
  for (let i = 0; i < steps.length; ) {
    const step = steps[i]
    if (step.op === 'unnest') {
      batches = unnest(batches, step, unnestsFrom(steps, i + 1), context)
      i++
      continue
    }
    const { conditions } = leadingFilters(steps.slice(i))
    batches = filter(batches, conditions, context)
    i += conditions.length
  }
  return batches
}

/** Returns the steps from a place on, up to the first step that is no unnest. */
function unnestsFrom(steps: readonly Step[], from: number): Unnest[] {
  const unnests: Unnest[] = []
  for (let i = from; steps[i]?.op === 'unnest'; i++) unnests.push(steps[i] as Unnest)
  return unnests
}

/**
 * Returns the rows of a stage in any order, as batches with columns of these names. A stage without a limit and groups
 * is not computed as a whole: the batches of the stage are read in sequence.
 */
export function unorderedRows(
  stage: Stage,
  stored: StoredRows,
  context: RunContext,
  names = columnNames(stage),
): LazyBatch[] {
  const { sink } = stage
  if (sink.op === 'top' && isUnlimited(sink) && stored.frameOf(stage) === undefined) {
    const columns = sink.columns.map(({ value }, i) => ({ name: names[i], value }))
    return select(batchesOf(stage, stored, context), columns, context)
  }
  const frame = frameOf(stage, stored, context)
  return [computed(async () => renamed(await frame(), columnNames(stage), names))]
}

function computed(make: () => Promise<Frame>): LazyBatch {
  return {
    minUs: Number.NEGATIVE_INFINITY,
    maxUs: Number.POSITIVE_INFINITY,
    read: async (use) => use(await make()),
  }
}

/** The same rows with other names for their columns. */
function renamed(frame: Frame, from: readonly string[], to: readonly string[]): Frame {
  const names = new Map(to.map((name, i) => [name, from[i]]))
  return {
    ...frame,
    select: (positions) => renamed(frame.select(positions), from, to),
    column: (name) => frame.column(names.get(name) ?? name),
  }
}
