import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import type { Cell } from '../../../plan/functions/function.js'
import { projectAsked } from '../../../plan/of-project.js'
import type { ViewSource } from '../../../plan/plan.js'
import { momentUs, type Scalar } from '../../../plan/values/values.js'
import type { ReadView } from '../../engine.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { cellFrame } from '../expressions/computed-frame.js'
import type { Frame } from '../expressions/frame.js'
import { type Draft, draftOf, scopeOf } from '../stages/draft.js'
import { leadingFilters, type OperatorOf, type ViewStage } from '../stages/stage.js'

/** Begins a stage that reads the groups of a view. */
export const cutView = (operator: OperatorOf<'view'>): Draft => draftOf(operator, scopeOf(operator))

/** The values of a group, in the order of the columns. */
type Group = readonly Scalar[]

/**
 * Returns the groups of a view, of the buckets that start in the stage's range of time, as a batch. `read` is asked for
 * the groups of the project alone that the first filters ask for. Throws `too_much_memory` if the groups take too much.
 */
export function view({ input, steps }: ViewStage, read: ReadView, context: RunContext): LazyBatch {
  const { fromUs, throughUs } = input
  const project = leadingFilters(steps)
    .conditions.map(projectAsked)
    .find((one) => one !== undefined)
  return {
    minUs: Number.NEGATIVE_INFINITY,
    maxUs: Number.POSITIVE_INFINITY,
    async read(use) {
      const { limits, memory, yieldIfDue } = context
      const run = { memory, limitBytes: limits.bytes, yieldIfDue }
      const groups = await groupsIn(read(input.view, { project, fromUs, throughUs }, run), input, context)
      return use(frameOfGroups(groups, input.view))
    },
  }
}

async function groupsIn(
  blocks: AsyncIterable<readonly Group[]>,
  { view, fromUs, throughUs }: ViewStage['input'],
  { limits, memory, yieldIfDue, onScan }: RunContext,
): Promise<Group[]> {
  const meter = createMeter(memory)
  const start = view.columns.findIndex(({ name }) => name === view.bucket)
  const groups: Group[] = []
  let bytes = 0
  for await (const block of blocks) {
    for (const group of block) {
      const us = Number(momentUs(group[start]))
      if (us < fromUs || us > throughUs) continue
      groups.push(group)
      bytes += group.reduce<number>((sum, value) => sum + bytesOfValue(value), 0)
      if (bytes > limits.bytes) throw tooMuchMemory(limits.bytes)
    }
    meter(bytes)
    onScan(block.length)
    await yieldIfDue()
  }
  return groups
}

function frameOfGroups(groups: readonly Group[], { columns }: ViewSource): Frame {
  const cells = columns.map(({ name }, i) => [name, (position) => groups[position][i]] satisfies [string, Cell])
  return cellFrame(groups.length, new Map(cells))
}
