import { blocksOf } from '../../engine/execute/batches/blocks.js'
import type { RunContext } from '../../engine/execute/batches/lazy-batch.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { prepare } from '../../engine/execute/expressions/prepare.js'
import { type Aggregation, createAggregation } from '../../engine/execute/grouping/aggregate.js'
import { fold } from '../../engine/execute/grouping/fold.js'
import { createGroups, type Grouping, type Groups, merge } from '../../engine/execute/grouping/groups.js'
import { type GroupSink, groupExpressions } from '../../engine/execute/grouping/sink.js'
import { orderBy } from '../../engine/execute/operators/order-by.js'
import { frameOfFound } from '../../engine/execute/ordering/late-columns.js'
import { type FoundRow, splitColumns } from '../../engine/execute/ordering/output-columns.js'
import type { TopSink } from '../../engine/execute/ordering/sink.js'
import { batchesOf } from '../../engine/execute/run/run-stage.js'
import { isStoredNumber } from '../../engine/execute/stages/source-kinds.js'
import { columnNames, type ScanStage } from '../../engine/execute/stages/stage.js'
import { answerValue, type Row } from '../../plan/answer.js'
import type { Scalar } from '../../plan/values/values.js'
import { storedLines } from './context.js'

/** Runs a stage that reads lines over the lines of one block. */

/** Groups and how they are made, for a stage that groups. */
export interface LineGroups {
  groups: Groups
  aggregation: Aggregation
  /** Adds the rows of a block. Rejects with `too_much_memory`. */
  add(part: Part): Promise<void>
  /** Adds groups of other blocks. */
  merge(groups: Groups): Promise<void>
}

/** Creates the groups of a stage that groups, without rows. */
export function createLineGroups(stage: ScanStage & { sink: GroupSink }, context: RunContext): LineGroups {
  const { sink, input } = stage
  const groups = createGroups()
  const aggregation = createAggregation(sink.aggregates, isStoredNumber(input))
  const grouping: Grouping = {
    sink,
    expressions: groupExpressions(sink),
    keyOf: (rows) => rows,
    aggregation,
    context,
    meter() {},
  }
  return {
    groups,
    aggregation,
    async add(part) {
      for (const batch of batchesOf(stage, storedLines([part]), context))
        await batch.read((frame) => fold(groups, frame, grouping))
      context.fieldCache.drop([part.owner])
    },
    merge: (more) => merge(groups, more, grouping),
  }
}

/** A row of an order: the keys, the place in its block, and the values of the columns. */
export type SortedRow = Pick<FoundRow, 'keys' | 'row' | 'values'>

/** Fields of more rows are read from all lines of a block at once, and not from the lines of the rows found. */
const MOST_LATE_ROWS = 100

/** Returns the first rows of a block in the order of a stage, offset included. */
export async function sortedRows(
  stage: ScanStage & { sink: TopSink },
  part: Part,
  context: RunContext,
): Promise<SortedRow[]> {
  const { sink } = stage
  const columns = sink.rows > MOST_LATE_ROWS ? { early: sink.columns, late: [] } : splitColumns(sink.columns, true)
  const all = { ...sink, rows: sink.rows + sink.offset, offset: 0, isReversed: false }
  const found = await orderBy(batchesOf(stage, storedLines([part]), context), all, columns, context)
  const frame = await frameOfFound(found, columns, context)
  const cells = columnNames(stage).map((name) => frame.column(name)!.at)
  const rows = found.rows.map(({ keys, row }, position): SortedRow => {
    return { keys, row, values: cells.map((at): Scalar => at(position)) }
  })
  context.fieldCache.drop([part.owner])
  return rows
}

/** Returns the rows of a block that pass a stage without groups and order, in the order of the lines. */
export async function passingRows(
  stage: ScanStage & { sink: TopSink },
  part: Part,
  context: RunContext,
): Promise<Row[]> {
  const { columns } = stage.sink
  const rows: Row[] = []
  for (const batch of batchesOf(stage, storedLines([part]), context))
    await batch.read(async (frame) => {
      const values = columns.map(({ value }) => value)
      const evaluate = await prepare(frame, values, context.yieldIfDue)
      const vectors = values.map(evaluate)
      for await (const { from, to } of blocksOf(frame, vectors, context.yieldIfDue))
        for (let position = from; position < to; position++)
          rows.push(Object.fromEntries(columns.map(({ name }, i) => [name, answerValue(vectors[i].at(position))])))
    })
  context.fieldCache.drop([part.owner])
  return rows
}
