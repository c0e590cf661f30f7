import { datetime } from '../../../base/buckets.js'
import type { Row, Value } from '../../engine.js'
import type { BucketsShape, RowsShape } from '../../plan.js'
import type { Batch, Part } from '../columns/batch.js'
import { sizeOf } from '../columns/selection.js'
import { createAggregation } from '../operators/aggregate.js'
import { createTop } from '../operators/top.js'
import { cacheKey } from './partial-cache.js'
import { bytesOfPartial, mergePartial, type Partial, partialOf, shrinkPartial } from './partials.js'
import { readRows } from './read-rows.js'
import { createSelect, isWithin, type RunContext } from './select.js'

/**
 * Runs a plan of the buckets shape: computes a partial aggregate for each part, and merges them. For a sealed
 * part that is entirely in the time range the partial is cached; for one that is partly in it, the selection
 * of the predicates.
 */
export async function runBuckets(shape: BucketsShape, context: RunContext): Promise<Row[]> {
  const { parts, yieldIfDue, partialCache } = context
  const aggregation = createAggregation(shape.aggregates)
  const select = createSelect(shape, context)
  const key = cacheKey(shape.predicates, shape.unit, shape.aggregates)
  const total: Partial = new Map()

  const compute = (part: Part): Promise<Partial> =>
    select(part, (batch, selection) => {
      context.onScan(sizeOf(selection))
      return sizeOf(selection) > 0 ? partialOf(batch, selection, shape.unit, aggregation) : new Map()
    })

  async function computeAndCache(part: Part): Promise<Partial> {
    const partial = shrinkPartial(await compute(part), aggregation)
    partialCache.put(part, key, partial, bytesOfPartial(partial, aggregation))
    return partial
  }

  const partialIn = (part: Part): Partial | Promise<Partial> => {
    if (!part.isSealed || !isWithin(part, shape)) return compute(part)
    return partialCache.get<Partial>(part, key) ?? computeAndCache(part)
  }

  for (const part of parts) {
    context.onOpen()
    mergePartial(total, await partialIn(part), aggregation)
    await yieldIfDue()
  }
  const buckets = [...total].sort(([a], [b]) => a - b).slice(0, shape.limit)
  return buckets.map(([bucketUs, states]) => {
    const timestamp = shape.as === 'datetime' ? datetime(bucketUs) : bucketUs
    const values = aggregation.outputs.map(({ name, fold, finish }) => [name, finish(states[fold])] as const)
    return Object.fromEntries<Value>([['timestamp', timestamp], ...values])
  })
}

/** Runs a plan of the rows shape: the parts with the newest rows first, until no other part can have a newer one. */
export async function runRows(shape: RowsShape, context: RunContext): Promise<AsyncIterable<Row>> {
  const { parts, yieldIfDue, onOpen, onScan } = context
  const select = createSelect(shape, context)
  const top = createTop(shape.limit)
  const opened = new Map<number, Batch['openCold']>()
  const newestFirst = parts.map((_, i) => i).sort((a, b) => parts[b]!.maxUs - parts[a]!.maxUs)
  for (const number of newestFirst) {
    const part = parts[number]!
    if (!top.wants(part.maxUs)) break
    onOpen()
    await select(part, (batch, selection) => {
      opened.set(number, batch.openCold)
      onScan(Math.min(sizeOf(selection), shape.limit))
      top.offer(batch, number, selection)
    })
    await yieldIfDue()
  }
  return readRows(top.found, { opened, columns: shape.columns, yieldIfDue })
}
