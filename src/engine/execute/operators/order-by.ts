import { createMeter } from '../../../base/memory/memory-budget.js'
import type { NamedExpression, SortKey } from '../../../plan/plan.js'
import { blocksOf } from '../batches/blocks.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { createOpenAhead } from '../batches/open-ahead.js'
import type { OpenCold } from '../columns/batch.js'
import type { Frame } from '../expressions/frame.js'
import { prepare } from '../expressions/prepare.js'
import { workOf } from '../expressions/row-work.js'
import { computed, isCold, type Vector } from '../expressions/vector.js'
import { offerNewest } from '../ordering/newest-rows.js'
import { type Found, isLeafName, type OutputColumns } from '../ordering/output-columns.js'
import { createLeftOut, rankRows } from '../ordering/rank.js'
import type { TopSink } from '../ordering/sink.js'
import { mayHaveBetter, timeOrder, visitOrder } from '../ordering/time-order.js'
import { createTop, type Top } from '../ordering/top.js'
import { type Draft, inScope, withScope } from '../stages/draft.js'
import type { OperatorOf } from '../stages/stage.js'

/** Sets the order of a stage. Directly behind `select` the keys may also read the columns before `select`. */
export function cutOrderBy({ keys, rank }: OperatorOf<'orderBy'>, draft: Draft): Draft {
  const { scope, hidden } = draft
  const sorted = new Map([...hidden, ...scope])
  const order = keys.map(({ by, direction, nulls }) => ({ by: inScope(by, sorted), direction, nulls }))
  return { ...withScope(draft, scope), order, rank }
}

/**
 * Finds the first rows of an order, or any rows without keys. Batches that cannot have any of the first rows are not
 * read. Throws `too_much_memory` if the rows take too much.
 */
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
  const offer = (number: number) => async (frame: Frame) => {
    const { openCold } = frame
    const cachedReader = wanted <= MOST_CACHED_ROWS ? input[number].cachedReader : undefined
    if (openCold !== undefined) cold.set(number, cachedReader?.(openCold) ?? openCold)
    await offerFrame(top, frame, number, keys, early, areas, context)
  }
  const order = visitOrder(input, byTime)
  const ahead = createOpenAhead(order.map((number) => input[number]))
  try {
    for (const [place, number] of order.entries()) {
      const batch = input[number]
      if (top.isFull()) {
        await top.cut(context.yieldIfDue)
        if (!mayHaveBetter(batch, byTime, top, keys)) break
      }
      if (byTime === undefined || batch.readByTime === undefined) await batch.read(offer(number))
      else await batch.readByTime(byTime, mayBeBetter, offer(number))
      ahead.end(place)
      if (!top.isFull()) ahead.begin(place)
      await context.yieldIfDue()
    }
  } finally {
    ahead.endAll()
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

/** The rows of an answer are cached if there are at most this many rows. */
const MOST_CACHED_ROWS = 1000

/** Offers the rows of a frame, with the values of the `early` columns. Notes the columns of areas in `areas`. */
async function offerFrame(
  top: Top,
  frame: Frame,
  batch: number,
  keys: readonly SortKey[],
  early: readonly NamedExpression[],
  areas: Set<string>,
  { yieldIfDue }: RunContext,
): Promise<void> {
  const read = [...keys.map(({ by }) => by), ...early.map(({ value }) => value)]
  const evaluate = await prepare(frame, read, yieldIfDue)
  const values: Vector[] = []
  for (const { name, value } of early) {
    const vector = evaluate(value)
    const isAreas = vector.kind === 'areas' && isLeafName(name)
    if (isAreas) areas.add(name)
    values.push(isAreas ? computed(vector.areasAt, () => 0) : vector)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  const capture = (position: number) => values.map(({ at }) => at(position))
  const isLoaded = !values.some(isCold) && !workOf(values, frame).isSlow(0, 0)
  if (keys.length === 1 && timeOrder(keys) === 'desc' && frame.stored !== undefined && isLoaded) {
    return offerNewest(top, frame, batch, capture, yieldIfDue)
  }
  const sorted = keys.map(({ by }) => evaluate(by))
  for await (const { from, to } of blocksOf(frame, [...sorted, ...values], yieldIfDue)) {
    for (let position = from; position < to; position++) {
      const rowKeys = sorted.map(({ at }) => at(position))
      const row = frame.rowOf(position)
      if (top.wants(rowKeys, batch, row)) {
        if (top.add({ keys: rowKeys, batch, row, values: capture(position) })) await top.cut(yieldIfDue)
      } else if (keys.length === 0) return
      else top.leaveOut(rowKeys)
    }
    if (keys.length === 0 && top.isFull()) return
  }
}
