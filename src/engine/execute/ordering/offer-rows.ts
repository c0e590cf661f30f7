import type { NamedExpression, SortKey } from '../../../plan/plan.js'
import { blocksOf } from '../batches/blocks.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { createEvaluate } from '../expressions/evaluate.js'
import type { Frame } from '../expressions/frame.js'
import { fieldsIn } from '../expressions/loaded-fields.js'
import { workOf } from '../expressions/row-work.js'
import type { Vector } from '../expressions/vector.js'
import { offerNewest } from './newest-rows.js'
import { isLeafName } from './output-columns.js'
import { timeOrder } from './time-order.js'
import type { Top } from './top.js'

/** Offers the rows of a frame, with the values of the `early` columns. Notes the columns of areas in `areas`. */
export async function offerFrame(
  top: Top,
  frame: Frame,
  batch: number,
  keys: readonly SortKey[],
  early: readonly NamedExpression[],
  areas: Set<string>,
  { yieldIfDue }: RunContext,
): Promise<void> {
  const read = [...keys.map(({ by }) => by), ...early.map(({ value }) => value)]
  await frame.loadFields?.(fieldsIn(read, frame.elements), yieldIfDue)
  const evaluate = createEvaluate(frame)
  const values: Vector[] = []
  for (const { name, value } of early) {
    const vector = evaluate(value)
    const isAreas = vector.areasAt !== undefined && isLeafName(name)
    if (isAreas) areas.add(name)
    values.push(isAreas ? { ...vector, at: vector.areasAt! } : vector)
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  const capture = (position: number) => values.map(({ at }) => at(position))
  const isLoaded = values.every(({ isCold }) => !isCold) && !workOf(values, frame).isSlow(0, 0)
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
