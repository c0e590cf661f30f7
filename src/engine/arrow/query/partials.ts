import type { BucketUnit } from '../../plan.js'
import type { Batch } from '../columns/batch.js'
import type { Selection } from '../columns/selection.js'
import {
  type Aggregation,
  aggregate,
  bytesOfStates,
  createStates,
  mergeStates,
  type States,
  shrinkStates,
} from '../operators/aggregate.js'
import { groupSpans } from '../operators/group.js'
import { spansByBucket } from '../operators/truncate.js'

/** The aggregate states of some rows, by the start of their bucket in µs: plain data that can be cached and merged. */
export type Partial = Map<number, States>

/** Approximate bytes of the objects and pointers of one bucket. */
const BUCKET_BYTES = 128

/** Returns the partial aggregate of the selected rows of one batch. */
export function partialOf(batch: Batch, selection: Selection, unit: BucketUnit, aggregation: Aggregation): Partial {
  const spans = spansByBucket(batch, selection, unit)
  const groups = groupSpans(spans)
  const states = aggregate(batch, selection, spans, groups, aggregation)
  return new Map(groups.bucketsUs.map((bucketUs, id) => [bucketUs, states[id]!]))
}

/** Shrinks a partial before it is cached. Returns the same object, to which no more rows may be added. */
export function shrinkPartial(partial: Partial, aggregation: Aggregation): Partial {
  for (const states of partial.values()) shrinkStates(aggregation, states)
  return partial
}

/** Returns the approximate memory of a partial in bytes. */
export function bytesOfPartial(partial: Partial, aggregation: Aggregation): number {
  let bytes = 0
  for (const states of partial.values()) bytes += BUCKET_BYTES + bytesOfStates(aggregation, states)
  return bytes
}

/** Merges `from`, which is not changed, into `total`. */
export function mergePartial(total: Partial, from: Partial, aggregation: Aggregation): void {
  for (const [bucketUs, states] of from) {
    const into = total.get(bucketUs) ?? createStates(aggregation.folds)
    total.set(bucketUs, into)
    mergeStates(aggregation, into, states)
  }
}
