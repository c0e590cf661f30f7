import type { SortKey } from '../../../plan/plan.js'
import { Timestamp } from '../../../plan/values/values.js'
import type { LazyBatch } from '../batches/lazy-batch.js'
import type { Top } from './top.js'

/** Returns the direction if the first key is the stored timestamp, else undefined. */
export function timeOrder([first]: readonly SortKey[]): SortKey['direction'] | undefined {
  return first?.by.kind === 'column' && first.by.name === 'timestamp' ? first.direction : undefined
}

/** Returns the places of batches in the order in which the batches are visited. */
export function visitOrder(input: readonly LazyBatch[], byTime: SortKey['direction'] | undefined): number[] {
  const order = input.map((_, i) => i)
  if (byTime === 'desc') return order.sort((a, b) => input[b].maxUs - input[a].maxUs)
  return byTime === 'asc' ? order.sort((a, b) => input[a].minUs - input[b].minUs) : order
}

/** Whether a batch, or a batch visited later, can have a row among the first. */
export function mayHaveBetter(
  { minUs, maxUs }: Pick<LazyBatch, 'minUs' | 'maxUs'>,
  byTime: SortKey['direction'] | undefined,
  top: Top,
  keys: readonly SortKey[],
): boolean {
  if (keys.length === 0) return false
  const worst = top.worst()?.keys[0]
  if (byTime === undefined || !(worst instanceof Timestamp)) return true
  return byTime === 'desc' ? maxUs >= worst.us : minUs <= worst.us
}
