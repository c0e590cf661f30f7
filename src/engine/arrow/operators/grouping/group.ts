import type { LazyBatch, RunContext } from '../lazy-batch.js'
import type { Aggregation } from './aggregate.js'
import { createGroups, frameOfGroups, statesOf } from './groups.js'
import { PartGroups } from './part-groups.js'
import { type GroupSink, groupExpressions } from './sink.js'

/**
 * Groups all rows and returns one batch with a row for each group, in order of first appearance. Throws
 * `too_many_groups` beyond the limits.
 */
export function group(
  input: readonly LazyBatch[],
  sink: GroupSink,
  aggregation: Aggregation,
  context: RunContext,
): LazyBatch[] {
  const expressions = groupExpressions(sink)
  return [
    {
      minUs: Number.NEGATIVE_INFINITY,
      maxUs: Number.POSITIVE_INFINITY,
      async read(use) {
        const total = createGroups()
        const parts = new PartGroups(total, { sink, expressions, aggregation, context })
        for (let i = 0; i < input.length; ) {
          const added = parts.add(input, i)
          i += added instanceof Promise ? await added : added
          const pause = context.yieldIfDue()
          if (pause !== undefined) await pause
        }
        await parts.end()
        if (sink.keys.length === 0 && total.states.length === 0) statesOf(total, NO_KEYS, 0, 0, aggregation)
        return use(frameOfGroups(total, sink, aggregation))
      },
    },
  ]
}

const NO_KEYS = new Uint8Array(0)
