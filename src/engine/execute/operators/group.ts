import { createMeter } from '../../../base/memory/memory-budget.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { extendKey } from '../caches/partial-cache.js'
import { type Aggregation, isQuickToCopy } from '../grouping/aggregate.js'
import { copyOf, createGroups, frameOfGroups, type Grouping, type Groups, statesOf } from '../grouping/groups.js'
import { type Cached, keepGroups, nextKept } from '../grouping/kept-groups.js'
import { PartGroups } from '../grouping/part-groups.js'
import { type GroupSink, groupExpressions, sinkKey } from '../grouping/sink.js'

/**
 * Groups all rows and returns a single batch with a row for each group. Groups of sealed parts come first, each in
 * order of first appearance. Throws `too_many_groups` beyond the limits.
 */
export function group(
  input: readonly LazyBatch[],
  sink: GroupSink,
  aggregation: Aggregation,
  context: RunContext,
): LazyBatch[] {
  const keyOf = extendKey(() => sinkKey(sink))
  const meter = createMeter(context.memory)
  const grouping: Grouping = { sink, expressions: groupExpressions(sink), keyOf, aggregation, context, meter }
  return [
    {
      minUs: Number.NEGATIVE_INFINITY,
      maxUs: Number.POSITIVE_INFINITY,
      async read(use) {
        const key = input.find(({ cached }) => cached !== undefined)?.cached?.key
        const isFoundByKey = ({ cached }: LazyBatch) => cached !== undefined && cached.key === key
        const total = await groupsOfParts(input.filter(isFoundByKey), grouping)
        await new PartGroups(total, grouping).addAll(input.filter((batch) => !isFoundByKey(batch)))
        if (sink.keys.length === 0 && total.states.length === 0) statesOf(total, NO_KEYS, 0, 0, aggregation)
        return use(frameOfGroups(total, sink, aggregation))
      },
    },
  ]
}

const NO_KEYS = new Uint8Array(0)

/**
 * Returns the groups of parts found by the same filters. If the groups of each part were kept, the groups of all parts
 * are kept too: the next run starts with a copy, and merges only the groups of later parts.
 */
async function groupsOfParts(batches: readonly LazyBatch[], grouping: Grouping): Promise<Groups> {
  const [first] = batches
  if (first === undefined) return createGroups()
  const hash = `${grouping.keyOf(first.cached!.key).hash} all`
  const known = nextKept(batches, 0, hash, grouping)
  const total = known === undefined ? createGroups() : copyOf(known.groups)
  const parts = new PartGroups(total, grouping)
  await parts.addAll(batches.slice(known?.parts.length ?? 0))
  const isMerged = parts.kept > (known === undefined ? 1 : 0)
  if (!isMerged || !total.states.every((states) => isQuickToCopy(grouping.aggregation, states))) return total
  const cached = batches.map(({ cached }) => cached as Cached)
  return (await keepGroups(cached, hash, total, grouping)) ? copyOf(total) : total
}
