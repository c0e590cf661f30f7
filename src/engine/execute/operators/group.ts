import { createMeter } from '../../../base/memory/memory-budget.js'
import type { Expression } from '../../../plan/expression.js'
import type { CachedRows, LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { extendKey, Key } from '../caches/partial-cache.js'
import type { Frame } from '../expressions/frame.js'
import { type Aggregation, createAggregation, isQuickToCopy } from '../grouping/aggregate.js'
import { cacheGroups, nextCached } from '../grouping/cached-groups.js'
import { copyOf, createGroups, frameOfGroups, type Grouping, type Groups, statesOf } from '../grouping/groups.js'
import { PartGroups } from '../grouping/part-groups.js'
import { type GroupSink, groupExpressions, sinkKey } from '../grouping/sink.js'
import { type Draft, draftAfter, inScope } from '../stages/draft.js'
import type { OperatorOf } from '../stages/stage.js'

/** Ends a stage with groups. The next stage reads a row for each group. */
export function cutGroup(operator: OperatorOf<'group'>, draft: Draft): Draft {
  const { input, steps, scope } = draft
  const keys = operator.keys.map(({ name, value }) => ({ name, value: inScope(value, scope) }))
  const aggregates = operator.aggregates.map(({ name, value: { fn, args } }) => ({
    name,
    value: { fn, args: args.map((arg) => inScope(arg, scope)) },
  }))
  return draftAfter({ input, steps, sink: { op: 'group', keys, aggregates }, isShared: false })
}

/** Returns a row for each group of {@link groupsOf}. */
export async function group(
  input: readonly LazyBatch[],
  sink: GroupSink,
  isNumber: (expression: Expression) => boolean,
  context: RunContext,
): Promise<Frame> {
  const { groups, aggregation } = await groupsOf(input, sink, isNumber, context)
  return frameOfGroups(groups, sink, aggregation)
}

/**
 * Groups all rows. Groups of sealed parts come first, each in order of first appearance. `isNumber` tells if an
 * expression is a stored column of numbers. Throws `too_many_groups` beyond the limits.
 */
export async function groupsOf(
  input: readonly LazyBatch[],
  sink: GroupSink,
  isNumber: (expression: Expression) => boolean,
  context: RunContext,
): Promise<{ groups: Groups; aggregation: Aggregation }> {
  const keyOf = extendKey(() => sinkKey(sink))
  const meter = createMeter(context.memory)
  const aggregation = createAggregation(sink.aggregates, isNumber)
  const grouping: Grouping = { sink, expressions: groupExpressions(sink), keyOf, aggregation, context, meter }
  const key = input.find(({ cached }) => cached !== undefined && cached.slice === undefined)?.cached?.key ?? NO_KEY
  // Slices come and go, so that the groups of all parts are kept without theirs.
  const isWholePart = ({ cached }: LazyBatch) => cached?.key === key && cached?.slice === undefined
  const total = await groupsOfParts(input.filter(isWholePart), grouping)
  await new PartGroups(total, grouping).addAll(input.filter((batch) => !isWholePart(batch)))
  if (sink.keys.length === 0 && total.states.length === 0) statesOf(total, NO_KEYS, 0, 0, aggregation)
  return { groups: total, aggregation }
}

const NO_KEYS = new Uint8Array(0)
/** No batch has this key. */
const NO_KEY = new Key(() => 'none')

/**
 * Returns the groups of parts found by the same filters. The groups of all parts are cached if the groups of each part
 * were, and if the parts have too many groups to be cached one by one: the next run starts with a copy, and adds only
 * later parts.
 */
async function groupsOfParts(batches: readonly LazyBatch[], grouping: Grouping): Promise<Groups> {
  const [first] = batches
  if (first === undefined) return createGroups()
  const hash = `${grouping.keyOf(first.cached!.key).hash} all`
  const known = nextCached(batches, 0, hash, grouping)
  const total = known === undefined ? createGroups() : copyOf(known.groups)
  const parts = new PartGroups(total, grouping)
  await parts.addAll(batches.slice(known?.parts.length ?? 0))
  const isMerged = parts.cachedMerges > (known === undefined ? 1 : 0)
  const isLarge = parts.hasManyGroups && batches.length > (known?.parts.length ?? 1)
  if (!(isMerged || isLarge) || !total.states.every((states) => isQuickToCopy(grouping.aggregation, states)))
    return total
  const cached = batches.map(({ cached }) => cached as CachedRows)
  return (await cacheGroups(cached, hash, total, grouping)) ? copyOf(total) : total
}
