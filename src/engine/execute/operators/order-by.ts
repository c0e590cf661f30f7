import { createMeter } from '../../../base/memory/memory-budget.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import type { OpenCold } from '../columns/batch.js'
import type { Frame } from '../expressions/frame.js'
import { offerFrame } from '../ordering/offer-rows.js'
import type { Found, OutputColumns } from '../ordering/output-columns.js'
import { createLeftOut, rankRows } from '../ordering/rank.js'
import type { TopSink } from '../ordering/sink.js'
import { mayHaveBetter, timeOrder, visitOrder } from '../ordering/time-order.js'
import { createTop } from '../ordering/top.js'
import { type Draft, inScope, withScope } from '../stages/draft.js'
import type { OperatorOf } from '../stages/stage.js'

/**
 * Sets the order of a stage, which {@link cutLimit} ends. Directly behind `select` the keys may also read the columns
 * before.
 */
export function cutOrderBy({ keys, rank }: OperatorOf<'orderBy'>, draft: Draft): Draft {
  const { scope, hidden } = draft
  const sorted = new Map([...hidden, ...scope])
  const order = keys.map(({ by, direction, nulls }) => ({ by: inScope(by, sorted), direction, nulls }))
  return { ...withScope(draft, scope), order, rank }
}

/** Finds the first rows of an order. Batches that cannot have any of the first rows are not read. */
export async function orderBy(
  input: readonly LazyBatch[],
  { keys, rows, offset, isReversed, rank }: TopSink,
  { early }: OutputColumns,
  context: RunContext,
): Promise<Found> {
  const wanted = rows + offset
  const leftOut = rank === undefined ? undefined : createLeftOut()
  const top = createTop(keys, wanted, { limitBytes: context.limits.bytes, meter: createMeter(context.memory) }, leftOut)
  const cold = new Map<number, OpenCold>()
  const areas = new Set<string>()
  const byTime = timeOrder(keys)
  const mayBeBetter = async (us: number) => {
    if (!top.isFull()) return true
    await top.cut(context.yieldIfDue)
    return mayHaveBetter({ minUs: us, maxUs: us }, byTime, top, keys)
  }
  for (const number of visitOrder(input, byTime)) {
    const batch = input[number]
    if (top.isFull()) {
      await top.cut(context.yieldIfDue)
      if (!mayHaveBetter(batch, byTime, top, keys)) break
    }
    const offer = async (frame: Frame) => {
      const { openCold } = frame
      const keepRows = wanted <= MOST_KEPT_ROWS ? batch.keepRows : undefined
      if (openCold !== undefined) cold.set(number, keepRows?.(openCold) ?? openCold)
      await offerFrame(top, frame, number, keys, early, areas, context)
    }
    if (byTime === undefined || batch.readByTime === undefined) await batch.read(offer)
    else await batch.readByTime(byTime, mayBeBetter, offer)
    await context.yieldIfDue()
  }
  await top.cut(context.yieldIfDue)
  const columns = early.map(({ name }) => name)
  if (rank !== undefined) {
    await rankRows(top.rows(), keys[0].direction, leftOut!.rows, context.yieldIfDue)
    columns.push(rank)
  }
  const found = top.rows().slice(offset)
  return { rows: isReversed ? found.reverse() : found, columns, areas, cold }
}

/** The rows of an answer are kept in the cache if there are at most this many rows. */
const MOST_KEPT_ROWS = 1000
