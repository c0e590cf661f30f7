import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import type { Expression } from '../../../plan/expression.js'
import type { Cell } from '../../../plan/functions/function.js'
import { projectAsked } from '../../../plan/of-project.js'
import type { MostGroups, ViewSource } from '../../../plan/plan.js'
import { momentUs, type Scalar } from '../../../plan/values/values.js'
import type { ReadView } from '../../engine.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { cellFrame } from '../expressions/computed-frame.js'
import type { Frame } from '../expressions/frame.js'
import { type Draft, draftOf, scopeOf } from '../stages/draft.js'
import { leadingFilters, type OperatorOf, type Step, type ViewStage } from '../stages/stage.js'
import { keepPassing } from './filter.js'

/** Begins a stage that reads the groups of a view. */
export const cutView = (operator: OperatorOf<'view'>): Draft => draftOf(operator, scopeOf(operator))

/** The values of a group, in the order of the columns. */
type Group = readonly Scalar[]

/**
 * Returns the groups of a view, of the buckets that start in the stage's range of time, as a batch, and the steps that
 * are left: the first filters are applied while groups are read. `read` is asked for the groups of the project alone
 * that the filters ask for. Throws `too_much_memory` if the groups take too much.
 */
export function view(
  { input, steps }: ViewStage,
  read: ReadView,
  context: RunContext,
): { batch: LazyBatch; rest: readonly Step[] } {
  const { conditions, rest } = leadingFilters(steps)
  const batch: LazyBatch = {
    minUs: Number.NEGATIVE_INFINITY,
    maxUs: Number.POSITIVE_INFINITY,
    read: async (use) => use(frameOfGroups(await groupsIn(input, conditions, read, context), input.view)),
  }
  return { batch, rest }
}

async function groupsIn(
  { view, fromUs, throughUs, most }: ViewStage['input'],
  conditions: readonly Expression[],
  read: ReadView,
  { limits, memory, yieldIfDue, onScan, onViewNote }: RunContext,
): Promise<readonly Group[]> {
  const project = conditions.map(projectAsked).find((one) => one !== undefined)
  const start = view.columns.findIndex(({ name }) => name === view.bucket)
  const startOf = (group: Group) => Number(momentUs(group[start]))
  const meter = createMeter(memory)
  const found = new FoundGroups(most)
  const run = { memory, limitBytes: limits.bytes, yieldIfDue, onNote: onViewNote }
  for await (const block of joined(read(view, { project, fromUs, throughUs }, run))) {
    onScan(block.length)
    const frame = await keepPassing(frameOfGroups(block, view), conditions, yieldIfDue)
    for (let position = 0; position < frame.rows; position++) {
      const group = block[frame.rowOf(position)]
      const us = startOf(group)
      if (us < fromUs || us > throughUs) continue
      if (!found.add(group, us)) {
        onViewNote?.({ moreBeforeUs: startOf(found.groups.at(-1)!) })
        return found.groups
      }
      if (found.bytes > limits.bytes) throw tooMuchMemory(limits.bytes)
    }
    meter(found.bytes)
    await yieldIfDue()
  }
  return found.groups
}

/** A filter takes about as long for one group as for some hundreds. */
const BLOCK_GROUPS = 1_024

/** Joins blocks of few groups. */
async function* joined(blocks: AsyncIterable<readonly Group[]>): AsyncGenerator<readonly Group[], void> {
  let groups: Group[] = []
  for await (const block of blocks) {
    for (const group of block) groups.push(group)
    if (groups.length < BLOCK_GROUPS) continue
    yield groups
    groups = []
  }
  yield groups
}

/** Groups that were read, whole buckets of them as far as `most` allows. */
class FoundGroups {
  readonly groups: Group[] = []
  bytes = 0
  readonly #most: MostGroups
  #bucketUs = Number.NaN
  /** How many groups are of newer buckets than the last. */
  #newer = 0

  constructor(most: MostGroups = { groups: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }) {
    this.#most = most
  }

  /** Adds a group. Returns false if its bucket does not fit: then all groups are those of the buckets before. */
  add(group: Group, bucketUs: number): boolean {
    const { groups } = this
    if (bucketUs !== this.#bucketUs) this.#newer = groups.length
    this.#bucketUs = bucketUs
    groups.push(group)
    this.bytes += group.reduce<number>((sum, value) => sum + bytesOfValue(value), 0)
    const isFull = groups.length > this.#most.groups || this.bytes > this.#most.bytes
    if (!isFull || this.#newer === 0) return true
    groups.length = this.#newer
    return false
  }
}

function frameOfGroups(groups: readonly Group[], { columns }: ViewSource): Frame {
  const cells = columns.map(({ name }, i) => [name, (position) => groups[position][i]] satisfies [string, Cell])
  return cellFrame(groups.length, new Map(cells))
}
